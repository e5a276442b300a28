"""Fragments that have a signature only: enough for what needs no body."""

from __future__ import annotations

from metalift.ir.fragment import Fragment, Location, Param, ParamKind
from metalift.ir.nodes import Var
from metalift.ir.types import ScalarType, TensorType, Type


def pointer(name: str, element: ScalarType, c_type: str) -> Param:
    """A pointer parameter."""
    return _array(name, element, c_type, ParamKind.POINTER)


def vector(name: str, element: ScalarType, c_type: str) -> Param:
    """A vector parameter."""
    return _array(name, element, c_type, ParamKind.VECTOR)


def vector_reference(name: str, element: ScalarType, c_type: str) -> Param:
    """A vector parameter by reference."""
    return _array(name, element, c_type, ParamKind.VECTOR_REF)


def scalar(name: str, type_: Type, c_type: str) -> Param:
    """A scalar parameter."""
    return Param(Var(name, type_), ParamKind.VALUE, c_type)


def signature(name: str, params: tuple[Param, ...], result: Type | None = None) -> Fragment:
    """A fragment without blocks."""
    return Fragment(name, params, result, (), (), Location("kernel", 1), "")


def _array(name: str, element: ScalarType, c_type: str, kind: ParamKind) -> Param:
    return Param(Var(name, TensorType(element)), kind, c_type)
