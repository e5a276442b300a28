"""The order in which a view goes through the storage of its array."""

from __future__ import annotations

from collections.abc import Sequence

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Expr, integer
from metalift.ir.expr.nodes import Operator as Op
from metalift.ir.expr.walk import free_vars
from metalift.synth.cover.goal import Goal
from metalift.synth.cover.inside_windows import never_negative


def is_tight(extents: Sequence[Expr], strides: Sequence[Polynomial]) -> bool:
    """Whether the axes that have a stride enumerate neighbouring cells, in any order."""
    pending = [(Polynomial.of(extent), stride) for extent, stride in zip(extents, strides, strict=True) if stride != Polynomial()]
    step = Polynomial.constant(1)
    while pending:
        at = next((position for position, (_, stride) in enumerate(pending) if stride == step), None)
        if at is None:
            return False
        step = step * pending.pop(at)[0]
    return True


def _forwards(stride: Polynomial) -> Polynomial:
    """The stride of the same cells the other way round, where it goes backwards."""
    return -stride if never_negative(-stride) else stride


def _larger(left: Polynomial, right: Polynomial) -> bool:
    """Whether a stride is a proper multiple of another."""
    quotient, rest = left.divide(right)
    return rest == Polynomial() and quotient not in (Polynomial.constant(1), Polynomial.constant(-1))


def turned(goal: Goal, indices: tuple[Expr, ...]) -> bool:
    """Whether the view has its axes in another order than the storage, so that it is a transpose."""
    for index in indices:
        affine = Polynomial.of(index).affine_in(goal.binders)
        assert affine is not None
        strides = [affine[0][binder] for binder in goal.binders if affine[0][binder] != Polynomial()]
        if any(_larger(right, left) for left, right in zip(strides, strides[1:], strict=False)):
            return True
    order = [binder for index in indices for binder in goal.binders if binder in free_vars(index)]
    return len(indices) > 1 and order != list(goal.binders)


def leading(goal: Goal, indices: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Strides of a view with several axes on one axis of storage are positive; those that are extents need no condition."""
    found: dict[Expr, None] = {}
    for index in indices:
        affine = Polynomial.of(index).affine_in(goal.binders)
        assert affine is not None
        forwards = [_forwards(affine[0][binder]) for binder in goal.binders]
        strides = [stride for stride in forwards if stride != Polynomial()]
        if len(strides) < 2 or is_tight(goal.extents, forwards):
            continue
        for stride in strides:
            if not stride.is_constant:
                found.setdefault(Apply(Op.LT, (integer(0), stride.to_expr())))
    return tuple(found)
