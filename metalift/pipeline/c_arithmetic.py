"""Integer arithmetic as the source has it, C's or Python's, in the place of what Python and NumPy code writes for it.

A summary that is changed so is a proposal as before: the program that is made of it is proved to compute what the source does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, Fold, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, INT32, INT64, MachineInt, RealType, ScalarType, TensorType, Type, element_of, is_integer
from metalift.ir.expr.walk import free_vars, map_children, transform
from metalift.ir.program.summary import Binding, Summary

LINEAR = (Operator.ADD, Operator.SUB, Operator.MUL, Operator.NEG)


def with_c_arithmetic(term: Expr) -> Expr:
    """The term with exact sums and products that are stored into a machine integer as sums and products in it, which are the same
    modulo its range; with truncated quotients of integers for those that go by way of floats; without ways back and forth between
    types, as a number of Python is wider than the source's.
    """
    return transform(_changed, term)


def has_limits(type_: Type) -> bool:
    """Whether it is a machine integer, or an array of some."""
    return isinstance(element_of(type_), MachineInt)


def with_python_integers(summary: Summary) -> Summary:
    """The summary with integers without limits, as Python's are, where NumPy has machine integers; as it is where an intermediate
    array has them.
    """
    types = [each.var.type for each in summary.bindings]
    if any(isinstance(each, TensorType) and has_limits(each) for each in types):
        return summary
    wide = {each.var: Var(each.var.name, INT) for each in summary.bindings if isinstance(each.var.type, MachineInt)}
    bindings = tuple(Binding(wide.get(each.var, each.var), _unlimited(each.value, wide)) for each in summary.bindings)
    return replace(summary, bindings=bindings, outputs=tuple((name, _unlimited(term, wide)) for name, term in summary.outputs))


def _unlimited(expr: Expr, known: Mapping[Var, Var]) -> Expr:
    match expr:
        case Var():
            return known.get(expr, expr)
        case Const(value, MachineInt()):
            return integer(int(value))
        case Cast(arg, type_):
            inner = _unlimited(arg, known)
            wanted = INT if isinstance(type_, MachineInt) else type_
            return inner if type_of(inner) == wanted else Cast(inner, wanted)
        case Fold(extent, init, Var(name, MachineInt()) as acc, index, body):
            wide = Var(name, INT)
            parts = _unlimited(extent, known), _unlimited(init, known), _unlimited(body, {**known, acc: wide})
            return Fold(*parts[:2], wide, index, parts[2])
        case _:
            return map_children(lambda part: _unlimited(part, known), expr)


def _changed(expr: Expr) -> Expr:
    match expr:
        case Cast(Call("trunc", (Apply(Operator.DIV, (left, right)),), _) | Apply(Operator.DIV, (left, right)), type_):
            one, other = _integer(left), _integer(right)
            if is_integer(type_) and one is not None and other is not None:
                quotient = Apply(Operator.TDIV, (one, other))
                return modular(quotient, type_) if isinstance(type_, MachineInt) else quotient
        case Cast(Cast(arg, between), type_) if type_of(arg) == type_ and (between == INT or isinstance(between, RealType)):
            if isinstance(type_, RealType) or between == INT:
                return arg
        case Cast(Cast(arg, between), type_) if type_ == type_of(arg) == INT and between == INT64:  # as NumPy holds a list's
            return arg
        case Cast(Apply() | Fold() | Ite() as arg, MachineInt() as type_) if type_of(arg) == INT:
            if type_.bits < INT32.bits:  # C promotes: nothing is computed in fewer bits
                return Cast(modular(arg, INT32), type_)
            return modular(arg, type_)
    return expr


def modular(expr: Expr, type_: MachineInt) -> Expr:
    """An integer in the machine type, equal modulo its range."""
    match expr:
        case Const(int() as value):
            return Const((value - type_.low) % (type_.high - type_.low + 1) + type_.low, type_)
        case Cast(arg, found) if found == INT and is_integer(type_of(arg)):
            return _within(arg, type_)
        case Apply(op, args) if op in LINEAR and type_of(expr) == INT:
            return Apply(op, tuple(modular(arg, type_) for arg in args))
        case Apply(Operator.TDIV | Operator.TREM as op, args) if all(_fits(arg, type_) for arg in args):
            return Apply(op, tuple(modular(arg, type_) for arg in args))
        case Ite(cond, then, other) if type_of(expr) == INT:
            return Ite(cond, modular(then, type_), modular(other, type_))
        case Fold(extent, init, acc, index, Apply(Operator.ADD, args)) if acc.type == INT and acc in args:
            others = list(args)
            others.remove(acc)
            if all(acc not in free_vars(other) for other in others):
                narrow = Var(acc.name, type_)
                parts = (narrow, *(modular(other, type_) for other in others))
                return Fold(extent, modular(init, type_), narrow, index, Apply(Operator.ADD, parts))
    return _within(expr, type_)


def _within(expr: Expr, type_: ScalarType) -> Expr:
    return expr if type_of(expr) == type_ else Cast(expr, type_)


def _fits(expr: Expr, type_: MachineInt) -> bool:
    """Whether an exact integer is a value of the machine type on its face."""
    match expr:
        case Cast(arg, found) if found == INT:
            return type_of(arg) == type_
        case Const(int() as value):
            return type_.low <= value <= type_.high
        case _:
            return False


def _integer(expr: Expr) -> Expr | None:
    """The exact integer that was made a float; None where it was none."""
    match expr:
        case Cast(arg, RealType()) if is_integer(type_of(arg)):
            return arg if type_of(arg) == INT else Cast(arg, INT)
        case Const(value, RealType()) if value == int(value):
            return integer(int(value))
        case _:
            return None
