"""Machine integers as mathematical ones: what obligations are written in.

Arithmetic of a machine type has the exact value (leaving the range would be undefined in the source), conversions to a type
that holds all values of the operand change nothing, and only conversions that may wrap stay. Variables and array elements
keep their machine type, because their range is a fact. Elements and lengths of Filters become the folds that define them.
"""

from __future__ import annotations

from collections.abc import Mapping

from metalift.ir.arith.polynomial import widens
from metalift.ir.expr.filters import count, element
from metalift.ir.expr.nodes import (
    BITWISE,
    Apply,
    Call,
    Cast,
    Const,
    Expr,
    Filter,
    Fold,
    Ite,
    Length,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import INT, MachineInt, TupleType, Type, is_integer
from metalift.ir.expr.walk import map_children

ADDITIVE = frozenset({Operator.ADD, Operator.SUB, Operator.MUL, Operator.NEG})


def erased(expr: Expr, exact: Mapping[Var, Expr]) -> Expr:  # noqa: C901 (one case for each kind of node)
    """The expression over mathematical integers; `exact` gives the values of some variables of machine type as such."""
    memo: dict[int, tuple[Expr, Expr]] = {}

    def go(node: Expr) -> Expr:
        known = memo.get(id(node))
        if known is None:
            known = memo[id(node)] = (node, step(node))
        return known[1]

    def step(node: Expr) -> Expr:
        match node:
            case Var():
                return exact[node] if node in exact else as_integer(node)
            case Const(value, MachineInt()):
                return integer(int(value))
            case Cast(arg, target):
                return converted(go(arg), type_of(arg), target)
            case Apply(op, args) if op in BITWISE:
                return as_integer(Apply(op, tuple(back(go(arg), type_of(arg)) for arg in args)))
            case Call(function, args, type_):
                return as_integer(Call(function, tuple(back(go(arg), type_of(arg)) for arg in args), type_))
            case Select(Filter() as kept, (place,)):
                return go(element(kept, place))
            case Length(Filter() as kept, _):
                return go(count(kept))
            case Select():
                return as_integer(map_children(go, node))
            case Fold(extent, init, acc, index, body):
                wide = Var(acc.name, widened(acc.type))
                inner = {var: value for var, value in exact.items() if var not in (acc, index)}
                return Fold(go(extent), go(init), wide, index, erased(body, {**inner, acc: wide}))
            case _:
                return map_children(go, node)

    return go(expr)


def as_integer(node: Expr) -> Expr:
    """A term of machine type as a mathematical integer; others as they are."""
    return Cast(node, INT) if isinstance(type_of(node), MachineInt) else node


def back(value: Expr, type_: Type) -> Expr:
    """The integer as a value of the machine type it has in the source."""
    if not isinstance(type_, MachineInt) or type_of(value) == type_:
        return value
    if isinstance(value, Cast) and type_of(value.arg) == type_:
        return value.arg
    return Const(int(value.value), type_) if isinstance(value, Const) else Cast(value, type_)


def converted(value: Expr, source: Type, target: Type) -> Expr:
    """A conversion of a value whose type in the source was `source`."""
    if is_integer(source) and is_integer(target):
        return value if widens(source, target) else wrapping(value, target)
    return as_integer(Cast(value, target))


def wrapping(value: Expr, target: Type) -> Expr:
    """A conversion that may wrap; of a literal its value."""
    assert isinstance(target, MachineInt)
    if isinstance(value, Const):
        return integer(target.wrap(int(value.value)))
    return Cast(Cast(value, target), INT)


def widened(type_: Type) -> Type:
    """The type with mathematical integers in the place of machine ones."""
    match type_:
        case MachineInt():
            return INT
        case TupleType(items):
            return TupleType(tuple(map(widened, items)))
        case _:
            return type_


def exact_reading(term: Expr) -> Expr:
    """A term of machine type as the mathematical integer that it is when no conversion in its sums and products wraps."""
    match term:
        case Cast(arg, MachineInt()) if type_of(arg) == INT:
            return arg
        case Const(value, MachineInt()):
            return integer(int(value))
        case Apply(op, args) if op in ADDITIVE:
            return Apply(op, tuple(map(exact_reading, args)))
        case Ite(cond, then, other) if isinstance(type_of(then), MachineInt):
            return Ite(cond, exact_reading(then), exact_reading(other))
        case _:
            return as_integer(term)
