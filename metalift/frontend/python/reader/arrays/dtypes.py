"""Types of NumPy's arrays and PyTorch's tensors, and what operators compute of two elements.

Sources: the tables of `numpy.result_type` and of `ufunc.types` in NumPy 2, where a number of Python takes the type of the array
that it meets; PyTorch's are named below. Integers of up to 32 bits, and unsigned ones, wrap around; that those of 64 bits do not
leave their range is relied on. Floats are finite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import partial

from metalift.frontend.lower.c_scalars import cast, choose, connect, question
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.numbers import Mismatch, wraps
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import Apply, Call, Const, Expr, Operator, type_of
from metalift.ir.expr.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    BoolType,
    IntType,
    MachineInt,
    RealType,
    ScalarType,
    is_integer,
    kind_of,
)
from metalift.ir.interp.functions import FUNCTIONS

INT64 = MachineInt(64, True)
Step = Callable[[Expr, Expr], Expr]
ARITHMETIC = {"add": Operator.ADD, "subtract": Operator.SUB, "multiply": Operator.MUL}
_ROUNDED_DOWN = {"floor_divide": Operator.FDIV, "remainder": Operator.FMOD, "mod": Operator.FMOD}
_REMAINDERS = frozenset({"fmod"})  # with the sign of the dividend
_BITS = {
    "bitwise_and": Operator.BITAND,
    "bitwise_or": Operator.BITOR,
    "bitwise_xor": Operator.BITXOR,
    "left_shift": Operator.SHL,
    "right_shift": Operator.SHR,
}
RELATIONS = {"less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne"}
_EXTREMA = {"maximum": Operator.MAX, "minimum": Operator.MIN, "fmax": Operator.MAX, "fmin": Operator.MIN}
_LOGICAL = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor"}
_FLOATS = {"arctan2": "atan2", "hypot": "hypot"}
BINARY = frozenset({*ARITHMETIC, *_ROUNDED_DOWN, *_BITS, *RELATIONS, *_EXTREMA, *_LOGICAL, *_FLOATS, *_REMAINDERS})
BINARY |= {"divide", "true_divide", "power"}
SPELLED = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
}
ROUNDED = {"round": "rint", "around": "rint", "fix": "trunc"}
OTHERS = frozenset(
    "negative positive absolute abs fabs square sign reciprocal logical_not invert bitwise_not isfinite".split()
)


def function_of(name: str) -> str:
    """The function of the expression language that a function of NumPy is on one number; empty where it is none."""
    simple = SPELLED.get(name, ROUNDED.get(name, name))
    return simple if simple in FUNCTIONS and FUNCTIONS[simple].arity == 1 and name not in SPELLED.values() else ""


def operands_of(name: str) -> int:
    """How many operands NumPy's function takes element by element; 0 for others."""
    return 2 if name in BINARY else 1 if name in OTHERS or function_of(name) else 0


def dtype_of(type_: ScalarType) -> ScalarType:
    """The dtype of an array of such numbers: Python's ints become int64."""
    if is_integer(type_) and not isinstance(type_, MachineInt):
        return INT64
    return type_


class Weight(IntEnum):
    """What an operand counts for when dtypes meet: an array; a number that the library made; one of Python."""

    ARRAY = 0
    NUMBER = 1
    PYTHON = 2


class Rules:
    """The rules of NumPy's dtypes."""

    wraps_numbers = False  # whether an int of Python that does not fit the integers of an array wraps around
    real: ScalarType = DOUBLE  # the dtype of new arrays

    def meeting(self, types: Sequence[tuple[ScalarType, Weight]]) -> ScalarType:
        """The dtype of operands; a float of Python leaves a float32 array what it is."""
        strong = [type_ for type_, weight in types if weight is not Weight.PYTHON]
        weak = [type_ for type_, weight in types if weight is Weight.PYTHON]
        result: ScalarType | None = None
        for type_ in strong:
            result = type_ if result is None else promoted(result, type_)
        for type_ in weak:
            if result is None:
                result = dtype_of(type_)
            elif isinstance(type_, RealType):
                result = self.real_of(result)
            else:
                result = promoted(result, type_)
        assert result is not None, "there are operands"
        return result

    def real_of(self, dtype: ScalarType) -> ScalarType:
        """The dtype of a quotient or mean of numbers of this one."""
        return dtype if isinstance(dtype, RealType) else DOUBLE

    def as_float(self, dtype: ScalarType) -> ScalarType:
        """The dtype of a function of floats on an array of this one."""
        if isinstance(dtype, RealType):
            return dtype
        if isinstance(dtype, MachineInt) and dtype.bits >= 16:
            return FLOAT if dtype.bits == 16 else DOUBLE
        message = "a function whose result NumPy gives as float16 here, which is not modelled; convert it with astype(float)"
        raise Mismatch(message)

    def summed(self, dtype: ScalarType) -> ScalarType:
        """The dtype of a sum: integers are added up in 64 bits."""
        if isinstance(dtype, RealType):
            return dtype
        return MachineInt(64, not isinstance(dtype, MachineInt) or dtype.signed)

    def entering(self, dtype: ScalarType) -> Callable[[Expr], Expr]:
        """What becomes of an operand before a step in a dtype, beyond what the step does to it."""
        return lambda expr: expr


class TensorRules(Rules):
    """The rules of PyTorch's: a number, or tensor without axes, only counts where it is of a higher kind than the tensors are.

    Source: `torch.result_type`, and c10/core/ScalarType.h for the table. Integers meet floats in the float's dtype.
    """

    wraps_numbers = True
    real: ScalarType = FLOAT

    def meeting(self, types: Sequence[tuple[ScalarType, Weight]]) -> ScalarType:
        """The dtype of operands."""
        result: ScalarType | None = None
        for weight in (Weight.PYTHON, Weight.NUMBER, Weight.ARRAY):  # each as it is among its like, then against the lighter ones
            met: ScalarType | None = None
            for type_ in (each for each, own in types if own is weight):
                own = default_of(type_) if weight is Weight.PYTHON else dtype_of(type_)
                met = own if met is None else self.promoted(met, own)
            if met is not None:
                result = met if result is None or kind_of(met) >= kind_of(result) else self.promoted(met, result)
        assert result is not None, "there are operands"
        return result

    @staticmethod
    def promoted(one: ScalarType, other: ScalarType) -> ScalarType:
        """The dtype in which two meet."""
        reals = [each for each in (one, other) if isinstance(each, RealType)]
        return reals[0] if len(reals) == 1 else promoted(one, other)

    def real_of(self, dtype: ScalarType) -> ScalarType:
        """The dtype of a quotient."""
        return dtype if isinstance(dtype, RealType) else FLOAT

    as_float = real_of

    def summed(self, dtype: ScalarType) -> ScalarType:
        """The dtype of a sum."""
        return dtype if isinstance(dtype, RealType) else INT64

    def entering(self, dtype: ScalarType) -> Callable[[Expr], Expr]:
        """Integers are brought into the range of the dtype first."""
        if not isinstance(dtype, MachineInt):
            return lambda expr: expr
        return lambda expr: cast(expr, dtype) if is_integer(type_of(expr)) else expr


def default_of(type_: ScalarType) -> ScalarType:
    """PyTorch's dtype of a number of Python."""
    return FLOAT if isinstance(type_, RealType) else dtype_of(type_)


def promoted(one: ScalarType, other: ScalarType) -> ScalarType:
    """The dtype in which two dtypes meet; the int and the float of Python are weak."""
    if one == other:
        return one
    weak = [each for each in (one, other) if isinstance(each, IntType) and not isinstance(each, MachineInt)]
    if weak:
        strong = other if one in weak else one
        return INT64 if isinstance(strong, BoolType) else strong
    if isinstance(one, BoolType) or isinstance(other, BoolType):
        return other if isinstance(one, BoolType) else one
    match one, other:
        case MachineInt(), MachineInt():
            return _integers(one, other)
        case (MachineInt(bits), RealType() as real) | (RealType() as real, MachineInt(bits)):
            return real if bits <= 16 else DOUBLE
        case _:
            return DOUBLE


def _integers(one: MachineInt, other: MachineInt) -> ScalarType:
    if one.signed == other.signed:
        return one if one.bits >= other.bits else other
    signed, unsigned = (one, other) if one.signed else (other, one)
    if signed.bits > unsigned.bits:
        return signed
    return MachineInt(2 * unsigned.bits, True) if unsigned.bits < 64 else DOUBLE


def exactly(dtype: ScalarType, step: Step) -> Step:
    """A step on integers, computed exactly and then brought into the range of the dtype."""
    return lambda a, b: scalars.wrapped(dtype, step, a, b)


def binary(rules: Rules, name: str, dtype: ScalarType) -> tuple[ScalarType, Step]:  # noqa: C901 (one case for each family)
    """The dtype of a result, and the step, of operands whose dtypes meet in `dtype`."""
    if name in RELATIONS:
        return BOOL, lambda a, b: scalars.compare(RELATIONS[name], a, b)
    if name in _LOGICAL:
        return BOOL, lambda a, b: connect(_LOGICAL[name], scalars.truth(a), scalars.truth(b))
    if name in _EXTREMA:
        return dtype, lambda a, b: scalars.extremum(_EXTREMA[name], scalars.convert(a, dtype), scalars.convert(b, dtype))
    if name in _FLOATS:
        real = rules.as_float(dtype)
        return real, lambda a, b: _of_floats(_FLOATS[name], scalars.convert(a, real), scalars.convert(b, real), real)
    if name in ("divide", "true_divide"):
        real = rules.real_of(dtype)
        return real, lambda a, b: Apply(Operator.DIV, (scalars.convert(a, real), scalars.convert(b, real)))
    if dtype == BOOL:
        return _of_truths(name)
    if name in ARITHMETIC:
        return dtype, exactly(dtype, lambda a, b: scalars.add(ARITHMETIC[name], a, b))
    if name in _ROUNDED_DOWN:
        return dtype, exactly(dtype, lambda a, b: scalars.floor_divide(_ROUNDED_DOWN[name], a, b))
    if name in _REMAINDERS:
        whole = is_integer(dtype)
        return dtype, exactly(dtype, lambda a, b: Apply(Operator.TREM, (a, b)) if whole else Call("fmod", (a, b), dtype))
    if name in _BITS and is_integer(dtype):
        return dtype, exactly(dtype, lambda a, b: scalars.bitwise(_BITS[name], a, b))
    if name == "power":
        return dtype, _power(dtype)
    raise Mismatch(f"{name} on arrays of floats, which NumPy does not have")


def _of_truths(name: str) -> tuple[ScalarType, Step]:
    """Operators on arrays of truth values: +, * and the operators on bits are connectives."""
    connective = {"add": "or", "multiply": "and", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor"}.get(name)
    if connective is None:
        raise Mismatch(f"{name} on arrays of truth values; convert them with astype(int)")
    return BOOL, lambda a, b: connect(connective, a, b)


def _of_floats(name: str, a: Expr, b: Expr, real: ScalarType) -> Expr:
    if name == "hypot":
        squares = Apply(Operator.ADD, (Apply(Operator.MUL, (a, a)), Apply(Operator.MUL, (b, b))))
        return Call("sqrt", (squares,), real)
    zero = cast(Const(0, INT), real)
    origin = connect("and", scalars.compare("eq", a, zero), scalars.compare("eq", b, zero))
    return choose(origin, zero, Call(name, (a, b), real))


def _power(dtype: ScalarType) -> Step:
    def step(base: Expr, exponent: Expr) -> Expr:
        if isinstance(dtype, RealType):
            whole = isinstance(exponent, Const) and is_integer(type_of(exponent))
            return scalars.power(scalars.convert(base, dtype), exponent if whole else _literal(exponent, dtype))
        if not isinstance(exponent, Const) or not is_integer(type_of(exponent)) or exponent.value < 0:
            raise Mismatch("an array of integers to a power that is no number from 0 on; convert it with astype(float)")
        if not wraps(dtype):
            return scalars.power(scalars.convert(base, dtype), exponent)
        return cast(scalars.power(scalars.convert(base, INT), exponent), dtype)

    return step


def _literal(exponent: Expr, dtype: ScalarType) -> Expr:
    return exponent if isinstance(exponent, Const) else scalars.convert(exponent, dtype)


def unary(name: str, dtype: ScalarType) -> tuple[ScalarType, Callable[[Expr], Expr]] | None:
    """The dtype of the result and the step of an operator of one array; None where it is a function of floats, or none."""
    if name == "logical_not":
        return BOOL, lambda a: neg(scalars.truth(a))
    if name == "isfinite" and isinstance(dtype, RealType):
        return BOOL, partial(question, name)
    if name in ("invert", "bitwise_not"):
        if isinstance(dtype, RealType):
            return None
        return dtype, neg if dtype == BOOL else lambda a: cast(scalars.invert(scalars.convert(a, INT)), dtype)
    if dtype == BOOL or (name in ("fabs", "reciprocal") and not isinstance(dtype, RealType)):
        return None
    step = _steps(dtype).get(name)
    return None if step is None else (dtype, step)


def _steps(dtype: ScalarType) -> dict[str, Callable[[Expr], Expr]]:
    """Operators that keep the dtype."""
    return {
        "negative": scalars.negative,
        "positive": lambda a: a,
        "absolute": scalars.absolute,
        "abs": scalars.absolute,
        "fabs": scalars.absolute,
        "square": lambda a: scalars.wrapped(dtype, partial(scalars.applied, Operator.MUL), a, a),
        "sign": lambda a: _sign(a, dtype),
        "reciprocal": lambda a: Apply(Operator.DIV, (cast(Const(1, INT), dtype), a)),
    }


def _sign(expr: Expr, dtype: ScalarType) -> Expr:
    zero, one = cast(Const(0, INT), dtype), cast(Const(1, INT), dtype)
    less = cast(Const(-1, INT), dtype)
    return choose(scalars.compare("gt", expr, zero), one, choose(scalars.compare("lt", expr, zero), less, zero))
