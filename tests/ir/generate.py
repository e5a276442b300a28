"""Random well-typed scalar expressions with inputs, leaning towards the corners of C's arithmetic.

Everything is drawn from a `random.Random`: a seeded one where speed counts, one of hypothesis's own where shrinking does.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, Ite, Operator, Var
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, INT32, BoolType, IntType, MachineInt, RealType, ScalarType, show_type
from metalift.ir.expr.walk import free_vars
from metalift.ir.interp.values import Value

MACHINE = tuple(MachineInt(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False))
SCALARS: tuple[ScalarType, ...] = (*MACHINE, INT, BOOL, FLOAT, DOUBLE)

WRAPPING = (Operator.ADD, Operator.SUB, Operator.MUL)
SHIFTS = (Operator.SHL, Operator.SHR)
BITWISE = (Operator.BITAND, Operator.BITOR, Operator.BITXOR)
DIVIDING = (Operator.TDIV, Operator.TREM, Operator.FDIV, Operator.FMOD)
CHOOSING = (Operator.MIN, Operator.MAX)
INTEGER_BINARY = (*WRAPPING, *DIVIDING, *CHOOSING, *SHIFTS, *BITWISE)
REAL_BINARY = (*WRAPPING, Operator.DIV, *CHOOSING)
COMPARING = (Operator.LT, Operator.LE, Operator.EQ)
UNARY = (Operator.NEG, Operator.ABS)
EXACT_FUNCTIONS = ("sqrt", "floor", "ceil", "trunc", "round", "rint")

Inputs = dict[str, Value]


@dataclass(frozen=True)
class Case:
    """An expression and inputs for its variables."""

    expr: Expr
    rows: tuple[Inputs, ...]


def variables(type_: ScalarType) -> tuple[Var, Var]:
    """The two variables of a type that expressions may use."""
    return Var(f"a_{show_type(type_)}", type_), Var(f"b_{show_type(type_)}", type_)


def corners(type_: IntType | MachineInt) -> tuple[int, ...]:
    """The numbers at which the arithmetic of the type, or of a type near it, is special."""
    near = {0, 1, 2, 3, 7, 8, 31, 127, 128, 255, 256}
    near |= {-number for number in near}
    if isinstance(type_, IntType):
        return tuple(sorted(near | {2**31, -(2**31), 2**32, 2**63, -(2**63), 2**64 - 1}))
    ends = {type_.low, type_.low + 1, type_.low // 2, type_.high, type_.high - 1, type_.high // 2}
    return tuple(sorted(number for number in near | ends if type_.low <= number <= type_.high))


def integer(random: Random, type_: IntType | MachineInt) -> int:
    """A small number, a corner, or anything."""
    kind = random.randrange(4)
    if kind == 0:
        return random.choice(corners(type_))
    low, high = (type_.low, type_.high) if isinstance(type_, MachineInt) else (-(2**65), 2**65)
    return random.randint(low, high) if kind == 1 else random.randint(max(low, -5), 9)


def real(random: Random, type_: RealType) -> Fraction:
    """A number that a float of the width holds exactly, mostly a small one."""
    if random.randrange(3):
        return Fraction(random.randint(-40, 40), 4)
    digits = 23 if type_.bits == 32 else 52
    return random.randint(-(2**digits), 2**digits) * Fraction(2) ** random.randint(-digits, 20)


def value(random: Random, type_: ScalarType) -> Value:
    """An input for a variable of the type."""
    match type_:
        case BoolType():
            return random.random() < 0.5
        case RealType():
            return real(random, type_)
        case _:
            return integer(random, type_)


def literal(random: Random, type_: ScalarType) -> Const:
    """A literal of the type; those of reals are decimals, not always floats."""
    if isinstance(type_, RealType) and random.randrange(2):
        return Const(Fraction(random.randint(-999, 999), 100), type_)
    found = value(random, type_)
    assert isinstance(found, bool | int | Fraction)
    return Const(found, type_)


def leaf(random: Random, type_: ScalarType) -> Expr:
    """A variable or a literal; there are no variables of type int, as the source has none."""
    if random.randrange(3) == 0:
        return literal(random, type_)
    if isinstance(type_, IntType):
        return Cast(random.choice(variables(random.choice(MACHINE))), INT)
    return random.choice(variables(type_))


def expression(random: Random, type_: ScalarType, depth: int) -> Expr:
    """An expression of the type, at most `depth` operators deep."""
    if depth <= 0 or random.randrange(10) == 0:
        return leaf(random, type_)
    if random.randrange(12) == 0:
        cond = expression(random, BOOL, depth - 1)
        return Ite(cond, expression(random, type_, depth - 1), expression(random, type_, depth - 1))
    match type_:
        case BoolType():
            return _condition(random, depth)
        case RealType():
            return _real(random, type_, depth)
        case _:
            return _integer(random, type_, depth)


def _condition(random: Random, depth: int) -> Expr:
    kind = random.randrange(5)
    if kind == 0:
        return Apply(Operator.NOT, (expression(random, BOOL, depth - 1),))
    if kind == 1:
        parts = tuple(expression(random, BOOL, depth - 1) for _ in range(random.randint(2, 3)))
        return Apply(random.choice((Operator.AND, Operator.OR)), parts)
    type_ = random.choice(SCALARS)
    op = Operator.EQ if type_ == BOOL else random.choice(COMPARING)
    return Apply(op, (expression(random, type_, depth - 1), expression(random, type_, depth - 1)))


def _real(random: Random, type_: RealType, depth: int) -> Expr:
    kind = random.randrange(7)
    if kind < 3:
        op = random.choice(REAL_BINARY)
        return Apply(op, (expression(random, type_, depth - 1), expression(random, type_, depth - 1)))
    if kind == 3:
        return Apply(random.choice(UNARY), (expression(random, type_, depth - 1),))
    if kind == 4:
        return Call(random.choice(EXACT_FUNCTIONS), (expression(random, type_, depth - 1),), type_)
    return Cast(expression(random, random.choice(SCALARS), depth - 1), type_)


def _integer(random: Random, type_: IntType | MachineInt, depth: int) -> Expr:
    kinds = ["binary", "binary", "binary", "unary", "cast", "cast"]
    if isinstance(type_, MachineInt):
        kinds += ["wrap", "wrap"] + ["promote", "promote"] * (type_.bits < 32)
    kind = random.choice(kinds)
    if kind == "unary":
        return Apply(random.choice(UNARY), (expression(random, type_, depth - 1),))
    if kind == "cast":
        return Cast(expression(random, random.choice(SCALARS), depth - 1), type_)
    op = random.choice(WRAPPING if kind == "wrap" else INTEGER_BINARY)
    left = expression(random, type_, depth - 1)
    right = _amount(random, type_, depth) if op in SHIFTS else expression(random, type_, depth - 1)
    if kind == "binary":
        return Apply(op, (left, right))
    wider = INT if kind == "wrap" else INT32
    return Cast(Apply(op, (Cast(left, wider), Cast(right, wider))), type_)


def _amount(random: Random, type_: IntType | MachineInt, depth: int) -> Expr:
    """By how much to shift: mostly by little."""
    bits = type_.bits if isinstance(type_, MachineInt) else 20
    if random.randrange(4):
        return Const(random.randint(0, bits), type_)
    return expression(random, type_, min(depth - 1, 1))


def case(random: Random, depth: int = 3, rows: int = 3) -> Case:
    """An expression of any scalar type with that many inputs."""
    expr = expression(random, random.choice(SCALARS), depth)
    used = sorted(free_vars(expr), key=lambda var: var.name)
    inputs = []
    for _ in range(rows if used else 1):
        inputs.append({var.name: value(random, _scalar(var)) for var in used})
    return Case(expr, tuple(inputs))


def _scalar(var: Var) -> ScalarType:
    assert isinstance(var.type, BoolType | IntType | MachineInt | RealType)
    return var.type
