"""A value as a sum of terms, each a product of factors that is summed over indices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

from metalift.driver import CannotWrite
from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.arith.sums import is_zero, summand
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Fold, Ite, Operator, Select, Var, type_of
from metalift.ir.expr.types import RealType, TensorType
from metalift.ir.expr.walk import fresh_var, subexpressions, substitute
from metalift.ir.text import show

SHOWN = 80  # characters of an expression in a message


@dataclass(frozen=True, slots=True)
class Term:
    """The factors' product, summed over the indices below their extents, outermost first, where all conditions hold; those
    `outside` are factors of the whole sum.
    """

    sums: tuple[tuple[Var, Expr], ...] = ()
    conditions: tuple[Expr, ...] = ()
    factors: tuple[Expr, ...] = ()
    outside: tuple[Expr, ...] = ()

    @property
    def all_factors(self) -> tuple[Expr, ...]:
        """In the order in which they are multiplied."""
        return self.outside + self.factors

    def times(self, other: Term) -> Term:
        """The product; no index of one is one of the other."""
        sums, conditions = self.sums + other.sums, self.conditions + other.conditions
        if bool(self.sums) == bool(other.sums):
            return Term(sums, conditions, product_of(self.factors + other.factors), product_of(self.outside + other.outside))
        plain, summed = (self, other) if other.sums else (other, self)
        return Term(sums, conditions, summed.factors, product_of(plain.factors + summed.outside))

    def replaced(self, values: dict[Var, Expr]) -> Term:
        """With values in the place of variables that are not summed over."""
        sums = tuple((var, substitute(extent, values)) for var, extent in self.sums)
        conditions, factors, outside = (
            tuple(substitute(each, values) for each in part) for part in (self.conditions, self.factors, self.outside)
        )
        return Term(sums, conditions, factors, outside)


class Terms:
    """Takes values apart. Names of indices are those that nobody in `taken` has."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken

    def of(self, expr: Expr) -> list[Term]:  # noqa: C901 (one case for each kind of node)
        """The terms of a value. Raises CannotWrite where it is no sum of products."""
        match expr:
            case Const(value):
                return [] if value == 0 else [Term(factors=(expr,))]
            case Apply(Operator.ADD, (left, right)):
                return self.of(left) + self.of(right)
            case Apply(Operator.SUB, (left, right)):
                return self.of(left) + [negated(term) for term in self.of(right)]
            case Apply(Operator.NEG, (arg,)):
                return [negated(term) for term in self.of(arg)]
            case Apply(Operator.MUL, (left, right)):
                return [one.times(two) for one, two in product(self.of(left), self.of(right))]
            case Apply(Operator.DIV, (left, right)) if is_scalar(right) and not is_scalar(left):
                inverse = Term(factors=(Apply(Operator.DIV, (Const(1, type_of(right)), right)),))
                return [term.times(inverse) for term in self.of(left)]
            case Cast(arg, target) if isinstance(target, RealType) and isinstance(type_of(arg), RealType):
                return self.of(arg)
            case Cast(Select(Var()), RealType()):
                return [Term(factors=(expr,))]
            case Cast() if strip_casts(expr) != expr:
                return self.of(strip_casts(expr))
            case Fold() if (term := summand(expr)) is not None:
                index = fresh_var(expr.index, self.taken)
                self.taken.add(index.name)
                inside = self.of(substitute(term, {expr.index: index}))
                return self.of(expr.init) + [
                    replace(each, sums=((index, expr.extent), *each.sums), factors=product_of(each.all_factors), outside=())
                    for each in inside
                ]
            case Ite(cond, then, other) if is_zero(other):
                return [replace(term, conditions=conjuncts(cond) + term.conditions) for term in self.of(then)]
            case Select(Var()) | Var():
                return [Term(factors=(expr,))]
            case _ if is_scalar(expr):
                return [Term(factors=(expr,))]
            case _:
                raise CannotWrite(f"index notation is made of sums and products; {shown(expr)} is {kind(expr)}")


def negated(term: Term) -> Term:
    """The term, subtracted."""
    type_ = type_of(term.all_factors[0])
    if term.sums:
        return replace(term, outside=product_of((Const(-1, type_), *term.outside)))
    return replace(term, factors=product_of((Const(-1, type_), *term.factors)))


def product_of(factors: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The factors of a product with its sign first, and without others that are 1."""
    numbers = [factor for factor in factors if isinstance(factor, Const)]
    minus = sum(number.value < 0 for number in numbers) % 2 == 1
    sizes = tuple(Const(-each.value, each.type) if each.value < 0 else each for each in numbers)
    rest = tuple(factor for factor in factors if not isinstance(factor, Const))
    kept = tuple(each for each in sizes if each.value != 1)
    if minus:
        kept = (Const(-kept[0].value, kept[0].type), *kept[1:]) if kept else (Const(-1, numbers[0].type),)
    return kept + rest or factors[:1]


def is_scalar(expr: Expr) -> bool:
    """Whether it is computed from numbers alone: no array."""
    parts = list(subexpressions(expr))
    reads = any(isinstance(part, Select | Fold) or isinstance(type_of(part), TensorType) for part in parts)
    return not reads


def kind(expr: Expr) -> str:
    """What stands in the way, for people."""
    match expr:
        case Ite():
            return "a choice"
        case Fold():
            return "a loop whose steps do not add"
        case Cast():
            return "a conversion"
        case Apply(op):
            return f"the operator {op.value}"
        case _:
            return "none of these"


def shown(expr: Expr) -> str:
    """An expression in a message."""
    text = show(expr)
    return text if len(text) <= SHOWN else f"{text[: SHOWN // 2]} ... {text[-SHOWN // 2 :]}"
