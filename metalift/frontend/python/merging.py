"""Names that stand for one list or another where paths meet: they get lists of their own, into which the elements are copied.

In Python the name stands for one of these lists itself. That comes to the same as long as no list is read after it was changed by
another name, which `Sharing` keeps track of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from metalift.frontend.lower.c_scalars import equal
from metalift.frontend.python.blocks import Blocks, Point
from metalift.frontend.python.numbers import convert, joined
from metalift.frontend.python.stands_for import PARAMETER, Again, Clash, ListObject, NoneValue, Value, View, plain
from metalift.ir.expr.nodes import Apply, Const, Expr, Length, Operator, Select, Var
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.program.fragment import Assume, Diagnostic, Edge, Ground, Jump, Store, Unsupported

ZERO = Const(0, INT)
ONE = Const(1, INT)


@dataclass(slots=True)
class Merging(Blocks):
    """Lists where paths meet."""

    sites: set[str] = field(default_factory=set)
    merged: list[tuple[ListObject, ListObject]] = field(default_factory=list)  # lists of their own, and what was copied into them

    def unique(self, base: str) -> str:
        """A name for an object that is made at a place, the same in each pass."""
        site, number = base, 1
        while site in self.sites:
            number += 1
            site = f"{base}/{number}"
        self.sites.add(site)
        return site

    # What may be one object

    def length(self, view: View) -> Expr:
        """The number of elements or rows."""
        self.check_current(view.object)
        return self._length(view.object, len(view.prefix))

    def _length(self, owner: ListObject, depth: int) -> Expr:
        if not owner.local:
            return Length(owner.var, depth)
        if depth == 0:
            return as_expr(self.env.get(owner.length))
        if owner.columns is None:
            owner.asked = True
            return ZERO
        return owner.columns[depth - 1]

    def check_current(self, owner: ListObject) -> None:
        """Refuse to use a list that may have been changed by another name."""
        if owner.site in self.point.sharing.stale:
            self._refuse_shared(owner, "is used after it may have been changed by another name")

    def change(self, owner: ListObject) -> None:
        """A list is about to be changed: what may be the same one is not used from here on."""
        self.check_current(owner)
        if any(site.startswith(PARAMETER) for site in self.point.sharing.of(owner.site)):
            self._refuse_shared(owner, "is changed while it may be a parameter's list, which the caller has")
        self.point.sharing = self.point.sharing.changed(owner.site)

    def _refuse_shared(self, owner: ListObject, problem: str) -> None:
        message = f"the list {owner.name} {problem}; make a copy where the list gets its second name"
        raise Unsupported(Diagnostic(self.location, message))

    # Where paths meet

    def one_list(self, clash: Clash) -> None:
        """Read the function again with a list of its own for a name that is used, unless that has been tried."""
        if clash.key and not clash.none and clash.key not in self.known.merged:
            self.known.merged[clash.key] = ""
            raise Again

    def clash(self, key: str, name: str, values: Iterable[Value | None]) -> Clash:
        """A name with lists that differ, or with a list and something else."""
        none = any(isinstance(value, NoneValue) or (isinstance(value, Clash) and value.none) for value in values)
        return Clash(name, none, key, self.known.merged.get(key, ""))

    def own_lists(self, points: Sequence[Point], key: str) -> list[tuple[str, ListObject]]:
        """The names that have lists of their own where these paths meet."""
        names = dict.fromkeys(name for point in points for name in point.env)
        wanted = [name for name in names if self.known.merged.get(f"{key}:{name}") == ""]
        return [(name, self._own_list(f"{key}:{name}", name, points)) for name in wanted]

    def _own_list(self, key: str, name: str, points: Sequence[Point]) -> ListObject:
        """A new list for a name, of the kind that it has on the first path."""
        self.at = points[0]
        first = self._whole_list(key, points[0].env.get(name))
        site, rank = self.unique(key), first.rank
        if self.known.ranks.get(site, rank) > rank:
            self._apart(key, "into which lists are put")
        element = self.known.types.setdefault(f"elem:{site}", first.element)
        columns = tuple(self.polynomial(self._length(first, axis)).to_expr() for axis in range(1, rank))
        self.written += 1
        var = Var(self.array_name(plain(name)), TensorType(element, rank))
        known = columns if first.columns or not first.local else None  # without rows it has no columns yet
        made = ListObject(site, var, True, first.numpy, f"{site}:#len_{plain(name)}", known, self.written)
        made.kind, made.characters = "" if site in self.known.mixed else first.kind, first.characters
        self.locals.append(made)
        return made

    def _whole_list(self, key: str, value: Value | None) -> ListObject:
        if isinstance(value, Clash):
            self.one_list(value)
        if not isinstance(value, View) or value.prefix:
            self._apart(key, "or for a row of one, or for none")
        return value.object

    def _apart(self, key: str, why: str) -> NoReturn:
        """A name that is used cannot have a list of its own."""
        self.known.merged[key] = why
        raise Again

    def _fitting(self, key: str, made: ListObject, value: Value | None) -> ListObject:
        """The list of a name, whose elements a list of its own can have."""
        owner = self._whole_list(key, value)
        both = joined(made.element, owner.element)
        alike = all(getattr(owner, each) == getattr(made, each) for each in ("rank", "numpy", "characters"))
        if not alike or both is None or (made.numpy and made.element != owner.element):
            self._apart(key, "which are of different types")
        if made.kind not in ("", owner.kind):
            self.known.mixed.add(made.site)
            raise Again
        columns = [[self._length(each, axis) for axis in range(1, made.rank)] for each in (made, owner)]
        if not all(map(self.same, *columns)):
            self._apart(key, "whose rows have different lengths")
        if both != made.element:
            self.known.types[f"elem:{made.site}"] = both
            raise Again
        return owner

    def move(self, lists: Sequence[tuple[str, ListObject]], key: str, *, again: bool = False) -> None:
        """Give names lists of their own, with the elements that their lists have here, all at once.

        `again`: they had others before, in the round of a loop that ends here.
        """
        if not lists:
            return
        sources = {made: self._fitting(f"{key}:{name}", made, self.env.get(name)) for name, made in lists}
        lengths = {made: self._length(owner, 0) for made, owner in sources.items()}
        put = [made for made, owner in sources.items() if f"#moved:{owner.site}" in self.env]
        self._copy_all({made: owner for made, owner in sources.items() if made is not owner})
        self.merged += sources.items()
        self.point.sharing = self.point.sharing.moved({made.site: owner.site for made, owner in sources.items()})
        for name, made in lists:
            self.env[name] = View(made)
            before = self.env.get(made.length)
            if before is None or not (
                self.same(as_expr(before), lengths[made]) or (again and made.numpy and self._keeps(made, before, lengths[made]))
            ):
                self.env[made.length] = lengths[made]
            self.env.pop(f"#moved:{made.site}", None)
        self.env.update({f"#moved:{made.site}": NoneValue() for made in put})

    def _keeps(self, made: ListObject, before: Value, length: Expr) -> bool:
        """Rely on a name's array being as long in each round of a loop, where it is as long as one parameter or another."""
        if not isinstance(before, Length) or not isinstance(length, Length):
            return False
        text = f"{made.name} is as long after each round of the loop as before"
        self.emit(Assume(equal(before, length), text, self.location, Ground.RESTRICTION))
        return True

    # Copies

    def _copy_all(self, waiting: dict[ListObject, ListObject]) -> None:
        """Copy lists into others, all at once: what is overwritten before it was copied is saved."""
        extents = {owner: [self._length(owner, axis) for axis in range(owner.rank)] for owner in waiting.values()}
        while waiting:
            target = next((each for each in waiting if each not in waiting.values()), None)
            if target is None:
                target = next(iter(waiting))
                saved = replace(target, var=Var(self.array_name(target.var.name), target.var.type))
                self.locals.append(saved)
                self._copy(saved, target, extents[target])
                extents[saved] = extents[target]
                waiting = {made: saved if owner is target else owner for made, owner in waiting.items()}
            source = waiting.pop(target)
            self._copy(target, source, extents[source])

    def _copy(self, target: ListObject, source: ListObject, extents: Sequence[Expr]) -> None:
        """target[k] = source[k] for all indices below the extents."""
        loops: list[tuple[str, Var, Point]] = []
        for extent in extents:
            index, label = self.variable("k", INT), self.label("copy")
            env, facts, sharing = self.env, self.point.facts, self.point.sharing
            self.finish(Jump(Edge(label, (ZERO,)), self.location))
            self.start(env, facts, sharing, "", (index,), label)
            self.at, outside = self.branch(Apply(Operator.LT, (index, extent)), "copy")
            loops.append((label, index, outside))
        indices = tuple(index for _, index, _ in loops)
        self.emit(Store(target.var, indices, convert(Select(source.var, indices), target.element), self.location))
        for label, index, outside in reversed(loops):
            self.finish(Jump(Edge(label, (Apply(Operator.ADD, (index, ONE)),)), self.location))
            self.at = outside


def as_expr(value: Value | None) -> Expr:
    """The length of a list where it can be named."""
    assert isinstance(value, Expr), "a list has a length where it can be named"
    return value
