"""Programs on whole arrays as what each element is: operators on scalars, reads of arrays, folds."""

from __future__ import annotations

from functools import reduce

from metalift.driver import CannotWrite, Driver
from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Fold,
    Ite,
    Length,
    Operator,
    Select,
    Var,
    integer,
    real,
    type_of,
)
from metalift.ir.expr.types import BOOL, INT, INT64, MachineInt, ScalarType, TensorType, TupleType
from metalift.ir.expr.walk import free_vars, substitute

OPERATORS = {
    Operator.ADD: "add",
    Operator.SUB: "sub",
    Operator.MUL: "mul",
    Operator.DIV: "div",
    Operator.NEG: "neg",
    Operator.TDIV: "quotient",
    Operator.TREM: "remainder",
    Operator.MIN: "minimum",
    Operator.MAX: "maximum",
    Operator.ABS: "absolute",
    Operator.BITAND: "bit_and",
    Operator.BITOR: "bit_or",
    Operator.BITXOR: "bit_xor",
    Operator.LT: "less",
    Operator.LE: "at_most",
    Operator.EQ: "equal",
    Operator.AND: "both_hold",
    Operator.OR: "either_holds",
    Operator.NOT: "negation",
}
TRUNCATING = {Operator.FDIV: Operator.TDIV, Operator.FMOD: Operator.TREM}


class Elements:
    """The elements of a program's values; `params` are those of the source, `lets` are intermediates that are arrays."""

    def __init__(self, driver: Driver, params: frozenset[str]) -> None:
        self.driver = driver
        self.params = params
        self.lets: dict[Var, Expr] = {}

    def scalar(self, expr: Expr) -> Expr:
        """A scalar. Raises CannotWrite where kernels have nothing for a part of it."""
        match expr:
            case Var() | Const():
                return expr
            case Select(tensor, indices):
                return self.at(tensor, tuple(map(self.index, indices)))
            case Length(tensor, axis):
                return self.extent(tensor, axis)
            case Call(function, args, type_) if function in self.driver.operators:
                if self.driver.operators[function].elementwise:
                    return Call(function, tuple(map(self.scalar, args)), type_)
                return self.scalar(self.meaning(expr))
            case Fold(extent, init, acc, index, body):
                if isinstance(acc.type, TupleType):
                    raise CannotWrite("a loop that keeps several values at once is not written as a kernel")
                return Fold(self.index(extent), self.scalar(init), acc, index, self.scalar(body))
            case Apply() | Cast() | Ite():
                return self.operation(expr)
            case _:
                raise CannotWrite(f"kernels have no {type(expr).__name__.lower()} of {type_of(expr)}")

    def operation(self, expr: Apply | Cast | Ite) -> Expr:
        """Scalar arithmetic of a meaning; what is about indices stays as it is."""
        match expr:
            case Cast(_, type_) if type_ == INT:
                return self.index(expr)
            case Cast(arg, type_):
                return Call("cast", (self.scalar(arg),), type_)
            case Ite(cond, then, other):
                return Call("where", tuple(map(self.scalar, (cond, then, other))), type_of(then))
            case Apply() if type_of(expr) == INT:
                return self.index(expr)
            case Apply(op, args):
                if any(type_of(arg) == INT for arg in args) and type_of(expr) == BOOL:
                    return Apply(op, tuple(map(self.index, args)))
                name = OPERATORS.get(op)
                if name is None:
                    raise CannotWrite(f"kernels have no operator {op.value} on {type_of(args[0])}")
                parts = tuple(map(self.scalar, args))
                if len(parts) > 2:
                    return reduce(lambda left, right: Call(name, (left, right), type_of(expr)), parts)
                return Call(name, parts, type_of(expr))

    def index(self, expr: Expr) -> Expr:
        """An index or a size: integers of 64 bits in kernels; numbers that are computed otherwise are converted."""
        match expr:
            case Cast(Var(_, MachineInt()), type_) if type_ == INT:
                return expr
            case Cast(arg, type_) if type_ == INT:
                value = self.scalar(arg)
                return Cast(value if type_of(value) == INT64 else Call("cast", (value,), INT64), INT)
            case Apply(op, args) if type_of(expr) == INT:
                in_kernel = any(var.name not in self.params for var in free_vars(expr))
                return Apply(TRUNCATING.get(op, op) if in_kernel else op, tuple(map(self.index, args)))
            case Ite() if type_of(expr) == INT:
                raise CannotWrite("a write in some iterations only; write in each: x[i] = new if condition else x[i]")
            case _:
                return self.scalar(expr)

    def at(self, tensor: Expr, indices: tuple[Expr, ...]) -> Expr:
        """An element of a tensor."""
        match tensor:
            case Var() if tensor in self.lets:
                return self.at(self.lets[tensor], indices)
            case Var():
                return Select(tensor, indices)
            case Build(_, binders, body):
                return self.scalar(substitute(body, dict(zip(binders, indices, strict=True))))
            case Call(function, args) if function in self.driver.operators:
                if not self.driver.operators[function].elementwise:
                    return self.at(self.meaning(tensor), indices)
                parts = (self.at(arg, indices) if isinstance(type_of(arg), TensorType) else self.scalar(arg) for arg in args)
                return Call(function, tuple(parts), element(tensor))
            case _:
                raise CannotWrite(f"kernels have no {type(tensor).__name__.lower()} as an array")

    def extent(self, tensor: Expr, axis: int) -> Expr:
        """How many elements a tensor has along an axis."""
        match tensor:
            case Var() if tensor in self.lets:
                return self.extent(self.lets[tensor], axis)
            case Var():
                return Length(tensor, axis)
            case Build(extents):
                return self.index(extents[axis])
            case Call(function, args) if function in self.driver.operators:
                if not self.driver.operators[function].elementwise:
                    return self.extent(self.meaning(tensor), axis)
                return self.extent(next(arg for arg in args if isinstance(type_of(arg), TensorType)), axis)
            case _:
                raise CannotWrite(f"the length of {type(tensor).__name__.lower()} is not known")

    def meaning(self, call: Call) -> Expr:
        """What an operator on arrays computes."""
        instance = self.driver.operators[call.function].instantiate(tuple(type_of(arg) for arg in call.args), call.type)
        return substitute(instance.body, dict(zip(instance.params, call.args, strict=True)))


def element(expr: Expr) -> ScalarType:
    """The type of a tensor's elements."""
    type_ = type_of(expr)
    assert isinstance(type_, TensorType)
    return type_.element


def zero(type_: ScalarType) -> Const:
    """The number 0 of a type."""
    if type_ == BOOL:
        return Const(False, type_)
    return integer(0, type_) if isinstance(type_, MachineInt) else real(0, type_)
