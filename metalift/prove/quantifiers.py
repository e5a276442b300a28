"""Negation normal form, Skolem constants and universal facts: what is left are ground formulas and facts to be instantiated."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count

from metalift.ir.expr.build import conj, disj, neg
from metalift.ir.expr.nodes import Apply, Exists, Expr, Forall, Operator, Var, type_of
from metalift.ir.expr.types import BOOL
from metalift.ir.expr.walk import children, free_vars, substitute


@dataclass(frozen=True, slots=True)
class Universal:
    """The body holds for all values of the binders. The body is in negation normal form and may hold existentials."""

    binders: tuple[Var, ...]
    body: Expr


@dataclass(slots=True)
class Clausifier:
    """Turns asserted formulas into ground formulas and universal facts.

    An existential outside of every universal becomes constants. An existential inside a universal becomes constants of the
    instance in which it occurs: they stand for a Skolem function applied to that instance's terms.
    """

    ground: list[Expr] = field(default_factory=list)
    universals: list[Universal] = field(default_factory=list)
    names: count[int] = field(default_factory=count)

    def add(self, formula: Expr) -> None:
        """Assert a formula."""
        self.add_normal(asserted(formula))

    def add_normal(self, formula: Expr) -> None:
        """Assert a formula in negation normal form."""
        match formula:
            case Apply(Operator.AND, parts):
                for part in parts:
                    self.add_normal(part)
            case Exists(binders, body):
                self.add_normal(substitute(body, self.constants(binders)))
            case Forall(binders, body):
                self.universals.append(Universal(binders, body))
            case Apply(Operator.OR) if has_quantifier(formula):
                self.ground.append(self.without_quantifiers(formula))
            case _:
                self.ground.append(formula)

    def without_quantifiers(self, part: Expr) -> Expr:
        """The part with existentials as constants and each universal as a fresh proposition that implies it."""
        match part:
            case Exists(binders, body):
                return self.without_quantifiers(substitute(body, self.constants(binders)))
            case Forall(binders, body):
                name = Var(f"q!{next(self.names)}", BOOL)
                self.universals.append(Universal(binders, disj(neg(name), body)))
                return name
            case Apply(op, parts) if op in (Operator.AND, Operator.OR) and has_quantifier(part):
                join = conj if op is Operator.AND else disj
                return join(*map(self.without_quantifiers, parts))
            case _:
                return part

    def constants(self, binders: tuple[Var, ...]) -> dict[Var, Expr]:
        """Fresh names for binders."""
        return {binder: Var(f"{binder.name.split('!')[0]}!{next(self.names)}", binder.type) for binder in binders}

    def instantiate(self, fact: Universal, values: tuple[Expr, ...]) -> None:
        """Assert a universal fact for particular values."""
        self.add_normal(instance(fact, values))


@lru_cache(maxsize=1 << 14)
def instance(fact: Universal, values: tuple[Expr, ...]) -> Expr:
    """A universal fact for particular values. What one goal needs the next ones of an obligation often need, too."""
    return substitute(fact.body, dict(zip(fact.binders, values, strict=True)))


@lru_cache(maxsize=1 << 14)
def asserted(formula: Expr) -> Expr:
    """Negation normal form of the formula."""
    return normal(formula, True)


@lru_cache(maxsize=1 << 14)
def has_quantifier(expr: Expr) -> bool:
    """Whether a quantifier occurs in the connectives of a formula."""
    match expr:
        case Forall() | Exists():
            return True
        case Apply(op, parts) if op in (Operator.AND, Operator.OR, Operator.NOT):
            return any(has_quantifier(part) for part in parts)
        case _:
            return False


def normal(formula: Expr, positive: bool) -> Expr:
    """Negation normal form of the formula (of its negation if not positive); atoms keep a negation in front."""
    match formula:
        case Apply(Operator.NOT, (part,)):
            return normal(part, not positive)
        case Apply(Operator.AND, parts) | Apply(Operator.OR, parts):
            below = [normal(part, positive) for part in parts]
            return conj(*below) if (formula.op is Operator.AND) == positive else disj(*below)
        case Forall(binders, body):
            return quantified(positive, binders, normal(body, positive))
        case Exists(binders, body):
            return quantified(not positive, binders, normal(body, positive))
        case _:
            return formula if positive else neg(formula)


def quantified(universal: bool, binders: tuple[Var, ...], body: Expr) -> Expr:
    """The quantifier without binders that the body fixes: `exists i: i == p and P(i)` is P(p), and `forall i: i != p or P(i)`."""
    join, op = (disj, Operator.OR) if universal else (conj, Operator.AND)
    parts = body.args if isinstance(body, Apply) and body.op is op else (body,)
    for part in parts:
        found = fixed(neg(part) if universal else part, binders)
        if found is not None:
            binder, value = found
            rest = join(*(substitute(other, {binder: value}) for other in parts if other is not part))
            return quantified(universal, tuple(b for b in binders if b != binder), rest)
    return (Forall if universal else Exists)(binders, body) if binders else body


def fixed(part: Expr, binders: tuple[Var, ...]) -> tuple[Var, Expr] | None:
    """The binder that an equation says is something else, and what. Equations of flattened indices stay as they are: from their
    sides the rows and columns are found.
    """
    match part:
        case Apply(Operator.EQ, (left, right)) if type_of(left) == type_of(right):
            for binder, value in ((left, right), (right, left)):
                if isinstance(binder, Var) and binder in binders and free_vars(value).isdisjoint(binders):
                    return binder, value
    return None


def atoms(formula: Expr) -> list[Expr]:
    """All subterms of a formula, itself included, parents first."""
    found, work = [], [formula]
    while work:
        current = work.pop()
        found.append(current)
        work.extend(children(current))
    return found
