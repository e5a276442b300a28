"""Folds over what a condition has kept, as folds over all elements that leave out the others.

`s = [x for x in xs if c(x)]; sum(s)` and a second loop over what a first one has put into an array both come here.
"""

from __future__ import annotations

from collections.abc import Mapping

from metalift.ir.arith.sums import summand
from metalift.ir.expr.filters import count
from metalift.ir.expr.nodes import Apply, Expr, Filter, Fold, Operator, Select, Var
from metalift.ir.expr.walk import alpha_equal, free_vars, fresh_var, names, replaced, subexpressions, substitute, transform
from metalift.synth.derive.choices_as_operators import zero
from metalift.synth.derive.normal_terms import ite


def over_all(expr: Expr, named: Mapping[Var, Expr]) -> Expr:
    """The expression with such folds over all elements; `named` says what intermediates are."""
    return transform(lambda part: _over_all(part, named) if isinstance(part, Fold) else part, expr)


def _over_all(fold: Fold, named: Mapping[Var, Expr]) -> Expr:
    length = named.get(fold.extent, fold.extent) if isinstance(fold.extent, Var) else fold.extent
    for part in subexpressions(fold.body):
        match part:
            case Select(Filter() as kept, (place,)) if place == fold.index and alpha_equal(count(kept), length):
                index = fresh_var(kept.index, {*names(fold.body), *names(kept)})
                cond, value = (substitute(each, {kept.index: index}) for each in (kept.cond, kept.body))
                body = replaced(fold.body, {part: value})
                if fold.index in free_vars(body):
                    return fold
                added = summand(Fold(kept.extent, fold.init, fold.acc, index, body))
                if added is None:
                    return Fold(kept.extent, fold.init, fold.acc, index, ite(cond, body, fold.acc))
                more = Apply(Operator.ADD, (fold.acc, ite(cond, added, zero(fold.acc.type))))
                return Fold(kept.extent, fold.init, fold.acc, index, more)
    return fold
