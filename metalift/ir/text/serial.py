"""IR as plain JSON data and back, for certificates: exact, and nothing but the classes listed here can come out of it."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction

from metalift.ir.expr import nodes, types
from metalift.ir.expr.nodes import Operator
from metalift.ir.program import summary

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_TYPES = (types.BoolType, types.IntType, types.MachineInt, types.RealType, types.TupleType, types.TensorType, types.FunctionType)
_NODES = (
    nodes.Var, nodes.Const, nodes.Apply, nodes.Cast, nodes.Ite, nodes.Select, nodes.Length, nodes.Call, nodes.MakeTuple,
    nodes.Item, nodes.Build, nodes.Filter, nodes.Fold, nodes.Update, nodes.Forall, nodes.Exists, nodes.Lambda,
    nodes.Invoke,
)  # fmt: skip
_SUMMARIES = (
    summary.LoopSummary, summary.LoopInvariant, summary.Binding, summary.Summary, summary.Let, summary.Write,
    summary.TargetProgram, summary.Stretch, summary.Choice, summary.Repeat, summary.StagedSummary, summary.StagedProgram,
    summary.StatedLemma, summary.Aids,
)  # fmt: skip
_CLASSES: dict[str, type] = {cls.__name__: cls for cls in (*_TYPES, *_NODES, *_SUMMARIES)}


FRACTION = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")  # "1e999999999" would be a number of a billion digits


class NotReadable(Exception):
    """The data is not what `to_data` writes."""


def to_data(value: object) -> Json:
    """An expression, type, summary or program as JSON data: an object is its class name and its fields in order."""
    if isinstance(value, Operator):
        return {"op": value.value}
    if isinstance(value, Enum):
        raise TypeError(f"{value} has no place in a certificate")
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, tuple):
        return [to_data(item) for item in value]
    if is_dataclass(value) and type(value).__name__ in _CLASSES:
        return {"is": type(value).__name__, "of": [to_data(getattr(value, field.name)) for field in fields(value)]}
    raise TypeError(f"{type(value).__name__} has no place in a certificate")


def from_data(data: object) -> object:
    """The inverse of `to_data`. Raises NotReadable; what comes out still has to be checked for types."""
    match data:
        case None | bool() | int() | str():
            return data
        case list():
            return tuple(from_data(item) for item in data)
        case {"op": str(name), **rest} if not rest:
            return _made(Operator, (name,))
        case {"fraction": str(text), **rest} if not rest and FRACTION.fullmatch(text):
            return _made(Fraction, (text,))
        case {"is": str(name), "of": list(parts), **rest} if not rest and name in _CLASSES:
            return _made(_CLASSES[name], tuple(from_data(part) for part in parts))
        case _:
            raise NotReadable(f"not part of a certificate: {str(data)[:80]}")


def _made(cls: type, parts: tuple[object, ...]) -> object:
    try:
        return cls(*parts)
    except (TypeError, ValueError, ZeroDivisionError) as problem:
        raise NotReadable(f"not a {cls.__name__}: {problem}") from None
