"""Terms that stand for lanes: what the lowering makes, the writer writes and the reader reads.

`program_id * BLOCK + arange(BLOCK)` in a grid of cdiv(n, BLOCK) programs, and `start + arange(BLOCK)` in a loop of `start` over
range(0, n, BLOCK), take each of the values 0, 1, ..., rounded(n, BLOCK) - 1 once: they are one index with that extent.
"""

from __future__ import annotations

from metalift.ir.expr.nodes import Apply, Call, Expr, Fold, Operator, Var, integer
from metalift.ir.expr.walk import subexpressions


def rounded(extent: Expr, block: Expr) -> Expr:
    """The least multiple of the block that is not below the extent, which is not negative."""
    blocks = Apply(Operator.FDIV, (Apply(Operator.ADD, (extent, Apply(Operator.SUB, (block, integer(1))))), block))
    return Apply(Operator.MUL, (blocks, block))


def unrounded(extent: Expr, blocks: tuple[Var, ...]) -> tuple[Expr, Var] | None:
    """The extent and the block of a rounded one."""
    match extent:
        case Apply(Operator.MUL, (Apply(Operator.FDIV, (Apply(Operator.ADD, (inner, _)), Var() as block)), _)):
            if block in blocks and extent == rounded(inner, block):
                return inner, block
    return None


def below(index: Expr, extent: Expr) -> Expr:
    """The mask of the lanes that have an element."""
    return Apply(Operator.LT, (index, extent))


def has_fold(expr: Expr) -> bool:
    """Whether something is reduced in it."""
    return any(isinstance(part, Fold) for part in subexpressions(expr))


def divides(expr: Expr, operators: frozenset[str]) -> bool:
    """Whether one of the operators is in it."""
    return any(isinstance(part, Call) and part.function in operators for part in subexpressions(expr))
