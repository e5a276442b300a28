"""Fragments that have a signature only: enough for what needs no body."""

from __future__ import annotations

from dataclasses import replace

from metalift.ir.expr.nodes import Var
from metalift.ir.expr.types import ScalarType, TensorType, Type
from metalift.ir.program.fragment import Field, Fragment, Location, Param, ParamKind


def pointer(name: str, element: ScalarType, c_type: str, rank: int = 1) -> Param:
    """A pointer parameter."""
    return _array(name, element, c_type, ParamKind.POINTER, rank)


def vector(name: str, element: ScalarType, c_type: str, rank: int = 1) -> Param:
    """A vector parameter."""
    return _array(name, element, c_type, ParamKind.VECTOR, rank)


def vector_reference(name: str, element: ScalarType, c_type: str, rank: int = 1) -> Param:
    """A vector parameter by reference."""
    return _array(name, element, c_type, ParamKind.VECTOR_REF, rank)


def scalar(name: str, type_: Type, c_type: str) -> Param:
    """A scalar parameter."""
    return Param(Var(name, type_), ParamKind.VALUE, c_type)


def field(param: Param, parameter: str, c_type: str, access: str) -> Param:
    """The parameter as a field of a struct."""
    return replace(param, field=Field(parameter, c_type, access))


def signature(name: str, params: tuple[Param, ...], result: Type | None = None) -> Fragment:
    """A fragment without blocks."""
    return Fragment(name, params, result, (), (), Location("kernel", 1), "")


def _array(name: str, element: ScalarType, c_type: str, kind: ParamKind, rank: int) -> Param:
    return Param(Var(name, TensorType(element, rank)), kind, c_type)
