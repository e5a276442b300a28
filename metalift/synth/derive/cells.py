"""The cells that writes touch: their order, distinctness, and how far a function reaches into each array."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations

from metalift.ir.arith.intervals import interval
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import TRUE, Apply, Expr, Length, Operator, Select, Var, integer, is_number, type_of
from metalift.ir.expr.types import INT, MachineInt, TensorType, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.program.fragment import Fragment, ParamKind
from metalift.synth.derive.bounds import (
    Ranges,
    certain,
    follows,
    greatest,
    implied,
    least,
    not_negative,
    sized,
    stride_order,
    unclamped,
    with_rest,
)
from metalift.synth.derive.compaction import most
from metalift.synth.derive.division import arithmetic
from metalift.synth.derive.effects import Access
from metalift.synth.derive.normal_terms import Cell, exact, index, parts_of, place_of
from metalift.synth.derive.promises import room
from metalift.synth.derive.recurrences import plain
from metalift.synth.derive.scatter import is_data, limit
from metalift.synth.derive.state import Write
from metalift.synth.derive.symbolic import evaluate

LONG = 4096  # elements of a table


def ascending(write: Write) -> Write:
    """The same write with a binder that runs backwards through the cells turned round."""
    for binder, extent in write.ranges.items():
        axes = [axis for axis, at in enumerate(place_of(write.at)) if binder in at.free_vars]
        if len(axes) != 1 or any(binder in free_vars(e) for e in write.extents):
            continue
        old = index(write.at[axes[0]])
        parts = old.affine_in((binder,))
        if parts is None or parts[0][binder].constant_value != -1:
            continue
        turned: dict[Var, Expr] = {binder: (index(extent) - 1 - index(binder)).to_expr()}
        at = tuple(evaluate(each, turned, plain) for each in write.at)
        if len(index(at[axes[0]]).terms) >= len(old.terms):
            continue
        value, guard = (evaluate(part, turned, plain) for part in (write.value, write.guard))
        write = Write(write.binders, write.extents, at, value, guard)
    return write


def requirements(
    writes: Iterable[Write],
    needs: Iterable[Expr],
    accesses: Iterable[Access],
    scalars: frozenset[Var],
    named: Mapping[Var, Expr],
    executed: bool,
) -> tuple[Expr, ...]:
    """What makes the cells of each write distinct, what the trip counts need, and that indices do not wrap around nor lie before
    the start of an array, which runs show where that is `executed`. `named` are what intermediates are.
    """
    accesses = list(accesses)
    conditions = [*needs, *(condition for write in writes for condition in _distinct(write))]
    conditions += [] if executed else [condition for access in accesses for condition in _from_start(access, named)]
    conditions += [condition for access in accesses for condition in _fitting(access)]
    wanted = (condition for condition in dict.fromkeys(conditions) if not _holds_by_type(condition))
    return tuple(condition for condition in wanted if free_vars(condition) <= scalars and not _reads(condition))


def _holds_by_type(condition: Expr) -> bool:
    """Whether the types of what it compares say enough."""
    match condition:
        case Apply(Operator.LE, (left, right)) if is_integer(type_of(left)):
            low = interval((index(right) - index(left)).to_expr()).low
            return low is not None and low >= 0
        case _:
            return condition == TRUE


def _reads(expr: Expr) -> bool:
    """Whether the expression depends on what arrays hold."""
    return any(isinstance(part, Select) for part in subexpressions(expr))


def _fitting(access: Access) -> list[Expr]:
    """Conditions under which the integers of an access to a machine type are in its range, for all binders."""
    type_ = access.array
    if not isinstance(type_, MachineInt):
        return []
    value, ranges = sized(index(access.at[0])), access.ranges
    low = None if follows(value - type_.low, access.guard) else least(value, ranges)
    high = None if follows(-value + type_.high, access.guard) else greatest(value, ranges)
    conditions: list[Expr] = []
    if low is not None and not low.is_constant and not _at_most(Polynomial.constant(type_.low), low):
        conditions.append(Apply(Operator.LE, (integer(type_.low), low.to_expr())))
    if high is not None and not _at_most(high, Polynomial.constant(type_.high)):
        conditions.append(Apply(Operator.LE, (high.to_expr(), integer(type_.high))))
    return conditions


def _from_start(access: Access, named: Mapping[Var, Expr]) -> list[Expr]:
    """That the one element that is always accessed does not lie before the start."""
    if not _is_certain(access) or not isinstance(access.array, Var):
        return []
    places = (index(_unnamed(at, named)) for at in access.at)
    return [Apply(Operator.LE, (integer(0), at.to_expr())) for at in places if not certain(at)]


def _is_certain(access: Access) -> bool:
    """Whether it is one element, which is accessed whatever holds."""
    return access.guard == TRUE and not access.ranges


def _unnamed(term: Expr, named: Mapping[Var, Expr]) -> Expr:
    """The term with what intermediates are."""
    while not free_vars(term).isdisjoint(named):
        term = substitute(term, named)
    return term


def _at_most(left: Polynomial, right: Polynomial) -> bool:
    """Whether left <= right for all values of the variables, by the types of these."""
    if certain(right - left):
        return True
    for var in left.atoms | right.atoms:
        if isinstance(type_ := type_of(var), MachineInt):
            top, bottom = Polynomial.constant(type_.high), Polynomial.constant(type_.low)
            if certain(Polynomial.atom(var) - left) and certain(right - top):
                return True
            if certain(right - Polynomial.atom(var)) and certain(bottom - left):
                return True
    return False


def _distinct(write: Write) -> list[Expr]:
    """Conditions that make the cells of different binders different, axis by axis; a binder counts on the first axis that
    tells it, those with the fewest binders coming first.
    """
    conditions: list[Expr] = []
    told: set[Var] = set()
    axes = [sized(at) for at in place_of(write.at)]
    while axes:
        axes.sort(key=lambda at: len(at.free_vars & (set(write.binders) - told)))
        at = axes.pop(0)
        mine = tuple(b for b in write.binders if b not in told and (len(write.at) == 1 or b in at.free_vars))
        conditions += _distinct_along(at, mine, write.ranges)
        told.update(mine)
    return conditions


def _distinct_along(at: Polynomial, binders: tuple[Var, ...], ranges: Ranges) -> list[Expr]:
    """Conditions on the strides of one axis: each is at least as large as what the smaller ones span."""
    parts = at.affine_in(binders)
    if parts is None:
        return []
    slopes = parts[0]
    span = Polynomial()
    conditions: list[Expr] = []
    for step, binder in enumerate(reversed(stride_order(binders, slopes))):
        falling = not_negative(-slopes[binder], {})
        size = -slopes[binder] if falling else slopes[binder]
        if step == 0 and not size.is_constant and not certain(size - 1):
            conditions.append(Apply(Operator.LE, (integer(1), size.to_expr())))
        elif step > 0 and not certain(size - span - 1):
            conditions.append(Apply(Operator.LE, ((span + 1).to_expr(), size.to_expr())))
        reach = greatest((index(ranges[binder]) - 1) * size, ranges)
        if reach is None:
            return conditions
        span = span + reach
    return conditions


def extents(fragment: Fragment, accesses: list[Access], named: Mapping[Var, Expr]) -> tuple[tuple[str, Cell], ...]:
    """For each array the number of elements along each axis that the function may touch, as terms in scalar parameters and
    vectors' lengths; a number where all that is known of an index is its range. `named` are what intermediates are.
    """
    found: list[tuple[str, Cell]] = []
    scalars = frozenset(p.var for p in fragment.params)
    for param in fragment.params:
        if not isinstance(param.var.type, TensorType):
            continue
        mine = [access for access in accesses if access.array == param.var]
        sizes = [_extent(axis, mine, scalars, named) for axis in range(param.var.type.rank)]
        if param.kind is not ParamKind.POINTER and any(size is not None for size in sizes):
            sizes = [Length(param.var, axis) if size is None else size for axis, size in enumerate(sizes)]
        known = tuple(size for size in sizes if size is not None)
        if len(known) == len(sizes):
            found.append((param.var.name, known))
    return tuple(found)


def _extent(axis: int, accesses: list[Access], scalars: frozenset[Var], named: Mapping[Var, Expr]) -> Expr | None:
    """The number of elements along one axis."""
    reaches = [(access, _guarded_reach(access, axis, scalars) or _limited(access, axis, scalars, named)) for access in accesses]
    sizes = [(size, access.guard) for access, size in reaches if size is not None]
    return _largest(sizes).to_expr() if sizes and len(sizes) == len(accesses) else None


def _reach(access: Access, axis: int, scalars: frozenset[Var]) -> Polynomial | None:
    """One more than the largest index."""
    if is_data(access.at[axis]) and (number := limit(access.at[axis])) is not None:
        return Polynomial.constant(number)
    at = index(access.at[axis])
    hidden = {clamp: Var(f"?{place}", INT) for place, clamp in enumerate(_kept_clamps(at, access.ranges))}
    last = greatest(most(sized(at.substitute({clamp: Polynomial.atom(var) for clamp, var in hidden.items()}))), access.ranges)
    if last is None:
        return None
    last = last.substitute({var: Polynomial.atom(clamp) for clamp, var in hidden.items()})
    if not _is_size(last, scalars):
        return None
    return with_rest(unclamped(last, lambda high: not _is_empty_below(high, access.ranges)) + 1)


def _kept_clamps(at: Polynomial, ranges: Ranges) -> list[Expr]:
    """What is max(0, n) in an index, and not n, for something is accessed also where n is negative."""
    clamps = (atom for atom in at.atoms if isinstance(atom, Apply) and atom.op is Operator.MAX and is_number(atom.args[0], 0))
    return [clamp for clamp in clamps if not _is_empty_below(clamp.args[1], ranges)]


def _is_empty_below(high: Expr, ranges: Ranges) -> bool:
    """Whether nothing is accessed where a number is negative: where it, or max(0, it), counts the steps of a loop, and is not
    added to something.
    """
    clamp = Apply(Operator.MAX, (integer(0), high))
    for size in map(index, ranges.values()):
        if certain(index(high) - size) or (clamp in size.atoms and certain(-size.substitute({clamp: Polynomial()}))):
            return True
    return False


def _limited(access: Access, axis: int, scalars: frozenset[Var], named: Mapping[Var, Expr]) -> Polynomial | None:
    """One more than the largest index that there can be, where what intermediates are puts a bound on it; than the index, where
    inputs with so many elements would be too long.
    """
    at = _unnamed(access.at[axis], named)
    number = limit(Apply(Operator.MAX, (at, integer(0))) if _is_certain(access) else at)  # its start is required
    if number is not None and number > LONG:
        plainly = replace(access, at=(*access.at[:axis], at, *access.at[axis + 1 :]))
        return _guarded_reach(plainly, axis, scalars) or Polynomial.constant(number)
    return None if number is None else Polynomial.constant(number)


def _guarded_reach(access: Access, axis: int, scalars: frozenset[Var]) -> Polynomial | None:
    """The same, where the condition may bound the index: by one of its parts, if that says less than the ranges do."""
    plainly = _reach(access, axis, scalars)
    together = _kept_below(access, axis)
    if together is not None and _is_size(together, scalars):
        simpler = plainly is None or _is_tested(access, axis, together) or len(together.terms) < len(plainly.terms) - 1
        less = 2 if plainly is None or len((together + 1).terms) >= len(plainly.terms) else 1  # by how much, at least
        if simpler or (plainly is not None and not_negative(plainly - together - less, access.ranges)):
            plainly = together + 1
    for part in parts_of(access.guard):
        if plainly is not None and isinstance(access.array, Var) and _fits(plainly, part, Length(access.array, axis)):
            return index(Length(access.array, axis))
        least_room = _room(part, access.ranges)
        bound = None if least_room is None else greatest(unclamped(index(access.at[axis]) + least_room), access.ranges)
        if bound is not None and _is_size(bound, scalars):
            if isinstance(access.array, Var) and bound + 1 == index(Length(access.array, axis)):  # which says nothing new
                return bound + 1
            least_of_both = None if plainly is None else arithmetic(Operator.MIN, (bound + 1, plainly))
            plainer = plainly is not None and not access.ranges and len((bound + 1).terms) < len(plainly.terms)
            if plainly is None or plainer or not_negative(plainly - bound - 2, {}) or least_of_both == bound + 1:
                plainly = bound + 1
    return plainly


def _is_tested(access: Access, axis: int, bound: Polynomial) -> bool:
    """Whether it is one element, of which a condition keeps the index below a size, as in `k < n ? a[k] : 0`."""
    return not access.ranges and not index(access.at[axis]).free_vars <= bound.free_vars


def _kept_below(access: Access, axis: int) -> Polynomial | None:
    """What an index is at most where conditions bound its counters, or the numbers it is made of, as in i * w + j where i < h and
    j < w.
    """
    bound = index(access.at[axis])
    parts = parts_of(implied(access.guard, access.ranges))
    gaps = [gap for part in parts if (gap := _room(part, access.ranges)) is not None]
    known = [one + two for one, two in combinations(gaps, 2)]  # as in 0 <= j and j < w, so that w is not negative
    for gap in gaps:
        for binder in access.binders or [atom for atom in sorted(bound.atoms, key=str) if isinstance(atom, Var)]:
            slopes, rests = bound.affine_in((binder,)), gap.affine_in((binder,))
            if slopes is None or rests is None or rests[0][binder].constant_value != -1:
                continue
            slope = slopes[0][binder]
            if slope.terms and (not_negative(slope, access.ranges) or any(certain(slope - least) for least in known)):
                bound = bound + slope * gap
                break
    return greatest(bound, access.ranges)


def _fits(reach: Polynomial, cond: Expr, length: Expr) -> bool:
    """Whether a comparison of sizes says that an array has as many elements."""
    match cond:
        case Apply(Operator.EQ, (left, right)) if is_integer(type_of(left)):
            return {index(left), index(right)} == {reach, index(length)}
        case Apply(Operator.LE, (left, right)) | Apply(Operator.NOT, (Apply(Operator.LT, (right, left)),)):
            return is_integer(type_of(left)) and (index(left), index(right)) == (reach, index(length))
        case _:
            return False


def _room(cond: Expr, ranges: Ranges) -> Polynomial | None:
    """What is at least 0 where the condition holds, for indices in their ranges."""
    match cond:
        case Apply(Operator.NOT, (Apply(Operator.EQ, (left, right)),)) if is_integer(type_of(left)):
            gap = index(right) - index(left)
            return next((each - 1 for each in (gap, -gap) if not_negative(each, ranges)), None)
        case _:
            return room(cond)


def _is_size(value: Polynomial, scalars: frozenset[Var]) -> bool:
    """Whether it is made of parameters and lengths alone, not of what arrays hold."""
    return value.free_vars <= scalars and not any(_reads(atom) for atom in value.atoms)


def _largest(sizes: list[tuple[Polynomial, Expr]]) -> Polynomial:
    """The largest of the sizes, each of which counts under its condition."""
    kept: list[tuple[Polynomial, Expr]] = []
    for size, guard in sizes:
        if any(not_negative(other - size, {}) or follows(other - size, guard) for other, _ in kept):
            continue
        kept = [(o, g) for o, g in kept if not not_negative(size - o, {}) and not follows(size - o, g)]
        kept.append((size, guard))
    result = kept[0][0].to_expr()
    for size, _ in kept[1:]:
        result = exact(Apply(Operator.MAX, (result, size.to_expr())))
    return index(result)
