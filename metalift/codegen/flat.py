"""Whether elements that count for several keys might as well be several rows with one key each.

What a function of an element is at a key is decided by which of the element's keys that is. An operator may say how it takes
several elements together (`Partial.joined`). If its function gives, where several of these keys are the one in question, what
that makes of the values for each of them alone, then a row for each key does as well. It is asked of all choices of keys, and
whatever holds of the conditions in the function, also where that cannot be.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import reduce

from metalift.driver import Driver, Layout
from metalift.driver.expansion import expand, side_conditions
from metalift.driver.templates import constant, fill_template, tuple_of
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Cast, Const, Expr, Ite, Operator, Var, type_of
from metalift.ir.expr.types import BOOL
from metalift.ir.expr.walk import alpha_key, children, fresh_name, map_children, subexpressions
from metalift.ir.interp.functions import FUNCTIONS
from metalift.ir.rewrite.simplify import simplify

_PARTIAL = frozenset({Operator.DIV, Operator.TDIV, Operator.TREM, Operator.FDIV, Operator.FMOD, Operator.SHL, Operator.SHR})
_MOST = 6  # keys of an element, and conditions that are decided one after the other


def falls_apart(op: Operator, keys: int, value: Callable[[frozenset[int]], Expr]) -> bool:
    """Whether the operation makes the value for some of the keys, which are numbered, of those for each alone."""
    if keys > _MOST:
        return False

    def joined(some: tuple[int, ...]) -> Expr:
        return reduce(lambda one, other: Apply(op, (one, other)), (value(frozenset({each})) for each in some))

    chosen = (some for number in range(2, keys + 1) for some in itertools.combinations(range(keys), number))
    return all(_alike(value(frozenset(some)), joined(some), _MOST) for some in chosen)


def _alike(one: Expr, other: Expr, most: int) -> bool:
    """Whether two values are equal, whatever holds of the conditions in them; false where these are more than `most`."""
    one, other = simplify(one), simplify(other)
    condition = next((part for value in (one, other) for part in _conditions(value)), None)
    if condition is None:
        return alpha_key(one) == alpha_key(other) or (type_of(one) != BOOL and _terms(one) == _terms(other))
    return most > 0 and all(
        _alike(_decided(one, condition, holds), _decided(other, condition, holds), most - 1) for holds in (TRUE, FALSE)
    )


def _conditions(value: Expr) -> Iterator[Expr]:
    """The truth values that decide about a value and are no others that are put together."""
    together = isinstance(value, Apply) and any(type_of(part) == type_of(value) for part in value.args)
    if isinstance(value, Ite | Cast) or together:
        for part in children(value):
            yield from _conditions(part)
    elif type_of(value) == BOOL and not isinstance(value, Const):
        yield value


def _decided(value: Expr, condition: Expr, holds: Const) -> Expr:
    if alpha_key(value) == alpha_key(condition):
        return holds
    return map_children(lambda part: _decided(part, condition, holds), value)


def _terms(value: Expr) -> dict[Expr | None, Fraction]:
    """How often each term is in a sum; what is there without one is a number."""
    found: dict[Expr | None, Fraction] = {}
    for term, times in _summands(value, Fraction(1)):
        found[term] = found.get(term, Fraction(0)) + times
    return {term: times for term, times in found.items() if times}


def _summands(value: Expr, times: Fraction) -> Iterator[tuple[Expr | None, Fraction]]:
    match value:
        case Const(number, _):
            yield None, times * Fraction(number)
        case Apply(Operator.ADD | Operator.SUB as op, (left, right)):
            yield from _summands(left, times)
            yield from _summands(right, times if op is Operator.ADD else -times)
        case Apply(Operator.NEG, (part,)):
            yield from _summands(part, -times)
        case _:
            yield alpha_key(value), times


def is_total(value: Expr, driver: Driver) -> bool:
    """Whether an expression is known to have a value whatever its variables are."""
    meaning = list(subexpressions(expand(value, driver)))
    divides = any(isinstance(part, Apply) and part.op in _PARTIAL for part in meaning)
    calls = any(isinstance(part, Call) and part.function in FUNCTIONS for part in meaning)
    return not divides and not calls and not side_conditions(value, driver)


class Rows:
    """The rows of an element with several keys: a key each, and parts that are the same for all, or differ by the key."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.parts: dict[Var, tuple[Expr, ...]] = {}  # what each part is in the row of each key

    def part(self, wanted: str, values: tuple[Expr, ...]) -> Expr:
        """What stands for a part with these values; a constant where they are all that, but numbers make pairs of keys."""
        if len(set(values)) == 1 and isinstance(values[0], Const) and (self.layout.columns or type_of(values[0]) == BOOL):
            return values[0]
        known = next((var for var, others in self.parts.items() if others == values), None)
        if known is None:
            known = Var(fresh_name(wanted, {"key", "place", *(var.name for var in self.parts)}), type_of(values[0]))
            self.parts[known] = values
        return known

    def keep(self, values: Iterable[Expr]) -> None:
        """Forget the parts of which none of the values is one."""
        used = {part for value in values for part in subexpressions(value)}
        self.parts = {var: each for var, each in self.parts.items() if var in used}

    def row(self, key: ast.expr, parts: Mapping[str, ast.expr], *, alone: bool) -> ast.expr:
        """The row of a key; `alone`: the key by itself where nothing else is in it."""
        records = self.layout.records
        assert records is not None
        if not self.layout.columns:
            values = list(parts.values()) or [ast.Constant(value=None)]
            return key if alone and not parts else tuple_of([key, values[0] if len(values) == 1 else tuple_of(values)])
        cells = {"key": key, **parts}.items()
        named = [fill_template(records.member, {"x": each, "name": constant(called)}) for called, each in cells]
        return fill_template(records.whole.replace("{parts}", "*{parts}"), {"parts": tuple_of(named)})
