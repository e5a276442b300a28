"""What a fragment promises of its integers where it begins, for one derivation: `j < i` as i being j + 1 and some more.

Each such promise is a substitution after which signs can be read off coefficients. They only help to find a summary: it is
proved under the promises themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Expr, Operator, Var, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.program.fragment import Assume, Fragment
from metalift.synth.derive.normal_terms import index, negate

Promise = tuple[Var, Polynomial]
_CURRENT: ContextVar[tuple[Promise, ...]] = ContextVar("promises", default=())


@contextmanager
def promised(fragment: Fragment) -> Iterator[None]:
    """Use what the fragment's first block promises."""
    token = _CURRENT.set(_promises(fragment))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def by_promises(value: Polynomial) -> Polynomial:
    """The value in terms of what is left over of each variable, which is not negative."""
    for var, more in _CURRENT.get():
        if var in value.free_vars:
            value = value.substitute({var: more})
    return value


def _promises(fragment: Fragment) -> tuple[Promise, ...]:
    assumed = (statement.cond for statement in fragment.blocks[0].body if isinstance(statement, Assume))
    rooms = [room(positive(part)) for cond in assumed for part in conjuncts(cond)]
    found: list[Promise] = []
    for gap in reversed(rooms):  # the innermost loop's say most
        if gap is not None and gap.free_vars.isdisjoint(var for var, _ in found):
            lowered = _lowest(gap)
            found += [] if lowered is None else [lowered]
    return tuple(_ordered(found))


def positive(cond: Expr) -> Expr:
    """The condition without a negation in front, where there is one that says the same."""
    return negate(cond.args[0]) if isinstance(cond, Apply) and cond.op is Operator.NOT else cond


def _lowest(gap: Polynomial) -> Promise | None:
    """A variable that is at least something, from what is at least 0."""
    for monomial, factor in gap.terms:
        if len(monomial) == 1 and factor == 1 and isinstance(monomial[0], Var):
            var = monomial[0]
            least = Polynomial.atom(var) - gap
            if var not in least.free_vars and (least.free_vars or (least.constant_value or 0) > 0):
                return var, least + Polynomial.atom(var)
    return None


def _ordered(found: list[Promise]) -> Iterator[Promise]:
    """Each before those of the variables that it speaks of."""
    left = list(found)
    while left:
        first = next((one for one in left if all(one is other or one[0] not in other[1].free_vars for other in left)), None)
        if first is None:
            return
        left.remove(first)
        yield first


def room(cond: Expr) -> Polynomial | None:
    """What is at least 0 where a comparison of integers holds; None of other conditions."""
    match cond:
        case Apply(Operator.LT | Operator.LE as op, (left, right)) if is_integer(type_of(left)):
            return index(right) - index(left) - (1 if op is Operator.LT else 0)
        case _:
            return None
