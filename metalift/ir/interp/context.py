"""What an evaluation knows beside the expression, and how values come into the interpreter and leave it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any, TypeAlias, assert_never

from metalift.ir.expr.nodes import Var
from metalift.ir.expr.types import BoolType, FunctionType, IntType, MachineInt, RealType, TensorType, TupleType, Type, show_type
from metalift.ir.interp.arithmetic import fits
from metalift.ir.interp.reals import Reals
from metalift.ir.interp.values import Array, LimitExceeded, SourceUndefined, Tensor, Undef, Value, tensor_of

Functions: TypeAlias = Mapping[str, Callable[..., Value]]
Domain: TypeAlias = Callable[[Var], Iterable[Value]]
NO_FUNCTIONS: Functions = {}


@dataclass(slots=True)
class Context:
    """What stays the same during an evaluation, and the steps that are left."""

    reals: Reals
    functions: Functions
    domain: Domain | None
    steps: int

    def spend(self, steps: int) -> None:
        """Counts steps; raises LimitExceeded when none are left."""
        self.steps -= steps
        if self.steps < 0:
            raise LimitExceeded("the evaluation takes too many steps")


# What a closure returns depends on the type of its expression, which Python's type system does not follow.
Code: TypeAlias = "Callable[[Scope], Any]"
Kept: TypeAlias = "dict[Code, tuple[list[Value | None], Any]]"


@dataclass(slots=True)
class Scope:
    """Values of the variables by name. `kept`: the last value of each loop of this expression, with what it was computed from.

    It is None outside of all loops of a statement: what an array holds changes between two statements, not within one.
    """

    values: dict[str, Value]
    context: Context
    kept: Kept | None = None

    def inner(self) -> Scope:
        """The scope of a loop's body."""
        return Scope(dict(self.values), self.context, {} if self.kept is None else self.kept)


_INNER = frozenset({Undef, Tensor, Array})


def enter(value: Value, type_: Type, reals: Reals) -> Value:
    """The interpreter's form of a value from outside."""
    if type(value) in _INNER:
        return value
    raw: Any = value
    match type_:
        case RealType(bits):  # most of them
            return reals.enter(raw, bits)
        case BoolType():
            return bool(value)
        case IntType() | MachineInt():
            number = int(raw)
            if not fits(number, type_):
                raise ValueError(f"{number} is no {show_type(type_)}")
            return number
        case TupleType(items):
            assert isinstance(value, tuple)
            return tuple(enter(item, item_type, reals) for item, item_type in zip(value, items, strict=True))
        case TensorType(element, rank):
            tensor = tensor_of(list(raw), rank)
            return Tensor(tensor.shape, [enter(cell, element, reals) for cell in tensor.cells])
        case FunctionType(_, result):
            return _entered(raw, result, reals)
        case _:
            assert_never(type_)


def _entered(function: Callable[..., Value], result: Type, reals: Reals) -> Any:  # noqa: ANN401 - a function is no other value
    """The interpreter's form of a function from outside."""
    return lambda *args: enter(function(*(leave(arg) for arg in args)), result, reals)


def leave(value: Value) -> Value:
    """The outside's form of a value, all of whose parts must have a meaning."""
    match value:
        case Undef():
            raise value.error()
        case Tensor():
            return value.nested()
        case tuple():
            return tuple(leave(item) for item in value)
        case _:
            return value


def once(loop: Code, names: Sequence[str]) -> Code:
    """The loop, which is not run again as long as the variables of these names, all that it reads, have the values they had."""

    def code(scope: Scope) -> Value:
        if scope.kept is None:
            return loop(scope)
        values = [scope.values.get(name) for name in names]
        last = scope.kept.get(loop)
        if last is None or not all(map(is_, values, last[0])):
            scope.kept[loop] = last = values, loop(scope)
        return last[1]

    return code


def lazily(code: Code, scope: Scope) -> Value:
    """The value of a part that need not be used."""
    try:
        return code(scope)
    except SourceUndefined as error:
        return Undef(error.reason, error.location, error.too_large)
