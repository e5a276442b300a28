"""What an operator calls the functions with that it is given: what their bodies need has to hold there."""

from __future__ import annotations

from collections.abc import Iterator

from metalift.ir.expr.build import forall, implies, in_range, neg
from metalift.ir.expr.nodes import Build, Expr, Filter, Fold, Invoke, Ite, Lambda, Var
from metalift.ir.expr.walk import (
    binders_of,
    children,
    free_names,
    fresh_var,
    names,
    substitute,
    transform,
    with_binders_apart,
)


def invocations(meaning: Expr, function: Var, condition: Lambda) -> Iterator[Expr]:
    """That the condition, over the parameters of `function`, holds for all arguments that the meaning calls it with."""
    taken = free_names(condition.body)  # by other variables than the meaning's binders
    yield from _calls(transform(lambda node: with_binders_apart(node, taken), meaning), function, condition)


def _calls(meaning: Expr, function: Var, condition: Lambda) -> Iterator[Expr]:
    match meaning:
        case Invoke(called, args):
            if called == function:
                yield substitute(condition.body, dict(zip(condition.params, args, strict=True)))
            for arg in args:
                yield from _calls(arg, function, condition)
        case Ite(cond, then, other):
            yield from _calls(cond, function, condition)
            yield from (implies(cond, each) for each in _calls(then, function, condition))
            yield from (implies(neg(cond), each) for each in _calls(other, function, condition))
        case Build(extents, binders, body):
            for extent in extents:
                yield from _calls(extent, function, condition)
            inside = list(zip(binders, extents, strict=True))
            yield from (_everywhere(inside, each) for each in _calls(body, function, condition))
        case Filter(extent, index, cond, body):
            yield from _calls(extent, function, condition)
            kept = (implies(cond, each) for each in _calls(body, function, condition))
            yield from (_everywhere([(index, extent)], each) for each in (*_calls(cond, function, condition), *kept))
        case Fold():
            yield from _of_steps(meaning, function, condition)
        case _:
            assert not binders_of(meaning), "meanings bind by Build, Filter and Fold"
            for child in children(meaning):
                yield from _calls(child, function, condition)


def _of_steps(fold: Fold, function: Var, condition: Lambda) -> Iterator[Expr]:
    """In the step at an index the accumulator is the fold of the steps before."""
    for part in (fold.extent, fold.init):
        yield from _calls(part, function, condition)
    before = fresh_var(fold.index, names(fold) | names(condition))
    done = Fold(fold.index, fold.init, fold.acc, before, substitute(fold.body, {fold.index: before}))
    for each in _calls(fold.body, function, condition):
        yield _everywhere([(fold.index, fold.extent)], substitute(each, {fold.acc: done}))


def _everywhere(ranges: list[tuple[Var, Expr]], condition: Expr) -> Expr:
    for binder, extent in reversed(ranges):
        condition = forall((binder,), implies(in_range(binder, extent), condition))
    return condition
