"""Taking sums, products and reductions apart and putting them together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Const, Expr, Fold, Operator, Var, is_number, type_of
from metalift.ir.expr.types import BOOL, RealType, Type
from metalift.ir.expr.walk import free_vars

Signed = tuple[int, Expr]  # in a sum: 1 or -1 and a term; in a product: 1 or -1 as its exponent and a factor
NOTHING = "no elements"  # the function that stands for the start of a maximum of at least one element


def nothing(type_: Type) -> Expr:
    """The start of a fold that is known to have at least one element."""
    return Call(NOTHING, (), type_)


def number(value: int, type_: Type) -> Const:
    """A small number as a literal of the type."""
    return Const(Fraction(value) if isinstance(type_, RealType) else value, type_)


def joined_parts(cond: Expr, op: Operator) -> list[Expr]:
    """What is joined, at any depth."""
    if isinstance(cond, Apply) and cond.op is op:
        return [part for arg in cond.args for part in joined_parts(arg, op)]
    return [cond]


def sum_terms(expr: Expr) -> list[Signed]:
    """The terms of a sum, from left to right."""
    match expr:
        case Apply(Operator.ADD, (left, right)):
            return sum_terms(left) + sum_terms(right)
        case Apply(Operator.SUB, (left, right)):
            return sum_terms(left) + [(-sign, term) for sign, term in sum_terms(right)]
        case Apply(Operator.NEG, (arg,)):
            return [(-sign, term) for sign, term in sum_terms(arg)]
        case _:
            return [(1, expr)]


def parted(cond: Expr, var: Var) -> tuple[list[Expr], list[Expr]]:
    """The conditions that all have to hold: those that speak of a variable, and the others."""
    parts = conjuncts(cond)
    return [part for part in parts if var in free_vars(part)], [part for part in parts if var not in free_vars(part)]


def product_factors(expr: Expr) -> list[Signed]:
    """The factors of a product of reals or integers, from left to right; factors 1 are left out unless there is nothing else."""
    factors = _factors(expr)
    kept = [(exponent, factor) for exponent, factor in factors if not is_number(factor, 1)]
    return kept or factors[:1]


def _factors(expr: Expr) -> list[Signed]:
    match expr:
        case Apply(Operator.MUL, (left, right)):
            return _factors(left) + _factors(right)
        case Apply(Operator.DIV, (left, right)):
            return _factors(left) + [(-exponent, factor) for exponent, factor in _factors(right)]
        case _:
            return [(1, expr)]


def make_sum(terms: Sequence[Signed]) -> Expr:
    """The sum of the terms in their order, a positive one first where there is one."""
    first = next((at for at, (sign, _) in enumerate(terms) if sign > 0), None)
    if first is None:
        return Apply(Operator.NEG, (make_sum([(-sign, term) for sign, term in terms]),))
    result = terms[first][1]
    for sign, term in (*terms[:first], *terms[first + 1 :]):
        result = Apply(Operator.ADD if sign > 0 else Operator.SUB, (result, term))
    return result


def make_product(factors: Sequence[Signed]) -> Expr:
    """The product of the factors in their order; what divides comes last."""
    above = [factor for exponent, factor in factors if exponent > 0]
    below = [factor for exponent, factor in factors if exponent < 0]
    result = _multiplied(above) if above else number(1, type_of(below[0]))
    return Apply(Operator.DIV, (result, _multiplied(below))) if below else result


def _multiplied(factors: Sequence[Expr]) -> Expr:
    result = factors[0]
    for factor in factors[1:]:
        result = Apply(Operator.MUL, (result, factor))
    return result


def same_value(left: Expr, right: Expr) -> bool:
    """Whether both are the same but for casts that change no value."""
    left, right = strip_casts(left), strip_casts(right)
    if isinstance(left, Const) and isinstance(right, Const):
        return left.value == right.value and isinstance(left.value, bool) == isinstance(right.value, bool)
    return left == right


@dataclass(frozen=True, slots=True)
class Reduction:
    """A fold whose step joins the accumulator with a term that does not mention it."""

    op: Operator
    term: Expr


REDUCTIONS = frozenset({Operator.ADD, Operator.MUL, Operator.MAX, Operator.MIN, Operator.AND, Operator.OR})
NEUTRAL = {Operator.ADD: 0, Operator.MUL: 1}


def neutral(op: Operator, type_: Type) -> Expr | None:
    """The neutral element of a monoid, None where the type has none."""
    if op in NEUTRAL:
        return number(NEUTRAL[op], type_)
    if type_ == BOOL:
        return {Operator.AND: TRUE, Operator.OR: FALSE}.get(op)
    return None


def as_reduction(fold: Fold) -> Reduction | None:
    """The fold in canonical form: the accumulator is the step's first operand and occurs nowhere else."""
    match fold.body:
        case Apply(op, (Var() as acc, term)) if acc == fold.acc and acc not in free_vars(term):
            return Reduction(op, term) if op in REDUCTIONS else None
        case _:
            return None
