"""Conditions on the parameters as checks in NumPy, all indices at once."""

from __future__ import annotations

from metalift.ir.build import conjuncts
from metalift.ir.nodes import COMPARISONS, Apply, Cast, Const, Expr, Forall, Length, Operator, Select, Var, type_of
from metalift.ir.types import RealType
from metalift.ir.walk import subexpressions

BINARY = {
    Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*", Operator.TDIV: "//", Operator.DIV: "/", Operator.LT: "<",
    Operator.LE: "<=", Operator.EQ: "==", Operator.AND: "&", Operator.OR: "|",
}  # fmt: skip
LOOSE = frozenset({Operator.ADD, Operator.SUB})

PREAMBLE = '''\
def _all(condition, *counts):
    """Whether a condition holds for all indices below their counts, each of which may depend on the indices before it."""
    index = ()
    try:
        for count in counts:
            count = np.maximum(np.broadcast_to(count(*index), index[0].shape if index else (1,)), 0)
            inner = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            index = (*(np.repeat(each, count) for each in index), inner)
        return bool(np.all(condition(*index)))
    except IndexError:
        return False
'''


class NoGuard(Exception):
    """A condition has no spelling."""


def guard(formula: Expr) -> str:
    """A Python expression for a condition on the parameters. Raises NoGuard."""
    binders, counts, body = ranged(formula)
    if not binders:
        return spelled(body)
    scopes = [", ".join(var.name for var in binders[:position]) for position in range(len(binders) + 1)]
    functions = (f"lambda {scope}: {spelled(count)}" for scope, count in zip(scopes, counts, strict=False))
    ranges = ", ".join(functions).replace("lambda :", "lambda:")
    return f"_all(lambda {scopes[-1]}: {spelled(body)}, {ranges})"


def ranged(formula: Expr) -> tuple[tuple[Var, ...], tuple[Expr, ...], Expr]:
    """The binders of a condition for all indices in ranges, how many there are of each, and what holds for them."""
    if not isinstance(formula, Forall):
        if any(isinstance(part, Forall) for part in subexpressions(formula)):
            raise NoGuard
        return (), (), formula
    if not (isinstance(formula.body, Apply) and formula.body.op is Operator.OR):
        raise NoGuard
    outside, *rest = formula.body.args
    if not (isinstance(outside, Apply) and outside.op is Operator.NOT):
        raise NoGuard
    limits = {part.args for part in conjuncts(outside.args[0]) if isinstance(part, Apply) and part.op is Operator.LT}
    counts = []
    for binder in formula.binders:
        count = [limit for var, limit in limits if var == binder]
        if len(count) != 1:
            raise NoGuard
        counts.append(count[0])
    if len(conjuncts(outside.args[0])) != 2 * len(counts):
        raise NoGuard
    inner = rest[0] if len(rest) == 1 else Apply(Operator.OR, tuple(rest))
    binders, more, body = ranged(inner)
    return (*formula.binders, *binders), (*counts, *more), body


def spelled(expr: Expr) -> str:  # noqa: C901 (one case for each kind of node)
    """An expression over arrays of indices, in NumPy."""
    match expr:
        case Var(name):
            return name
        case Const(value):
            return str(value) if isinstance(value, bool | int) else repr(float(value))
        case Cast(arg):
            return spelled(arg)
        case Length(Var(name), axis):
            return f"len({name})" if axis == 0 else f"{name}.shape[{axis}]"
        case Select(Var(name), indices):
            return f"{name}[{', '.join(map(spelled, indices))}]"
        case Apply(Operator.MUL, args) if any(isinstance(part, Select) for arg in args for part in subexpressions(arg)):
            kind = "float" if isinstance(type_of(expr), RealType) else "np.int64"
            return f"np.multiply({', '.join(map(spelled, args))}, dtype={kind})"
        case Apply(Operator.NOT, (arg,)):
            return f"~np.bool_({spelled(arg)})"
        case Apply(Operator.NEG, (arg,)):
            return f"-{operand(arg)}"
        case Apply(op, args) if op in LOOSE or op in COMPARISONS:
            left, right = args
            return f"{loose(left)} {BINARY[op]} {operand(right) if op is Operator.SUB else loose(right)}"
        case Apply(op, args) if op in BINARY and args:
            return f" {BINARY[op]} ".join(map(operand, args))
        case _:
            raise NoGuard


def operand(expr: Expr) -> str:
    """An operand, in parentheses where it is made of parts."""
    text = spelled(expr)
    while isinstance(expr, Cast):
        expr = expr.arg
    return f"({text})" if isinstance(expr, Apply) and not text.startswith("np.") else text


def loose(expr: Expr) -> str:
    """An operand of a sum."""
    while isinstance(expr, Cast):
        expr = expr.arg
    return spelled(expr) if isinstance(expr, Apply) and expr.op in (Operator.ADD, Operator.SUB, Operator.MUL) else operand(expr)


def has_reads(formula: Expr) -> bool:
    """Whether the condition looks into arrays: what is about numbers and lengths comes before."""
    return any(isinstance(part, Select) for part in subexpressions(formula))
