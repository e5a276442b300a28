"""Conditions on sizes that a program needs: extents and starts of its views are not negative, views end inside their arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from metalift.ir.arith.bounds import Rooms, follows, learned
from metalift.ir.arith.intervals import interval
from metalift.ir.arith.polynomial import Polynomial, least_of
from metalift.ir.expr.build import at_most, conj, implies
from metalift.ir.expr.nodes import TRUE, Apply, Build, Const, Expr, Length, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import MachineInt, TensorType, is_integer
from metalift.ir.expr.walk import extents_of, free_vars, subexpressions
from metalift.ir.program.summary import Let, Summary, Write, sides
from metalift.synth.cover.choices import left_to_require
from metalift.synth.cover.inside_windows import never_negative
from metalift.synth.cover.windows import reach


def sizes_among(summary: Summary) -> frozenset[Var]:
    """The scalar intermediates by which the summary says how many elements there are of something."""
    named = {binding.var for binding in summary.bindings if is_integer(binding.var.type)}
    terms = [binding.value for binding in summary.bindings] + [value for _, value in summary.outputs]
    extents = (extent for term in terms for part in subexpressions(term) for extent in extents_of(part))
    return frozenset(var for extent in extents for var in free_vars(extent) & named)


def size_conditions(
    lets: tuple[Let, ...],
    writes: Sequence[Write],
    result: Expr | None,
    needed: Iterable[Expr],
    known: Iterable[Expr],
    step: bool = False,
) -> tuple[Expr, ...]:
    """What a program needs of sizes, without what is known: `needed`, and that starts of views are not negative, nor extents.

    Extents from which a number is taken off may be, unless there are elements that are always read. `step`: variables are no
    sizes, but anything that a loop counts.
    """
    given = set(known)
    needs_elements = _reads_always(lets, writes, result)
    found = dict.fromkeys(each for each in needed if each not in given)
    for view, here in _builds(lets, writes, result):
        for size in (size for extent in view.extents for size in _least(Polynomial.of(extent))):
            if not never_negative(size) or any(isinstance(atom, Var) for atom in size.atoms):
                for cond in _sizes(size if needs_elements else _nearly(size)):
                    if cond not in given and not here.shows(cond):
                        found.setdefault(here.needs(cond))
    for cond in _starts(lets, writes, result, step):
        if cond not in given:
            found.setdefault(cond)
    kept = [each for each in found if each != TRUE and not _is_obvious(each)]
    for each in tuple(kept):
        others = tuple(room for other in (*given, *kept) if other != each for room in learned(other))
        if follows(each, others):
            kept.remove(each)
    return tuple(kept)


def _is_obvious(cond: Expr) -> bool:
    """Whether it is that a length is not negative."""
    match cond:
        case Apply(Operator.LE, (left, right)) if is_integer(type_of(left)):
            difference = Polynomial.of(right) - Polynomial.of(left)
            if left == integer(0) and interval(right).nonnegative:  # the lesser of two lengths
                return all(isinstance(var.type, TensorType) for var in free_vars(right))
            return never_negative(difference) and all(isinstance(atom, Length) for atom in difference.atoms)
        case _:
            return False


def _sizes(size: Polynomial) -> Iterator[Expr]:
    """That the size is not negative; for a sum or product of variables with positive coefficients, that each is not."""
    if never_negative(size):
        for atom in sorted(size.atoms, key=str):
            if isinstance(atom, Var) and not (isinstance(atom.type, MachineInt) and not atom.type.signed):
                yield at_most(integer(0), Polynomial.atom(atom).to_expr())
    elif not size.is_constant:
        yield at_most(integer(0), _divided(size).to_expr())


def _divided(size: Polynomial) -> Polynomial:
    """The size, or what is divided by a number above 0 where it is such a quotient: both are negative, or neither is."""
    match size.terms:
        case (((Apply(Operator.FDIV, (divided, Const(int(number)))),), 1),) if number > 0:
            return _divided(Polynomial.of(divided))
        case _:
            return size


def _least(size: Polynomial) -> list[Polynomial]:
    """The sizes of which it is the least one, itself where it is no minimum."""
    parts = least_of(size)
    return [size] if parts is None else [each for part in parts for each in _least(part)]


def _nearly(size: Polynomial) -> Polynomial:
    """The size without what is taken off it: of n - 1 elements there are none where n is 0, which is an ordinary size."""
    raised = size - min(size.constant_term, 0)
    return size if raised.is_constant else raised


def _reads_always(lets: tuple[Let, ...], writes: Sequence[Write], result: Expr | None) -> bool:
    """Whether some element is read whatever the sizes are, such as x[0]."""
    for part, here in _parts(lets, writes, result):
        for read in () if here.guard != TRUE else subexpressions(part):
            if isinstance(read, Select) and isinstance(read.tensor, Var) and all(map(_is_constant, read.indices)):
                return True
    return False


def _is_constant(index: Expr) -> bool:
    return is_integer(type_of(index)) and Polynomial.of(index).is_constant


def _starts(lets: tuple[Let, ...], writes: Sequence[Write], result: Expr | None, step: bool) -> Iterator[Expr]:
    """Views begin inside their array, and those of one axis go forwards."""
    for view, here in _builds(lets, writes, result):
        if not (isinstance(view.body, Select) and isinstance(view.body.tensor, Var)):
            continue
        found: list[Expr] = []
        for index in view.body.indices:
            affine = Polynomial.of(index).affine_in(view.binders) if is_integer(type_of(index)) else None
            if affine is None:
                continue
            strides = [stride for stride in affine[0].values() if stride != Polynomial()]
            if len(strides) == 1 and not strides[0].is_constant:
                found.append(Apply(Operator.LT, (integer(0), strides[0].to_expr())))
            if not affine[1].is_constant and not any(never_negative(-stride) for stride in strides):
                sums = step and all(len(monomial) <= 1 for monomial, _ in affine[1].terms)
                found += [at_most(integer(0), affine[1].to_expr())] if sums else _sizes(affine[1])
        yield from (here.needs(cond) for cond in found if not here.shows(cond))


def views_in_arrays(
    lets: tuple[Let, ...], writes: Sequence[Write], result: Expr | None, unknown: Collection[Var]
) -> Iterator[Expr]:
    """Views end inside their arrays, where the summary does not say how much of them the source reads."""
    for view, here in _builds(lets, writes, result):
        if isinstance(view.body, Select) and isinstance(view.body.tensor, Var) and view.body.tensor in unknown:
            extents = dict(zip(view.binders, view.extents, strict=True))
            for axis, index in enumerate(view.body.indices):
                end = reach(Polynomial.of(index), extents)
                inside = None if end is None else at_most(end.to_expr(), Length(view.body.tensor, axis))
                if inside is not None and not here.shows(inside):
                    yield here.needs(inside)


def fixed_in_arrays(
    lets: tuple[Let, ...], writes: Sequence[Write], result: Expr | None, shapes: Mapping[str, tuple[Expr, ...]]
) -> Iterator[Expr]:
    """Where a view takes an axis at one index, that is inside, also where the view has no elements.

    `shapes`: how many elements the source needs along each axis, of arrays of which that is known.
    """
    for view, here in _builds(lets, writes, result):
        if not (isinstance(view.body, Select) and isinstance(view.body.tensor, Var) and len(view.body.indices) > 1):
            continue
        array = view.body.tensor
        lengths = tuple(Length(array, axis) for axis in range(len(view.body.indices)))
        for index, extent in zip(view.body.indices, shapes.get(array.name, lengths), strict=True):
            if free_vars(index).isdisjoint(view.binders) and is_integer(type_of(index)):
                left = Polynomial.of(extent) - Polynomial.of(index) - 1
                inside = at_most((Polynomial.of(index) + 1).to_expr(), extent)
                if not interval(left.to_expr()).nonnegative and not here.shows(inside):
                    yield here.needs(inside)


@dataclass(frozen=True, slots=True)
class _Here:
    """What is known where something is computed: what is at least 0 by the conditions around it, and the guard of its write."""

    rooms: Rooms
    guard: Expr = TRUE

    def shows(self, cond: Expr) -> bool:
        """Whether it follows from the conditions around; where there are none, nothing is left out."""
        return bool(self.rooms) and follows(cond, self.rooms)

    def needs(self, cond: Expr) -> Expr:
        """What has to be required for it."""
        left = list(left_to_require((cond,), self.guard)) if self.guard != TRUE else [cond]
        return implies(self.guard, conj(*left))


def _builds(lets: tuple[Let, ...], writes: Sequence[Write], result: Expr | None) -> Iterator[tuple[Build, _Here]]:
    """All views."""
    for part, here in _parts(lets, writes, result):
        yield from ((sub, here) for sub in subexpressions(part) if isinstance(sub, Build))


def _parts(lets: tuple[Let, ...], writes: Sequence[Write], result: Expr | None) -> Iterator[tuple[Expr, _Here]]:
    for let in lets:
        yield from _sides(let.value, TRUE)
    for write in writes:
        for part in (write.window, write.value):
            yield from _sides(part, write.guard)
    if result is not None:
        yield from _sides(result, TRUE)


def _sides(value: Expr, guard: Expr) -> Iterator[tuple[Expr, _Here]]:
    around = learned(guard)
    for part, held in sides(value):
        yield part, _Here((*around, *(room for cond, met in held for room in learned(cond, met))), guard)
