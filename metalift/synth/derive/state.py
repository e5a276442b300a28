"""Contents of arrays during symbolic execution: a version and the writes since, each in terms of the region's entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import conj
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Expr, Operator, Select, Update, Var, integer
from metalift.ir.expr.walk import alpha_equal, free_names, fresh_var, substitute
from metalift.synth.derive.bounds import Ranges, Solution, implied, not_negative, sign, solve, stride_order
from metalift.synth.derive.normal_terms import Cell, Place, both, cell_at, compare, index, ite, negate, place_of


class Unresolved(Exception):
    """It is not known which of the writes a read of an array sees."""


@dataclass(frozen=True, slots=True)
class Write:
    """`value` goes to the cell `at` for all binders in range where `guard` holds: an Update without its base."""

    binders: tuple[Var, ...]
    extents: tuple[Expr, ...]
    at: Cell
    value: Expr
    guard: Expr = TRUE

    def update(self, base: Expr) -> Update:
        """The array after the write."""
        return Update(base, self.binders, self.extents, self.at, self.value, self.guard)

    def inner(self, values: Mapping[Var, Expr]) -> Write:
        """With variables replaced everywhere, its own binders included: those become the variables they are mapped to."""
        binders = tuple(v for b in self.binders if isinstance(v := values.get(b, b), Var))
        return Write(
            binders,
            tuple(substitute(extent, values) for extent in self.extents),
            tuple(substitute(each, values) for each in self.at),
            substitute(self.value, values),
            substitute(self.guard, values),
        )

    def apart(self, taken: frozenset[str]) -> Write:
        """With binders whose names are not taken."""
        names = set(taken)
        values: dict[Var, Expr] = {}
        for binder in self.binders:
            values[binder] = new = fresh_var(binder, names)
            names.add(new.name)
        return self.inner(values) if any(b != v for b, v in values.items()) else self

    def where(self, cond: Expr) -> Write:
        """Only where the condition holds as well."""
        return replace(self, guard=implied(both(cond, self.guard), self.ranges))

    @property
    def ranges(self) -> dict[Var, Expr]:
        """The extent of each binder."""
        return dict(zip(self.binders, self.extents, strict=True))


@dataclass(frozen=True, slots=True)
class Contents:
    """A version of an array and the writes since, the latest last; all in terms of the state at the region's entry."""

    version: Var
    writes: tuple[Write, ...] = ()

    def read(self, cell: Cell, ranges: Ranges) -> Expr:
        """The element at `cell`, indices that may speak of the binders in `ranges`."""
        wanted = place_of(cell)
        missed: list[tuple[Expr, Expr]] = []
        rest: Expr | None = None
        for write in reversed(self.writes):
            cond, value = hit(write, wanted, ranges)
            if cond == TRUE:
                rest = value
                break
            if cond != FALSE:
                missed.append((cond, value))
        if rest is None and is_lost(self.version):
            raise Unresolved("what an earlier loop left in an array is not known")
        result = Select(self.version, cell_at(wanted)) if rest is None else rest
        for cond, value in reversed(missed):
            result = ite(cond, value, result)
        return result

    def after(self, write: Write) -> Contents:
        """After one more write; earlier ones that it overwrites are dropped, one of the same cells is merged with it."""
        write = write.where(TRUE)
        if write.guard == FALSE:
            return self
        kept = list(self.writes)
        for place in range(len(kept) - 1, -1, -1):
            cover = _matching(write, kept[place])
            if cover is None:
                continue
            if write.guard == TRUE:
                del kept[place]
            elif place == len(kept) - 1:
                write = _merged(kept.pop(), write, cover)
        return Contents(self.version, (*kept, write))


LOST = " after a loop"


def lost(array: Var) -> Contents:
    """Contents of which nothing is known."""
    return Contents(Var(array.name + LOST, array.type))


def is_lost(version: Var) -> bool:
    """Whether nothing is known of a version."""
    return version.name.endswith(LOST)


def _matching(later: Write, earlier: Write) -> dict[Var, Expr] | None:
    """How to rename the binders of `earlier` so that both run over the same cells in the same way."""
    if len(later.binders) != len(earlier.binders):
        return None
    renaming: dict[Var, Expr] = dict(zip(earlier.binders, later.binders, strict=True))
    pairs = [*zip(earlier.extents, later.extents, strict=True), *zip(earlier.at, later.at, strict=True)]
    return renaming if all(substitute(old, renaming) == new for old, new in pairs) else None


def _merged(earlier: Write, later: Write, renaming: Mapping[Var, Expr]) -> Write:
    """One write for two of the same cells."""
    first = earlier.inner(renaming)
    if first.value == later.value:
        return replace(later, guard=negate(both(negate(first.guard), negate(later.guard))))
    value = ite(later.guard, later.value, first.value)
    return replace(later, value=value, guard=negate(both(negate(first.guard), negate(later.guard))))


def hit(write: Write, wanted: Place, ranges: Ranges) -> tuple[Expr, Expr]:
    """When the write is to the cell `wanted`, and the value it then has there."""
    if not write.binders:
        return _guarded(same_place(place_of(write.at), wanted, ranges), write, {})
    write = write.apart(frozenset(names_in(wanted)) | {binder.name for binder in ranges})
    solution = solve(place_of(write.at), write.binders, wanted, ranges)
    if solution is None:
        if never(place_of(write.at), wanted):
            return FALSE, write.value
        raise Unresolved("it is not clear which element is read")
    values: dict[Var, Expr] = {binder: found.to_expr() for binder, found in solution.values.items()}
    cond = rest_holds(solution, ranges)
    lower = {binder for at in place_of(write.at) for binder in _lower_digits(at, write.binders)}
    for binder, extent in write.ranges.items():
        within = inside(solution.values[binder], index(substitute(extent, values)), ranges)
        if binder in lower and within != TRUE:
            raise Unresolved("it is not clear which element is read")  # other values may give the same cell
        cond = both(cond, within)
    return _guarded(cond, write, values)


def _lower_digits(at: Polynomial, binders: Iterable[Var]) -> list[Var]:
    """The binders of an index whose values say which it is only together with a binder of a larger stride: i of j * w + i."""
    own = tuple(binder for binder in binders if binder in at.free_vars)
    parts = at.affine_in(own)
    return [] if parts is None else stride_order(own, parts[0])[1:]


def names_in(cell: Place) -> set[str]:
    """The names in the indices of a cell."""
    return {name for each in cell for name in free_names(each.to_expr())}


def _guarded(cond: Expr, write: Write, values: Mapping[Var, Expr]) -> tuple[Expr, Expr]:
    if cond == FALSE:
        return FALSE, write.value
    return both(cond, substitute(write.guard, values)), substitute(write.value, values)


def inside(value: Polynomial, extent: Polynomial, ranges: Ranges) -> Expr:
    """The condition 0 <= value < extent, decided where that is possible."""
    low = _at_least(value, ranges)
    return both(low, _at_least(extent - value - 1, ranges))


def _at_least(value: Polynomial, ranges: Ranges) -> Expr:
    """The condition value >= 0."""
    if not_negative(value, ranges):
        return TRUE
    if not_negative(-value - 1, ranges):
        return FALSE
    return compare(Operator.LE, integer(0), value.to_expr())


def same_place(one: Place, two: Place, ranges: Ranges) -> Expr:
    """When both are the same cell, decided where that is possible."""
    return both(*(_equal(a, b, ranges) for a, b in zip(one, two, strict=True)))


def rest_holds(solution: Solution, ranges: Ranges) -> Expr:
    """The conditions that a solution leaves open, decided where that is possible."""
    return both(*(_equal(at, wanted, ranges) for at, wanted in solution.rest))


def _equal(one: Polynomial, two: Polynomial, ranges: Ranges) -> Expr:
    direction = sign(one - two, ranges)
    if direction is not None:
        return TRUE if direction == 0 else FALSE
    if _never(one, two):
        return FALSE
    return Apply(Operator.EQ, (two.to_expr(), one.to_expr()))


def never(cells: Place, wanted: Place) -> bool:
    """Whether they always differ, whatever the variables are: 2*i and 2*j + 1."""
    return any(_never(at, target) for at, target in zip(cells, wanted, strict=True))


def _never(cells: Polynomial, wanted: Polynomial) -> bool:
    gap = wanted - cells
    variable = Polynomial(tuple((m, f) for m, f in gap.terms if m))
    return gap.constant_term % variable.content != 0 if variable.terms else gap.constant_term != 0


def merge(cond: Expr, then: Contents, other: Contents) -> Contents:
    """The contents after a branch: writes of one side only are guarded, writes of the same cell on both sides become one."""
    if then == other or is_lost(then.version):
        return then
    if is_lost(other.version):
        return other
    common = 0
    for one, two in zip(then.writes, other.writes, strict=False):
        if one != two:
            break
        common += 1
    result = Contents(then.version, then.writes[:common])
    mine, theirs = list(then.writes[common:]), list(other.writes[common:])
    while mine:
        write = mine.pop(0)
        twin = next((w for w in theirs if _twins(write, w)), None)
        if twin is None:
            result = result.after(write.where(cond))
            continue
        theirs.remove(twin)
        result = result.after(_choice(cond, write, twin))
    for write in theirs:
        result = result.after(write.where(negate(cond)))
    return result


def _twins(one: Write, two: Write) -> bool:
    return _matching(one, two) is not None


def _choice(cond: Expr, one: Write, two: Write) -> Write:
    renaming = _matching(one, two)
    assert renaming is not None
    two = two.inner(renaming)
    value = ite(cond, one.value, two.value)
    guard = ite(cond, one.guard, two.guard) if one.guard != two.guard else one.guard
    if alpha_equal(one.value, two.value):
        value = one.value
    return replace(one, value=value, guard=conj(guard))
