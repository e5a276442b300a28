"""Unsigned arithmetic done in a wider signed type.

Some targets only store unsigned types; and where small values went through one for the sake of C's rules, casts go away.
"""

from __future__ import annotations

from collections.abc import Iterator

from metalift.ir.arith.polynomial import widens
from metalift.ir.expr.build import to_int
from metalift.ir.expr.nodes import Apply, Cast, Expr, Ite, type_of
from metalift.ir.expr.types import BOOL, INT32, INT64, MachineInt, ScalarType, Type
from metalift.synth.cover.by_intervals import fits
from metalift.synth.cover.normal_operators import cast_form

UNSIGNED: frozenset[ScalarType] = frozenset(MachineInt(bits, False) for bits in (16, 32, 64))


def computed_wider(expr: Expr, stored: frozenset[ScalarType] = UNSIGNED) -> Expr:
    """An equal term for an operator on such types, a comparison of them, or a cast of such an operator."""
    match expr:
        case Cast(Apply() | Ite() as arg, type_) if type_of(arg) in stored:
            wide = _wide_type([arg], stored)
            return expr if wide is None else cast_form(_in_type(arg, wide, stored), type_)
        case Apply() | Ite() if type_of(expr) in stored:
            wide = _wide_type([expr], stored)
            return expr if wide is None else Cast(_in_type(expr, wide, stored), type_of(expr))
        case Apply(op, args) if type_of(expr) == BOOL and any(type_of(arg) in stored for arg in args):
            wide = _wide_type(list(args), stored)
            return expr if wide is None else Apply(op, tuple(_in_type(arg, wide, stored) for arg in args))
        case _:
            return expr


def compared_exactly(expr: Expr) -> Expr:
    """The comparison of two machine integers as that of the numbers that they are; other terms as they are."""
    match expr:
        case Apply(op, args) if type_of(expr) == BOOL and all(isinstance(type_of(arg), MachineInt) for arg in args):
            return Apply(op, tuple(map(to_int, args)))
        case _:
            return expr


def _wide_type(exprs: list[Expr], stored: frozenset[ScalarType]) -> MachineInt | None:
    """The type for the arithmetic: 32 bits where all values that occur visibly fit, otherwise 64; None where they may not fit."""
    parts = [part for expr in exprs for part in _region(expr, stored)]
    if all(fits(part, INT32) for part in parts):
        return INT32
    return INT64 if all(widens(type_of(part), INT64) for part in parts) else None


def _region(expr: Expr, stored: frozenset[ScalarType]) -> Iterator[Expr]:
    """The expression and, as far down as it is arithmetic of such types, its operands."""
    yield expr
    for part in _operands(expr, stored):
        yield from _region(part, stored)


def _operands(expr: Expr, stored: frozenset[ScalarType]) -> tuple[Expr, ...]:
    if type_of(expr) not in stored:
        return ()
    match expr:
        case Apply(_, args):
            return args
        case Ite(_, then, other):
            return (then, other)
        case _:
            return ()


def _in_type(expr: Expr, wide: MachineInt, stored: frozenset[ScalarType]) -> Expr:
    """The same number, computed in the wide type."""
    operands = tuple(_in_type(part, wide, stored) for part in _operands(expr, stored))
    match expr:
        case Apply(op, _) if operands:
            return Apply(op, operands)
        case Ite(cond, _, _) if operands:
            return Ite(cond, *operands)
        case Cast(arg, MachineInt()) if _fits(arg, expr.type):
            return cast_form(arg, wide)
        case _:
            return cast_form(expr, wide)


def _fits(arg: Expr, type_: Type) -> bool:
    """Whether a cast to the type visibly keeps the number."""
    return isinstance(type_of(arg), MachineInt) and isinstance(type_, MachineInt) and fits(arg, type_)
