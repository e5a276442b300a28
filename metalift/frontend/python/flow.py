"""What each name stands for where paths meet: SSA form made while a structured program is read.

Where paths meet, a name with different scalars becomes a block argument; a name with different lists gets a list of its own. A
loop's header has an argument for every name that its body sets; one that exchanges parameters' lists is read as a loop of as many
rounds as bring them back. Types of these arguments, and whether a name that is not always
bound is used at all, are found out by reading the function again (`Again`) until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from metalift.frontend.python.blocks import Point
from metalift.frontend.python.kinds import Meets, meet
from metalift.frontend.python.maybe import CODE, PRESENT, VALUE, columns, found_none, maybe, narrowed, part_of_name
from metalift.frontend.python.merging import Merging, as_expr
from metalift.frontend.python.numbers import convert, joined
from metalift.frontend.python.sharing import Sharing
from metalift.frontend.python.stands_for import (
    Again,
    Char,
    Clash,
    Env,
    Items,
    ListObject,
    Maybe,
    NoneValue,
    Partial,
    Value,
    View,
    nothing,
    plain,
)
from metalift.ir.arith.bounds import not_negative
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Const, Expr, Var, type_of
from metalift.ir.expr.types import INT, ScalarType, is_integer
from metalift.ir.program.fragment import Block, Diagnostic, Edge, Jump, Location, Undefined, Unsupported

MOST_TURNS = 4  # rounds of a loop that are read one after the other


@dataclass(slots=True)
class Header:
    """A loop's header: its label, and the names that are arguments of it, with the facts that its body has to keep.

    `lists` are the names that have a list of their own from there on, whatever lists they stand for in each round.
    `entry` is what names stand for before it, `start` in it.
    """

    label: str
    names: list[tuple[str, Var]]
    kept: list[tuple[str, Var, Expr]]
    lists: list[tuple[str, ListObject]]
    sharing: Sharing
    entry: Env
    location: Location
    start: Env = field(default_factory=dict)


@dataclass(slots=True)
class Flow(Merging):
    """Reads one function; see the module's text."""

    def join(self, points: Iterable[Point | None], stem: str, key: str) -> None:
        """Go on where several paths meet; nowhere if there are none."""
        live = [point for point in points if point is not None]
        if len(live) <= 1:
            self.at = live[0] if live else None
            return
        live = self._with_own_lists(live, key)
        label = self.label(stem)
        args: list[Var] = []
        passed: list[list[Expr]] = [[] for _ in live]
        env: Env = {}
        for name in dict.fromkeys(name for point in live for name in point.env):
            values = [point.env.get(name) for point in live]
            env[name] = self._merged(f"{key}:{name}", name, values, live, args, passed)
        for point, values_passed in zip(live, passed, strict=True):
            end = Jump(Edge(label, tuple(values_passed)), self.location)
            self.blocks.append(Block(point.label, point.args, tuple(point.body), end))
        common = [fact for fact in live[0].facts if all(fact in point.facts for point in live[1:])]
        sharing = reduce(or_, (point.sharing for point in live))
        self.start(env, tuple(common), sharing, stem, tuple(args), label)

    def _with_own_lists(self, points: list[Point], key: str) -> list[Point]:
        """The ends of the paths, where names have lists of their own that they need from here on."""
        lists = self.own_lists(points, key)
        ends = []
        for self.at in points:
            self.move(lists, key)
            ends.append(self.point)
        for _, made in lists:
            lengths = [self.polynomial(as_expr(point.env[made.length])) for point in ends]
            if all(length == lengths[0] for length in lengths):
                for point in ends:
                    point.env[made.length] = lengths[0].to_expr()
        return ends

    def _merged(
        self,
        key: str,
        name: str,
        values: Sequence[Value | None],
        points: Sequence[Point],
        args: list[Var],
        passed: list[list[Expr]],
    ) -> Value:
        values = [narrowed(value, point.facts) if value else value for value, point in zip(values, points, strict=True)]
        first = values[0]
        if first is not None and all(value == first for value in values):
            return first
        if all(isinstance(value, Char) for value in values):
            codes = [value.code for value in values if isinstance(value, Char)]
            code = self._merged(f"{key}.{CODE}", name, codes, points, args, passed)
            return Char(as_expr(code))
        if any(isinstance(value, Maybe | NoneValue) for value in values):
            return self._maybe(key, name, values, points, args, passed)
        if all(isinstance(value, Items) for value in values):
            tuples = [value.items for value in values if isinstance(value, Items)]
            if len({len(items) for items in tuples}) == 1:
                parts = [
                    self._merged(f"{key}.{at}", name, list(column), points, args, passed)
                    for at, column in enumerate(zip(*tuples, strict=True))
                ]
                return Items(tuple(parts))
            return self.clash(key, name, values)
        bound = [value for value in values if isinstance(value, Expr)]
        if any(value is not None and not isinstance(value, Expr | Partial) for value in values):
            return self.clash(key, name, values)
        if len(bound) < len(values) and key not in self.known.needed:
            return Partial(key, name)
        type_ = self._joined(bound) if bound else self.known.types.get(key, INT)
        var = self.variable(plain(name), type_)
        if self._meets(bound, type_):
            self.either.add(var)
        args.append(var)
        for value, point, list_ in zip(values, points, passed, strict=True):
            list_.append(convert(value, type_) if isinstance(value, Expr) else self._undefined(point, name, type_))
        return var

    def _maybe(
        self,
        key: str,
        name: str,
        values: Sequence[Value | None],
        points: Sequence[Point],
        args: list[Var],
        passed: list[list[Expr]],
    ) -> Value:
        """What a name stands for that is None on some path."""
        found = columns(values)
        if found is None:
            return self.clash(key, name, values)
        if None in values and key not in self.known.needed:
            return Partial(key, name)
        self.known.needed |= {f"{key}.{mark}" for mark in (PRESENT, VALUE)} if None in values else set()
        merged = zip((PRESENT, VALUE), found, strict=True)
        present, value = [self._merged(f"{key}.{mark}", name, each, points, args, passed) for mark, each in merged]
        return value if isinstance(value, Clash | Partial) else maybe(present, value)

    def _undefined(self, point: Point, name: str, type_: ScalarType) -> Var:
        var = self.variable(plain(name), type_)
        point.body.append(Undefined(var, plain(name), self.location))
        return var

    def _meets(self, values: Sequence[Expr], type_: ScalarType, key: str = "") -> bool:
        """Whether what these values become is Python's or NumPy's, as control came. Raises Unsupported where one may not fit."""
        try:
            return key in self.known.either_names or meet(values, type_, self.is_either)
        except Meets as problem:
            widened = [self.carried[each] for each in values if isinstance(each, Var) and each in self.carried]
            if not widened or widened[0] in self.known.types:
                raise Unsupported(Diagnostic(self.location, str(problem))) from None
            self.known.types[widened[0]] = type_
            raise Again from None

    def _joined(self, values: Sequence[Expr]) -> ScalarType:
        types = [type_of(value) for value in values]
        result = types[0]
        for type_ in types[1:]:
            both = joined(result, type_)
            if both is None:
                message = "a name whose value has one type on one path and another on the other; give them one type"
                raise Unsupported(Diagnostic(self.location, message))
            result = both
        assert isinstance(result, ScalarType)
        return result

    # Loops

    def open_loop(self, stem: str, names: Iterable[str], key: str) -> Header:
        """Go on in a loop's header, which has arguments for these names."""
        lists = self.own_lists([self.point], key)
        self.move(lists, key)
        point = self.point
        self.nesting += 1
        label = self.label(stem)
        sharing = point.sharing | self.known.sharing.get(key, Sharing())
        header = Header(label, [], [], lists, sharing, dict(point.env), self.location)
        env = dict(point.env)
        passed: list[Expr] = []
        more = [name for name in point.env if f"{key}:{name}" in self.known.carried]
        for name in dict.fromkeys(name for name in (*names, *more) if name not in dict(lists)):
            env[name] = self._carried(f"{key}:{name}", name, point, header, passed)
        for name in env.keys() - dict(header.names).keys() - dict(lists).keys():
            if f"{key}:{name}" in self.known.clashes and not isinstance(env[name], Items | Maybe | Char | Clash):
                env[name] = self.clash(f"{key}:{name}", name, [env[name]])
        header.start = env
        self.finish(Jump(Edge(label, tuple(passed)), self.location))
        self.start(env, point.facts, sharing, stem, tuple(var for _, var in header.names), label)
        for name, var, least in list(header.kept):
            if f"{key}:{name}" in self.known.unbounded:
                header.kept.remove((name, var, least))
            else:
                self.learn(Polynomial.of(var) - Polynomial.of(least))
        return header

    def _carried(self, key: str, name: str, point: Point, header: Header, passed: list[Expr]) -> Value:
        """What a name that the loop sets stands for in the header."""
        value = point.env.get(name)
        marks = self._marks(key, value)
        if marks:
            parts = []
            for mark in marks:
                part = f"{name}\0{mark}"
                point.env[part] = part_of_name(value, mark) or NoneValue()
                parts.append(self._carried(f"{key}.{mark}", part, point, header, passed))
            return _of_parts(marks, parts)
        if isinstance(value, NoneValue) and f".{VALUE}" in key and key in self.known.types:  # of what is not there
            value = nothing(Const(0, self.known.types[key]))
        if isinstance(value, Expr):
            found = type_of(value)
            assert isinstance(found, ScalarType)
            type_ = self.known.types.get(key, found)
            given = convert(value, type_)
        elif value is None or isinstance(value, Partial):
            if key in self.known.clashes:
                return self.clash(key, name, [value])
            if key not in self.known.needed:
                return Partial(key, name)
            type_ = self.known.types.get(key, INT)
            given = self._undefined(point, name, type_)
        else:
            return self.clash(key, name, [value]) if key in self.known.clashes else value
        var = self.variable(plain(name), type_)
        self._note_kind(key, name, var, value)
        header.names.append((name, var))
        passed.append(given)
        if isinstance(value, Expr):
            self._note_least(header, name, var, value)
        return var

    def _note_kind(self, key: str, name: str, var: Var, value: Value | None) -> None:
        """Whether a number is Python's or NumPy's, as control came; and that its type may become another one."""
        assert isinstance(var.type, ScalarType)
        if self._meets([value] if isinstance(value, Expr) else [], var.type, key):
            self.either.add(var)
        if name.isidentifier():  # no counter of a loop, which has to be an int
            self.carried[var] = key

    def _note_least(self, header: Header, name: str, var: Var, value: Expr) -> None:
        """That an int is not less than it was when the loop began, or than 0, which is looked at when it comes back."""
        if var.type == INT and is_integer(type_of(value)):
            least = value if isinstance(value, Const) else Const(0, INT)
            if not_negative(self.polynomial(value) - self.polynomial(least), self.point.facts):
                header.kept.append((name, var, least))

    def _marks(self, key: str, value: Value | None) -> list[str]:
        """The parts of a name that have arguments of their own."""
        either = isinstance(value, Expr | Items | NoneValue) and key in self.known.maybe - self.known.clashes
        if either or isinstance(value, Maybe):
            return [PRESENT, VALUE]
        if isinstance(value, Char):
            return [CODE]
        width = len(value.items) if isinstance(value, Items) else self.known.widths.get(key, 0) if value == NoneValue() else 0
        return [str(at) for at in range(width)]

    def next_round(self, header: Header, key: str) -> None:
        """Where a round of a loop is over: what its lists are in the next one."""
        if self.at is not None:
            self.move(header.lists, key, again=True)

    def close_loop(self, header: Header, points: Iterable[Point | None], key: str) -> None:
        """Lead the ends of a loop's body back to its header; what does not fit there is found out for the next pass."""
        self.nesting -= 1
        again = False
        for point in points:
            if point is None:
                continue
            if any([found_none(self.known, f"{key}:{name}", entry, point.env.get(name)) for name, entry in header.entry.items()]):
                raise Again
            passed = []
            for name, var in header.names:
                value = _lookup(point.env, name)
                value = nothing(var) if isinstance(value, NoneValue) else value
                again |= self._fits(f"{key}:{_dotted(name)}", name, header, value, var)
                given = value if isinstance(value, Expr) else var
                if not again:
                    passed.append(convert(given, _scalar_of(var)))
            again |= self._exchanges(header, point, key) or self._same_lists(header, point, key)
            if not point.sharing <= header.sharing:
                self.known.sharing[key] = header.sharing | point.sharing
                again = True
            for name, var, least in header.kept:
                value = _lookup(point.env, name)
                value = nothing(var) if isinstance(value, NoneValue) else value
                if not isinstance(value, Expr) or (not again and not self._stays(value, least, point)):
                    self.known.unbounded.add(f"{key}:{name}")
                    again = True
            self.blocks.append(
                Block(point.label, point.args, tuple(point.body), Jump(Edge(header.label, tuple(passed)), header.location))
            )
        if again:
            raise Again

    def _stays(self, value: Expr, least: Expr, point: Point) -> bool:
        return not_negative(self.polynomial(value) - self.polynomial(least), point.facts)

    def _fits(self, key: str, name: str, header: Header, value: Value | None, var: Var) -> bool:
        """Whether another pass is needed, because the value that comes back has another type."""
        if isinstance(value, Partial):
            self.known.needed.add(value.key)
            return True
        entered = isinstance(_lookup(header.entry, name), Expr)
        if not isinstance(value, Expr) and not entered:
            self.known.clashes.add(key.partition(f".{VALUE}")[0])
            return True
        if not isinstance(value, Expr):
            message = f"'{plain(name)}' is a number when this loop begins and something else when it comes back; use two names"
            raise Unsupported(Diagnostic(header.location, message))
        type_ = self._joined([var, value]) if entered or key in self.known.types else _scalar_of(value)
        if type_ == var.type and (var in self.either or not self._meets([value], type_)):
            return False
        if type_ == var.type:
            self.known.either_names.add(key)
        self.known.types[key] = type_
        return True

    def turns(self, key: str) -> int:
        """How many rounds of a loop are read one after the other, until names stand for the lists that they began with."""
        return self.known.turns.get(key, 1)

    def _exchanges(self, header: Header, point: Point, key: str) -> bool:
        """Whether a loop is found to exchange parameters' lists: it is read again, by so many rounds as bring them back."""
        views = {name: value for name, value in header.start.items() if isinstance(value, View) and not value.prefix}
        names = {view: name for name, view in views.items()}
        place = {name: names[now] for name in views if isinstance(now := point.env.get(name), View) and now in names}
        first = place
        moved = [views[name].object for name, other in place.items() if views[name] != views[other]]
        if key in self.known.turns or all(owner.local for owner in moved):
            return False
        turns = 1
        while any(views[name] != views[other] for name, other in place.items()):
            place = {name: first[other] for name, other in place.items() if other in first}
            turns += 1
            if turns > MOST_TURNS:
                return False
        self.known.turns[key] = turns
        return True

    def _same_lists(self, header: Header, point: Point, key: str) -> bool:
        """Lists have to be what they were; a name that stands for another one afterwards has no meaning before it is set."""
        again = False
        for name in point.env.keys() - header.entry.keys():
            lengths = f"{name.removeprefix('#moved:')}:#len"
            if name.startswith("#moved:") and any(other.startswith(lengths) for other in header.entry):
                message = "one list that every round of a loop puts into another; make a new one in each"
                raise Unsupported(Diagnostic(header.location, message))
        for name, value in header.entry.items():
            now = point.env.get(name)
            if isinstance(value, Expr | Maybe | Char) and now != value and dict(header.names).keys().isdisjoint(_called(name)):
                self.known.carried.add(f"{key}:{name}")
                again = True
            for part, each in _parts(name, header.start[name]):
                place = f"{key}:{_dotted(part)}"
                if part in dict(header.names) or isinstance(each, Expr | Partial | Clash) or place in self.known.clashes:
                    continue
                if _lookup(point.env, part) != each:
                    self.known.clashes.add(place)
                    self.known.carried |= {f"{key}:{name}"} if part != name else set()
                    again = True
        return again


def _of_parts(marks: Sequence[str], parts: Sequence[Value]) -> Value:
    """What is made of these parts."""
    if marks == [CODE]:
        return Char(as_expr(parts[0]))
    return Maybe(as_expr(parts[0]), parts[1]) if PRESENT in marks else Items(tuple(parts))


def _dotted(name: str) -> str:
    return name.replace("\0", ".")


def _called(name: str) -> tuple[str, ...]:
    """A name, and the first of the parts that it has arguments for."""
    return (name, f"{name}\0{PRESENT}", f"{name}\0{CODE}")


def _parts(name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """What a name stands for, or the items of it where it is a tuple, with their names."""
    if isinstance(value, Items | Maybe | Char):
        marks = (PRESENT, VALUE) if isinstance(value, Maybe) else (CODE,) if isinstance(value, Char) else None
        for mark in marks or map(str, range(len(value.items) if isinstance(value, Items) else 0)):
            yield from _parts(f"{name}\0{mark}", part_of_name(value, mark) or NoneValue())
        return
    yield name, value


def _lookup(env: Env, name: str) -> Value | None:
    """The value of a name or of a part of one."""
    base, *parts = name.split("\0")
    value = env.get(base)
    for part in parts:
        value = part_of_name(value, part)
    return value


def _scalar_of(value: Expr) -> ScalarType:
    type_ = type_of(value)
    assert isinstance(type_, ScalarType)
    return type_
