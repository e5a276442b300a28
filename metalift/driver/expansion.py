"""Terms in a driver's operators as terms in their meanings, and what the operators in them require."""

from __future__ import annotations

from collections.abc import Iterator

from metalift.driver import Driver
from metalift.driver.meaning.invocations import invocations
from metalift.driver.meaning.reduce import apply_meaning, configured, reduce_head
from metalift.ir.expr.build import conj, implies, in_range, neg
from metalift.ir.expr.conjunctions import for_all
from metalift.ir.expr.nodes import Build, Call, Const, Expr, Fold, Forall, Lambda, type_of
from metalift.ir.expr.walk import binders_of, children, extents_of, rebuild
from metalift.ir.program.summary import sides


def expand(expr: Expr, driver: Driver, known: dict[Expr, Expr] | None = None) -> Expr:
    """The expression with every operator of the driver replaced by its meaning; elements and lengths of Builds are reduced.

    Calls of other functions (sqrt, exp) stay. `known`: what applications of operators are expanded to, which is kept for the next
    call with the same ones. Raises ValueError where an operator is applied to what it does not take.
    """
    known = {} if known is None else known
    applied = isinstance(expr, Call) and expr.function in driver.operators
    if applied and expr in known:
        return known[expr]
    parts = tuple(expand(child, driver, known) for child in children(expr))
    changed = rebuild(expr, parts)
    if not isinstance(changed, Call) or changed.function not in driver.operators:
        return reduce_head(changed)
    instance = driver.operators[changed.function].instantiate(tuple(type_of(arg) for arg in parts), changed.type)
    meaning = apply_meaning(instance.params, instance.body, parts)
    known[expr] = configured(meaning) if any(isinstance(part, Const) for part in parts) else meaning
    return known[expr]


def side_conditions(expr: Expr, driver: Driver, known: dict[Expr, Expr] | None = None) -> tuple[Expr, ...]:
    """What the operators in the expression require, each condition without driver operators; evaluation is eager.

    What an operator requires in the body of a Build or Fold has to hold for every index, and for any value of an accumulator; on
    one side of a choice of numbers, where that is chosen. What the body of a function requires has to hold for all that the
    operator calls it with.
    """
    known = {} if known is None else known
    found: dict[Expr, None] = {}
    for part, held in sides(expr):
        for required in _conditions(part, driver, known):
            for cond, met in reversed(held):
                holds = expand(cond, driver, known)
                required = implies(holds if met else neg(holds), required)
            found[required] = None
    return tuple(found)


def _conditions(expr: Expr, driver: Driver, known: dict[Expr, Expr]) -> Iterator[Expr]:
    if isinstance(expr, Call) and expr.function in driver.operators:
        args = tuple(expand(arg, driver, known) for arg in expr.args)
        instance = driver.operators[expr.function].instantiate(tuple(type_of(arg) for arg in args), expr.type)
        yield from (for_all(apply_meaning(instance.params, each, args)) for each in instance.requires)
    for position, child in enumerate(children(expr)):
        if isinstance(child, Lambda) and isinstance(expr, Call):
            for condition in _conditions(child.body, driver, known):
                yield from where_called(expr, position, condition, driver)
        else:
            for condition in _conditions(child, driver, known):
                yield _for_all_indices(expr, condition, driver)


def _for_all_indices(expr: Expr, condition: Expr, driver: Driver) -> Expr:
    """A condition found below a node, for all values of the node's binders."""
    if not isinstance(expr, Build | Fold):
        return condition
    indices = expr.binders if isinstance(expr, Build) else (expr.index,)
    ranges = (in_range(index, expand(extent, driver)) for index, extent in zip(indices, extents_of(expr), strict=True))
    return Forall(binders_of(expr), implies(conj(*ranges), condition))


def where_called(call: Call, position: int, condition: Expr, driver: Driver) -> Iterator[Expr]:
    """The condition, over the parameters of the function at that position, for all that the operator calls it with."""
    args = tuple(expand(arg, driver) for arg in call.args)
    instance = driver.operators[call.function].instantiate(tuple(type_of(arg) for arg in args), call.type)
    function = args[position]
    assert isinstance(function, Lambda)
    for each in invocations(instance.body, instance.params[position], Lambda(function.params, condition)):
        yield apply_meaning(instance.params, each, args)
