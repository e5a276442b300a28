"""Accumulators that take another value where that is better: `if (c && x[i] > best) best = x[i];`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from metalift.ir.expr.nodes import Apply, Expr, Ite, Operator, Var
from metalift.ir.expr.walk import free_vars
from metalift.synth.derive.normal_terms import both, ite, negate, parts_of


@dataclass(frozen=True, slots=True)
class Better:
    """The step of an accumulator, as an extreme; `taken` says where it takes the other value, which is better or as good."""

    op: Operator
    step: Expr
    taken: Expr

    @property
    def strictly(self) -> bool:
        """Whether each value that is taken is another one."""
        return any(isinstance(part, Apply) and part.op is Operator.LT for part in parts_of(self.taken)[-1:])


def better(acc: Var, body: Expr) -> Better | None:
    """The step as an extreme of the accumulator and another value, where it is one."""
    match body:
        case Ite(cond, new, other) if other == acc and acc not in free_vars(new):
            for op, by in product((Operator.MAX, Operator.MIN), (Operator.LT, Operator.LE)):
                asked = compared(by, op, acc, new)
                rest = both(*(part for part in parts_of(cond) if part != asked))
                if asked in parts_of(cond) and acc not in free_vars(rest):
                    return Better(op, ite(rest, Apply(op, (acc, new)), acc), both(rest, asked))
        case Apply(Operator.MAX | Operator.MIN as op, (one, other)) if acc in (one, other):
            new = other if one == acc else one
            if acc not in free_vars(new):
                return Better(op, body, compared(Operator.LT, op, acc, new))
        case Ite(cond, then, other) if other == acc and acc not in free_vars(cond):
            found = better(acc, then)
            return None if found is None else Better(found.op, ite(cond, found.step, acc), both(cond, found.taken))
    return None


def taken_apart(acc: Var, body: Expr) -> Expr:
    """`c && (first || acc < v) ? v : acc` as a choice of v, where it is the first, and else of the extreme, where c holds."""
    match body:
        case Ite(cond, new, other) if other == acc and acc not in free_vars(new):
            for part, op, by in product(parts_of(cond), (Operator.MAX, Operator.MIN), (Operator.LT, Operator.LE)):
                asked, args = compared(by, op, acc, new), part.args if isinstance(part, Apply) else ()
                rest = both(*(each for each in parts_of(cond) if each != part))
                first = negate(both(*(negate(each) for each in args if each != asked)))
                if asked in args and isinstance(part, Apply) and part.op is Operator.OR and acc not in free_vars(rest):
                    return ite(rest, ite(first, new, Apply(op, (acc, new))), acc) if acc not in free_vars(first) else body
    return body


def compared(by: Operator, op: Operator, acc: Var, new: Expr) -> Expr:
    """That a value is better than the accumulator, or as good."""
    return Apply(by, (acc, new) if op is Operator.MAX else (new, acc))
