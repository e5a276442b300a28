"""Functions of real numbers that are others by definition: two programs may write the same number with either.

expm1(x) is exp(x) - 1, log1p(x) is log(1 + x), and a power whose exponent is a small natural number is a product. Each holds for
all real x for which the left side has a value.
"""

from __future__ import annotations

from fractions import Fraction

from metalift.ir.expr.nodes import Apply, Call, Const, Expr, Operator, type_of
from metalift.ir.expr.types import RealType
from metalift.ir.expr.walk import map_children

_LARGEST = 4  # the exponent up to which a power is written out


def by_definition(expr: Expr) -> Expr:
    """The expression with these functions written as the others."""
    memo: dict[int, tuple[Expr, Expr]] = {}

    def go(node: Expr) -> Expr:
        known = memo.get(id(node))
        if known is None:
            known = memo[id(node)] = (node, _written(map_children(go, node)))
        return known[1]

    return go(expr)


def _written(node: Expr) -> Expr:
    match node:
        case Call("expm1", (arg,), RealType() as type_):
            return Apply(Operator.SUB, (Call("exp", (arg,), type_), _one(arg)))
        case Call("log1p", (arg,), RealType() as type_):
            return Call("log", (Apply(Operator.ADD, (_one(arg), arg)),), type_)
        case Call("pow", (base, Const(value)), RealType()) if value in range(2, _LARGEST + 1) and type_of(base) == type_of(node):
            product = base
            for _ in range(int(value) - 1):
                product = Apply(Operator.MUL, (product, base))
            return product
        case _:
            return node


def _one(like: Expr) -> Expr:
    type_ = type_of(like)
    assert isinstance(type_, RealType)
    return Const(Fraction(1), type_)
