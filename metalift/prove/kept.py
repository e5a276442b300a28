"""Facts about what a condition keeps: the element at a place, and a fold over what was kept as one over all elements."""

from __future__ import annotations

from metalift.ir.expr.build import at_most, conj, disj, equal, less, neg, plus
from metalift.ir.expr.nodes import Apply, Expr, Fold, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import free_vars, substitute, with_extent
from metalift.prove.extents import alike
from metalift.prove.folds import accumulator, all_equal, canonical_integers, counts


def stepped(count: Fold, index: Expr) -> Expr:
    """What a fold is after the step at an index, before which it took all steps."""
    return substitute(count.body, {count.acc: with_extent(count, index), count.index: index})


def is_gathered(kept: Fold, whole: Fold) -> bool:
    """Whether a fold takes as many elements as are counted among those of another one."""
    count = kept.extent
    if not isinstance(count, Fold) or not counts(count) or count.init != integer(0) or alike(count, whole):
        return False
    same_type = type_of(kept) == type_of(whole)
    return same_type and canonical_integers(count.extent, ()) == canonical_integers(whole.extent, ())


def gathered(kept: Fold, whole: Fold, name: str) -> Expr:
    """If a count says how many elements `kept` takes, and `whole`, over as many as are counted, takes at each that counts what
    `kept` takes at its number, and is as it was at the others, the two are equal.

    As a ground formula: or there is a step (at a fresh constant and accumulator called after `name`) that is another one, or the
    count grows otherwise. Lemma `fold gathering`.
    """
    count = kept.extent
    assert isinstance(count, Fold)
    index, acc = Var(f"{name}.k", INT), accumulator(whole, name)
    before, after = with_extent(count, index), stepped(count, index)
    taken = substitute(kept.body, {kept.acc: acc, kept.index: before})
    step = substitute(whole.body, {whole.acc: acc, whole.index: index})
    same = disj(
        conj(equal(after, plus(before, integer(1))), all_equal(step, taken)), conj(equal(after, before), all_equal(step, acc))
    )
    differ = conj(at_most(integer(0), index), less(index, whole.extent), neg(same))
    sizes = at_most(integer(0), count.extent), equal(count.extent, whole.extent), equal(count.init, integer(0))
    start = conj(*sizes, all_equal(kept.init, whole.init))
    return disj(neg(start), differ, all_equal(kept, whole))


def place_of(element: Fold) -> tuple[Fold, Fold, Expr, Expr] | None:
    """Of a fold that keeps the element whose number is that of another index: the count at its own index, and at the other one;
    the condition, and the element.
    """
    match element.body:
        case Ite(Apply(Operator.AND, args) as cond, value, other) if other == element.acc:
            if element.acc in free_vars(cond) | free_vars(value):
                return None
            for arg in args:
                match arg:
                    case Apply(Operator.EQ, (Fold() as own, Fold() as wanted)) if own.extent == element.index:
                        one_count = element.index not in free_vars(with_extent(own, integer(0))) and alike(own, wanted)
                        if one_count and counts(own) and own.init == integer(0):
                            return own, wanted, cond, value
    return None


def found_there(element: Fold, name: str) -> Expr | None:
    """The element whose number is that of an index is the one at this index, where it is one that is kept.

    As a ground formula: or the count goes back at some step (at a fresh constant and accumulator called after `name`). Lemma
    `fold element`.
    """
    found = place_of(element)
    if found is None:
        return None
    count, wanted, cond, value = found
    at = wanted.extent
    index, acc = Var(f"{name}.k", INT), Var(f"{name}.a", INT)
    step = substitute(count.body, {count.acc: acc, count.index: index})
    back = conj(at_most(integer(0), index), less(index, element.extent), less(step, acc))
    here = {element.index: at}
    kept = conj(substitute(cond, here), equal(stepped(wanted, at), plus(wanted, integer(1))))
    inside = conj(at_most(integer(0), at), less(at, element.extent))
    return disj(neg(inside), neg(kept), back, equal(element, substitute(value, here)))
