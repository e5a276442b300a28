"""A loop whose body asks where its counter is, as one loop for each answer: `o[i] = a if i == 0 else b` writes two windows.

Without this both arms would be evaluated for all elements, and reads such as x[i - 1] would leave their arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Expr, Filter, Fold, Ite, Operator, Select, Var, type_of
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import children, replaced, scoped_children, subexpressions, substitute
from metalift.synth.cover.inside_windows import within
from metalift.synth.cover.normal import normal
from metalift.synth.cover.versions import Layer

MAX_PIECES = 6
Step = tuple[Polynomial, Polynomial, bool]  # a range of a binder, and whether a condition holds there


def pieces(layer: Layer, shapes: Mapping[str, tuple[Expr, ...]], known: Sequence[Expr] = ()) -> list[Layer]:
    """The layer, cut where conditions on one binder change, if some read needs the condition to stay inside its array.

    `shapes` are the numbers of elements of arrays along each axis, `known` formulas that hold.
    """
    if not _strays(layer.value, dict(zip(layer.binders, layer.extents, strict=True)), shapes):
        return [layer]
    done: list[Layer] = []
    pending = [layer]
    while pending:
        current = pending.pop(0)
        cut = None if len(done) + len(pending) >= MAX_PIECES else next(_cuts(current), None)
        if cut is None:
            done.append(current)
        else:
            pending = [*_cut(current, *cut, known), *pending]
    return done


def _strays(expr: Expr, ranges: dict[Var, Expr], shapes: Mapping[str, tuple[Expr, ...]]) -> bool:
    """Whether an array may be read outside when the expression is evaluated for all values of the binders."""
    match expr:
        case Select(Var(name), indices) if name in shapes:
            axes = zip(indices, shapes[name], strict=True)
            return any(within(Polynomial.of(index), size, ranges) is not True for index, size in axes)
        case Fold() | Filter():
            inner = {**ranges, expr.index: expr.extent}
            return any(_strays(child, inner if scope else ranges, shapes) for child, scope in scoped_children(expr))
        case _:
            return any(_strays(child, ranges, shapes) for child in children(expr))


def _cuts(layer: Layer) -> Iterator[tuple[Expr, int, list[Step]]]:
    """Conditions that are decided by one binder: the condition, the binder's position, ranges and the answer in each."""
    for cond in _conditions(layer.value):
        for position, binder in enumerate(layer.binders):
            ranges = _ranges(cond, binder, Polynomial.of(layer.extents[position]), layer.binders)
            if ranges is not None:
                yield cond, position, ranges


def _conditions(expr: Expr) -> Iterator[Expr]:
    """Comparisons of exact integers in conditions, outside of folds."""
    if isinstance(expr, Fold):
        return
    if isinstance(expr, Ite):
        for part in subexpressions(expr.cond):
            match part:
                case Apply(Operator.LT | Operator.LE | Operator.EQ, (left, _)) if type_of(left) == INT:
                    yield part
    for child in children(expr):
        yield from _conditions(child)


def _ranges(cond: Expr, binder: Var, extent: Polynomial, binders: tuple[Var, ...]) -> list[Step] | None:
    """Where the condition holds and where not, as ranges of the binder; None where that is not decided by constants."""
    assert isinstance(cond, Apply)
    difference = Polynomial.of(cond.args[1]) - Polynomial.of(cond.args[0])
    affine = difference.affine_in(binders)
    if affine is None or any(factor != Polynomial() for other, factor in affine[0].items() if other != binder):
        return None
    sign, rest, one = affine[0][binder].constant_value, affine[1], Polynomial.constant(1)
    zero = Polynomial()
    if sign not in (1, -1):
        return None
    match cond.op, sign:
        case Operator.EQ, _:
            at = rest * -sign
            steps = [(zero, at, False), (at, at + one, True), (at + one, extent, False)]
        case Operator.LT, 1:  # binder + rest > 0
            steps = [(zero, one - rest, False), (one - rest, extent, True)]
        case Operator.LE, 1:
            steps = [(zero, -rest, False), (-rest, extent, True)]
        case Operator.LT, _:  # rest - binder > 0
            steps = [(zero, rest, True), (rest, extent, False)]
        case _:
            steps = [(zero, rest + one, True), (rest + one, extent, False)]
    return _clipped(steps, extent)


def _clipped(steps: list[Step], extent: Polynomial) -> list[Step] | None:
    """The part of each range that is within the extent; None where that is not clear."""
    found: list[Step] = []
    zero = Polynomial()
    for low, high, holds in steps:
        start, end = _larger(zero, low), _larger(-extent, -high)
        if start is None or end is None:
            return None
        size = -end - start
        sign = _sign(size)
        if sign is None:
            return None
        if sign > 0:
            found.append((start, -end, holds))
    return found


def _larger(left: Polynomial, right: Polynomial) -> Polynomial | None:
    """The larger of two places, for sizes that are large enough."""
    sign = _sign(left - right)
    return None if sign is None else left if sign >= 0 else right


def _sign(value: Polynomial) -> int | None:
    """The sign for large sizes. That sizes are large enough is required by the extents of the parts: none is negative."""
    leading = {factor > 0 for monomial, factor in value.terms if monomial} or {value.constant_term > 0}
    if value == Polynomial():
        return 0
    return None if len(leading) > 1 else 1 if leading.pop() else -1


def _cut(layer: Layer, cond: Expr, position: int, ranges: list[Step], known: Sequence[Expr]) -> list[Layer]:
    """The layer's parts; in each the condition is decided."""
    parts = []
    extent = Polynomial.of(layer.extents[position])
    for low, end, holds in ranges:
        high = end if _reached(end, extent, known) else Polynomial.of(Apply(Operator.MIN, (end.to_expr(), extent.to_expr())))
        moved = {layer.binders[position]: (Polynomial.of(layer.binders[position]) + low).to_expr()}
        value = substitute(replaced(layer.value, {cond: TRUE if holds else FALSE}), moved)
        extents = (*layer.extents[:position], (high - low).to_expr(), *layer.extents[position + 1 :])
        indices = tuple(Polynomial.of(substitute(index, moved)).to_expr() for index in layer.indices)
        parts.append(replace(layer, extents=extents, indices=indices, value=normal(value)))
    return parts


def _reached(end: Polynomial, extent: Polynomial, known: Sequence[Expr]) -> bool:
    """Whether the extent is known to be no smaller than the end of a part, not only for large sizes."""
    room = extent - end
    if room.constant_value is not None:
        return room.constant_value >= 0
    for each in known:
        match each:
            case Apply(Operator.LT | Operator.LE, (left, right)) if type_of(left) == INT:
                more = room - (Polynomial.of(right) - Polynomial.of(left))
                if more.constant_value is not None and more.constant_value + (each.op is Operator.LT) >= 0:
                    return True
            case _:
                pass
    return False
