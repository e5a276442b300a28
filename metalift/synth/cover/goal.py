"""What is to be covered: a scalar, or a tensor given by its element function."""

from __future__ import annotations

from dataclasses import dataclass

from metalift.ir.arith.polynomial import Polynomial, widens
from metalift.ir.expr.filters import count
from metalift.ir.expr.nodes import (
    BITWISE,
    Apply,
    Build,
    Cast,
    Const,
    Expr,
    Filter,
    Fold,
    Ite,
    Length,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import INT, INT64, IntType, MachineInt, TensorType, Type, is_integer
from metalift.ir.expr.walk import alpha_key, free_vars, fresh_var, names, substitute
from metalift.synth.cover.normal import normal
from metalift.synth.cover.normal_operators import cast_form
from metalift.vcgen.erasure import erased


@dataclass(frozen=True, slots=True)
class Goal:
    """The tensor with these extents whose element at the binders is the body, in normal form; without binders, a scalar."""

    extents: tuple[Expr, ...]
    binders: tuple[Var, ...]
    body: Expr

    @property
    def expr(self) -> Expr:
        """The goal as an expression."""
        return Build(self.extents, self.binders, self.body) if self.binders else self.body

    @property
    def key(self) -> Expr:
        """Equal for goals that differ in the names of binders only."""
        return canonical(self.expr)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.binders)

    @property
    def type(self) -> Type:
        """The type of the tensor or scalar."""
        return type_of(self.expr)

    def used(self) -> frozenset[Var]:
        """The binders that the body mentions."""
        return free_vars(self.body).intersection(self.binders)

    def only(self, binders: frozenset[Var]) -> Goal:
        """The goal with those of its axes alone."""
        kept = [(extent, binder) for extent, binder in zip(self.extents, self.binders, strict=True) if binder in binders]
        return Goal(tuple(extent for extent, _ in kept), tuple(binder for _, binder in kept), self.body)

    def with_body(self, body: Expr) -> Goal:
        """The goal with the same axes and another element function."""
        return Goal(self.extents, self.binders, body)


def canonical(expr: Expr) -> Expr:
    """The normal form with binders named by depth. The order of terms in an index goes by names, so it is made anew."""
    return normal(alpha_key(expr))


def whole(tensor: Expr) -> Goal:
    """The goal that is a tensor as it stands."""
    kind = type_of(tensor)
    assert isinstance(kind, TensorType)
    binders = tuple(Var(f"i{axis}", INT) for axis in range(kind.rank))
    return Goal(tuple(Length(tensor, axis) for axis in range(kind.rank)), binders, Select(tensor, binders))


def filtered(kept: Filter) -> Goal:
    """The goal that is the tensor of the elements for which a condition holds."""
    binder = fresh_var(Var("p", INT), names(kept))
    return Goal((count(kept),), (binder,), Select(kept, (binder,)))


def is_filtered(body: Expr) -> bool:
    """Whether an element function is that of a Filter."""
    return isinstance(body, Select) and isinstance(body.tensor, Filter)


def same_size(left: Expr, right: Expr) -> bool:
    """Whether two extents are equal as polynomials."""
    return left == right or (Polynomial.of(left) == Polynomial.of(right))


def as_int64(expr: Expr) -> Expr:
    """An exact integer as a 64-bit one: tensors of exact integers do not exist. Its values fit for all sizes that arrays have."""
    match expr:
        case Const(value, _):
            return Const(int(value), INT64)
        case Apply(op, args) if type_of(expr) == INT and op is not Operator.SHL:
            return Apply(op, tuple(as_int64(arg) for arg in args))
        case Cast(arg, IntType()) if is_integer(type_of(arg)):
            return cast_form(arg, INT64)
        case Ite(cond, then, other):
            return Ite(cond, as_int64(then), as_int64(other))
        case _:
            return cast_form(expr, INT64)


def as_exact(expr: Expr) -> Expr:
    """An integer term computed in exact integers: where it is defined, no sum or product in it leaves its type.

    Folds below the top keep their type: they may be arguments of an operator on that type.
    """
    return normal(erased(expr, {}) if isinstance(expr, Fold) else _exact(expr))


def _exact(expr: Expr) -> Expr:
    match expr:
        case Const(value, MachineInt()):
            return integer(int(value))
        case Apply(op, args) if op not in BITWISE and all(isinstance(type_of(arg), MachineInt) for arg in args):
            return Apply(op, tuple(map(_exact, args)))
        case Ite(cond, then, other):
            return Ite(cond, _exact(then), _exact(other))
        case Cast(arg, type_) if widens(type_of(arg), type_):
            return _exact(arg)
        case _:
            return expr if type_of(expr) == INT else Cast(expr, INT)


def without_exact(expr: Expr) -> Expr:
    """A cast of an exact integer, or a comparison of exact integers, with the integers computed in 64 bits."""
    match expr:
        case Cast(arg, type_) if type_of(arg) == INT and not isinstance(arg, Var):
            return cast_form(as_int64(arg), type_)
        case Apply(Operator.LT | Operator.LE | Operator.EQ as op, args) if type_of(args[0]) == INT:
            return Apply(op, tuple(as_int64(arg) for arg in args))
        case _:
            return expr


def renamed(goal: Goal, binders: tuple[Var, ...]) -> Expr:
    """The body with other names for the binders."""
    return substitute(goal.body, dict(zip(goal.binders, binders, strict=True)))
