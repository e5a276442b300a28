"""A spelled expression: its tree, and what is known of it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from metalift.codegen.request import CannotSpell
from metalift.codegen.views import Size
from metalift.ir.expr.types import ScalarType, TensorType, Type, show_type

VIEW_NAMES = frozenset(
    "T mT view reshape ravel flatten unflatten transpose permute swapaxes moveaxis flip expand expand_as broadcast_to squeeze "
    "unsqueeze as_strided diagonal real imag narrow select unfold asarray astype to type contiguous detach".split()
)
SPELLED = "spelled "
SPREAD = "one value in many places"  # among the arrays whose memory a tensor may share: its elements are not apart


@dataclass(frozen=True)
class Spelled:
    """A spelled expression: `number` is a plain Python number, no tensor; `aliases` are the arrays whose memory it may share."""

    tree: ast.expr
    number: bool = False
    aliases: frozenset[str] = frozenset()
    lengths: tuple[Size | None, ...] = ()


def spelled_as(template: str, *params: str) -> str:
    """The name of a function that is no operator, and that is spelled so on its arguments."""
    return f"{SPELLED}{' '.join(params)}:{template}"


def scalar_of(type_: Type) -> ScalarType:
    """The type itself, or that of a tensor's elements."""
    element = type_.element if isinstance(type_, TensorType) else type_
    if isinstance(element, TensorType) or not isinstance(element, ScalarType):
        raise CannotSpell(f"{show_type(type_)} has no element type")
    return element


def may_be_view(tree: ast.expr) -> bool:
    """Whether a spelled operator may return memory of its arguments: fresh results come from arithmetic and most functions."""
    return viewed(tree) is not None


def viewed(tree: ast.expr) -> str | None:
    """The name of the array of which a spelled operator may return memory."""
    match tree:
        case ast.Call(func=ast.Attribute(attr=attr, value=receiver)):
            return viewed(receiver) if attr in VIEW_NAMES else None
        case ast.Subscript(value=value, slice=index):
            by_tensor = isinstance(index, ast.Call) and isinstance(index.func, ast.Attribute)
            return None if by_tensor else viewed(value)
        case ast.Attribute(value=value):
            return viewed(value)
        case ast.Name(id=name):
            return name
        case _:
            return None
