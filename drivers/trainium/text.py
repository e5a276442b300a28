"""Which elements of an array an index is, as an access pattern of NKI, and its names of types."""

from __future__ import annotations

from metalift.driver import CannotWrite
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Const, Expr
from metalift.ir.expr.types import BOOL, FLOAT, INT, MachineInt, ScalarType
from metalift.ir.program.kernel import COLUMN, ROW

from .._tiles.python_text import size


def pattern(indices: tuple[Expr, ...], strides: tuple[Expr, ...], rows: str, columns: str) -> str:
    """The elements [ROW, COLUMN] of an array: [[step, number] of rows, of columns], from an offset on."""
    flat = Polynomial.of(Const(0, INT))
    for index, stride in zip(indices, strides, strict=True):
        flat = flat + Polynomial.of(index) * Polynomial.of(stride)
    affine = flat.affine_in((ROW, COLUMN))
    if affine is None:
        raise CannotWrite("an index that is no sum of multiples of row and column")
    steps, rest = affine
    parts = [f"[{size(steps[var].to_expr())}, {count}]" for var, count in ((ROW, rows), (COLUMN, columns))]
    return f".ap([{', '.join(parts)}], offset={size(rest.to_expr())})"


def dtype(type_: ScalarType) -> str:
    """The name of an element type."""
    if type_ == BOOL:
        return "nl.uint8"
    if type_ == FLOAT:
        return "nl.float32"
    if isinstance(type_, MachineInt) and type_.bits in (8, 16, 32):
        return f"nl.{'' if type_.signed else 'u'}int{type_.bits}"
    raise CannotWrite("elements that are neither fp32 nor integers of 8, 16 or 32 bits")
