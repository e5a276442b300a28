"""Conditions on the parameters as checks in NumPy, all indices at once."""

from __future__ import annotations

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import conjuncts, plus
from metalift.ir.expr.nodes import (
    COMPARISONS,
    Apply,
    Call,
    Cast,
    Const,
    Expr,
    Forall,
    Length,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import INT, MachineInt, RealType, is_integer
from metalift.ir.expr.walk import free_vars, fresh_var, map_children, names, subexpressions

BINARY = {
    Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*", Operator.TDIV: "//", Operator.LT: "<",
    Operator.LE: "<=", Operator.EQ: "==", Operator.AND: "&", Operator.OR: "|",
}  # fmt: skip
FUNCTIONS = frozenset("sqrt exp exp2 log log2 log10 log1p expm1 sin cos tan sinh cosh tanh floor ceil".split())  # of one number
CALLS = frozenset({Operator.MUL, Operator.DIV, Operator.MIN, Operator.MAX, Operator.ABS})  # where they are calls in Python
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


STORED = '''\
def _all_stored(condition, pos, count, fewer):
    """Whether a condition holds at all positions from pos[i] to below pos[i + 1] - fewer (0 or 1), for all i below the count."""
    if count <= 0:
        return True
    if len(pos) <= count:
        return False
    first, end = pos[:count].astype(np.int64), pos[1 : count + 1].astype(np.int64)
    size = np.maximum(end - first - fewer, 0)
    if np.all(first <= end):
        here = np.arange(first[0], end[-1])
        if fewer:
            kept = np.ones(len(here), np.bool_)
            kept[end[first < end] - 1 - first[0]] = False
            here = here[kept]
    else:
        here = np.arange(size.sum()) + np.repeat(first - (np.cumsum(size) - size), size)
    try:
        return bool(np.all(condition(here)))
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
    if (stored := at_stored(binders, counts, body)) is not None:
        return stored
    scopes = [", ".join(var.name for var in binders[:position]) for position in range(len(binders) + 1)]
    functions = (f"lambda {scope}: {spelled(count)}" for scope, count in zip(scopes, counts, strict=False))
    ranges = ", ".join(functions).replace("lambda :", "lambda:")
    return f"_all(lambda {scopes[-1]}: {spelled(body)}, {ranges})"


def at_stored(binders: tuple[Var, ...], counts: tuple[Expr, ...], body: Expr) -> str | None:
    """The check of a condition about stored positions: for all i and p below pos[i + 1] - pos[i], of pos[i] + p alone."""
    if len(binders) != 2 or not free_vars(counts[0]).isdisjoint(binders):
        return None
    (i, p), size = binders, Polynomial.of(uncast(counts[1]))
    first = next((atom for (*_, atom), sign in size.terms if sign == -1 and isinstance(atom, Select)), None)
    if first is None or not isinstance(first.tensor, Var) or first.indices != (i,):
        return None
    after = [Select(first.tensor, (each,)) for each in (plus(i, integer(1)), plus(integer(1), i))]
    fewer = [(Polynomial.atom(each) - Polynomial.atom(first) - size).constant_value for each in after]
    here = fresh_var(Var("q", INT), names(body) | {i.name, p.name})
    position = Polynomial.atom(first) + Polynomial.atom(p)

    def moved(expr: Expr) -> Expr:
        if is_integer(type_of(expr)):
            more = (Polynomial.of(expr) - position).constant_value
            if more is not None:
                return plus(here, integer(more))
        return map_children(moved, expr)

    condition = moved(uncast(body))
    found = [number for number in fewer if number in (0, 1)]
    if not found or not free_vars(condition).isdisjoint(binders):
        return None
    return f"_all_stored(lambda {here.name}: {spelled(condition)}, {first.tensor.name}, {spelled(counts[0])}, {found[0]})"


def uncast(expr: Expr) -> Expr:
    """An integer expression or a condition on integers without conversions, which the checks do not make either."""
    if isinstance(expr, Cast) and is_integer(expr.type) and is_integer(type_of(expr.arg)):
        return uncast(expr.arg)
    return map_children(uncast, expr)


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
            read = f"{name}[{', '.join(map(spelled, indices))}]"
            type_ = type_of(expr)  # differences of unsigned numbers would wrap, and count nothing
            return f"{read}.astype(np.int64)" if isinstance(type_, MachineInt) and not type_.signed else read
        case Apply(Operator.MUL, args) if any(isinstance(part, Select) for arg in args for part in subexpressions(arg)):
            kind = "float" if isinstance(type_of(expr), RealType) else "np.int64"
            return f"np.multiply({', '.join(map(spelled, args))}, dtype={kind})"
        case Call(function, (arg,)) if function in FUNCTIONS:
            return f"np.{function}({spelled(arg)})"
        case Apply(Operator.DIV, (left, right)):
            return f"np.divide({spelled(left)}, {spelled(right)})"  # by zero, too, where there are no cells
        case Apply(Operator.MIN | Operator.MAX as op, args):
            return f"{op.value}({', '.join(map(spelled, args))})"
        case Apply(Operator.ABS, (arg,)):
            return f"abs({spelled(arg)})"
        case Apply(Operator.NOT, (arg,)):
            return f"~np.bool_({spelled(arg)})"
        case Apply(Operator.NEG, (arg,)):
            return f"-{operand(arg)}"
        case Apply(op, args) if op in LOOSE or op in COMPARISONS:
            left, right = args
            return f"{loose(left)} {BINARY[op]} {operand(right) if op is Operator.SUB else loose(right)}"
        case Apply(op, args) if op in BINARY and args:
            return f" {BINARY[op]} ".join(map(operand, args))
        case Apply(op):
            raise NoGuard(f"operator {op.value}")
        case _:
            raise NoGuard(type(expr).__name__)


def operand(expr: Expr) -> str:
    """An operand, in parentheses where it is made of parts."""
    text = spelled(expr)
    while isinstance(expr, Cast):
        expr = expr.arg
    called = text.startswith(("np.multiply(", "np.divide(", "min(", "max(", "abs("))
    call = isinstance(expr, Apply) and expr.op in CALLS and called
    return f"({text})" if isinstance(expr, Apply) and not call else text


def loose(expr: Expr) -> str:
    """An operand of a sum."""
    while isinstance(expr, Cast):
        expr = expr.arg
    return spelled(expr) if isinstance(expr, Apply) and expr.op in (Operator.ADD, Operator.SUB, Operator.MUL) else operand(expr)
