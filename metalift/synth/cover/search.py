"""The cheapest tree of operators for a goal.

A goal is a leaf (a number, a view of an array), or the result of an operator whose meaning matches it, or a broadcast of a goal
with fewer axes. Goals are remembered up to the names of binders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from metalift.driver import Driver, DriverError, Operator, Target
from metalift.driver.laws import broken
from metalift.driver.meaning.reduce import reduce
from metalift.driver.operators import is_size
from metalift.ir.arith.intervals import Interval
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Const, Expr, Lambda, Length, Select, Var, type_of
from metalift.ir.expr.nodes import Operator as Op
from metalift.ir.expr.types import INT, INT64, BoolType, RealType, TensorType, Type, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.synth.cover.by_intervals import with_left_shifts, with_shifts
from metalift.synth.cover.clamped import clamped
from metalift.synth.cover.conditions import is_plain, required
from metalift.synth.cover.goal import Goal, same_size, without_exact
from metalift.synth.cover.linear import approaching, linear
from metalift.synth.cover.modular import summed_exactly
from metalift.synth.cover.normal import normal
from metalift.synth.cover.normal_operators import cast_form
from metalift.synth.cover.patterns import Pattern, Patterns
from metalift.synth.cover.strides import leading, turned
from metalift.synth.cover.triangles import rectangular
from metalift.synth.cover.wider import UNSIGNED, compared_exactly, computed_wider

USUAL = 256  # of an extent that is not known, for costs that depend on it
ELEMENT = 0.01  # a single element of an array
ALONE = 5.0  # what a single element of a collection costs, which is computed by itself
TWICE = 5.0  # a collection that is joined, and for which the functions of its elements ask once more
SCALAR = 0.1  # what an operator costs on scalars, relative to tensors
WRAP = 0.3  # a plain number made into an array without axes
NUMBER_FIRST = 0.001  # x > 0 rather than 0 < x
IN_RANGE = 1000.0  # a match that holds for values in range only: tried where nothing else covers the goal
GROWN = 4  # times that a part may be larger than all that it is part of: `k - x` and `1 / x` match whatever there is, without end
DEEPEST = 80  # goals inside each other
EXACTLY = 10.0  # numbers compared as exact integers: only where no operator compares them
REARRANGED = 0.05  # a match by the laws of sums and products, where another is as the term stands


@dataclass(frozen=True, slots=True)
class Solution:
    """A tree for a goal. `number`: it is a plain Python number in the target. `requires`: conditions on sizes that it needs."""

    cost: float
    tree: Expr
    number: bool = False
    requires: tuple[Expr, ...] = ()


@dataclass
class Search:
    """Covers the goals of one function. `numbers`: the scalar variables that are plain numbers. Failures are for the message.

    `intermediates` are scalars that the program computes, with what is known of them.
    """

    driver: Driver
    target: Target
    patterns: Patterns
    numbers: set[Var]
    step: bool = False  # whether integers that arrays hold are plain numbers
    shapes: dict[Var, tuple[Expr, ...]] = field(default_factory=dict)  # of named tensors
    intermediates: dict[Expr, Interval] = field(default_factory=dict)
    failures: list[Goal] = field(default_factory=list)
    values: dict[Expr, Var] = field(default_factory=dict)  # scalars that have a name
    closed: frozenset[Var] = frozenset()  # arrays that nothing may read: an operator that is being chosen keeps them
    refused: dict[str, None] = field(default_factory=dict)  # why functions are no reducers, for the message
    _known: dict[tuple[Expr, frozenset[Var]], Solution | None] = field(default_factory=dict)
    _open: set[tuple[Expr, frozenset[Var]]] = field(default_factory=set)
    _largest: list[int] = field(default_factory=list)  # for each open goal the size of the largest one that it is part of

    def solve(self, goal: Goal) -> Solution | None:
        """The cheapest solution, None where there is none."""
        key = (goal.key, self.closed)
        if key in self._known:
            return self._known[key]
        size = len(list(subexpressions(goal.body)))
        grown = bool(self._largest) and size > self._largest[-1]
        if key in self._open or len(self._open) == DEEPEST or (grown and len(set(self._largest)) > GROWN):
            return None
        self._open.add(key)
        self._largest.append(size if grown or not self._largest else self._largest[-1])
        before = len(self.failures)
        best = min(self.solutions(goal), key=lambda each: each.cost, default=None)
        self._open.remove(key)
        self._largest.pop()
        if best is None:
            if len(self.failures) == before:  # its parts are not to blame
                self.failures.append(goal)
        else:
            del self.failures[before:]
        self._known[key] = best
        return best

    def solutions(self, goal: Goal) -> Iterator[Solution]:
        """All solutions that are tried."""
        if isinstance(goal.body, Lambda):
            yield from self.function(goal.body)
            return
        if self.target.layout is not None and goal.rank > self.target.layout.axes:
            return
        if goal.body in self.values and not goal.binders:
            yield Solution(0.0, self.values[goal.body])
            return
        leaf = self.leaf(goal)
        if leaf is not None:
            yield leaf
            return
        used = goal.used()
        if len(used) < goal.rank:
            yield from self.broadcast(goal, used)
        yield from self.applications(goal)
        yield from self.otherwise(goal)

    def otherwise(self, goal: Goal) -> Iterator[Solution]:
        """Solutions of the goal written in other ways."""
        wider = computed_wider(goal.body, UNSIGNED | self.target.stored)
        folded = (rectangular(goal), linear(goal.body), approaching(goal.body))
        for other in (without_exact(goal.body), wider, with_shifts(goal.body), *folded, *clamped(goal.body)):
            if other != goal.body:
                yield from self.applications(goal.with_body(other))
        if (shifted := with_left_shifts(goal.body)) != goal.body:
            yield from (replace(each, cost=each.cost + REARRANGED) for each in self.applications(goal.with_body(shifted)))
        compared = compared_exactly(goal.body)
        if compared != goal.body and not goal.binders and (number := self.leaf(goal.with_body(compared))) is not None:
            yield replace(number, cost=number.cost + EXACTLY)
        exact = summed_exactly(goal.body)
        if exact != goal.body and (solution := self.solve(goal.with_body(exact))) is not None:
            yield solution

    def applications(self, goal: Goal) -> Iterator[Solution]:
        """All operators that match the goal as it stands."""
        if not goal.binders:
            yield from self.configured(goal.body, ())
        for pattern in self.patterns.candidates(goal):
            for bound in pattern.matches(goal):
                yield from self.application(pattern, bound, goal)

    def kept(self, goal: Goal, cells: Sequence[Select]) -> Solution | None:
        """The cheapest operator that keeps these cells and gives the goal as the new contents of the first."""
        before, self.closed = self.closed, frozenset(cell.tensor for cell in cells if isinstance(cell.tensor, Var))
        best = min(self.configured(goal.body, tuple(cells)), key=lambda each: each.cost, default=None)
        self.closed = before
        if best is None:
            self.failures[:] = [goal]
        return best

    def configured(self, term: Expr, cells: tuple[Expr, ...]) -> Iterator[Solution]:
        """Operators with holes that compute the term and keep the cells."""
        for template in self.patterns.templates(type_of(term), cells):
            for bound in template.configurations(term):
                parts: list[Solution] = []
                for param, value in bound.items():
                    held = param.name in template.operator.holds
                    part = Solution(0.0, value) if held else self.solve(Goal((), (), value))
                    if part is None:
                        break
                    parts.append(part)
                else:
                    requires = tuple(dict.fromkeys(each for part in parts for each in part.requires))
                    price = template.operator.cost_at([USUAL] * len(template.operator.params))
                    cost = SCALAR * price + sum(part.cost for part in parts)
                    call = Call(template.operator.name, tuple(part.tree for part in parts), type_of(term))
                    yield Solution(cost, call, requires=requires)

    def function(self, wanted: Lambda) -> Iterator[Solution]:
        """A function of plain numbers, or of columns; its body consists of operators on these."""
        if self.target.layout is None or not self.target.layout.columns:
            self.numbers.update(wanted.params)
        body = self.solve(Goal((), (), normal(wanted.body)))
        if body is not None:
            requires = tuple(each for each in body.requires if free_vars(each).isdisjoint(wanted.params))
            yield Solution(body.cost, Lambda(wanted.params, body.tree), requires=requires)

    # Leaves

    def leaf(self, goal: Goal) -> Solution | None:
        """A literal, a variable, a conversion of a plain number, an element or a view of an array."""
        match goal.body:
            case Const() as literal:
                return None if goal.binders or not self.target.has_literal(literal) else Solution(0.0, literal, number=True)
            case Var() if not goal.binders and not isinstance(goal.body.type, TensorType):
                return Solution(0.0, goal.body, number=goal.body in self.numbers)
            case Cast(arg, type_) if not goal.binders and not isinstance(type_, BoolType):
                inner = self.solve(Goal((), (), arg))
                if inner is not None and (inner.number or self._converts(type_of(arg), type_)):
                    return replace(inner, tree=cast_form(inner.tree, type_))
                return None
            case Select(Var() as tensor, indices):
                return self._view(goal, tensor, indices)
            case _ if (
                self.target.write is None and not goal.binders and _is_of_sizes(goal.body) and is_plain(goal.body, self.numbers)
            ):
                literals = (sub for sub in subexpressions(goal.body) if isinstance(sub, Const))
                return Solution(0.0, goal.body, number=True) if all(map(self.target.has_literal, literals)) else None
            case _:
                return None

    def _converts(self, source: Type, type_: Type) -> bool:
        """Whether a value that is no plain number needs no operator to be one of another type.

        Columns of integers are converted to reals; exact integers have 64 bits wherever they are held.
        """
        if self.target.converts_nothing(source, type_):
            return True
        columns = self.target.layout is not None and self.target.layout.columns
        to_real = isinstance(type_, RealType) and is_integer(source)
        return (columns and to_real) or (source == INT and type_ == INT64)

    def _view(self, goal: Goal, tensor: Var, indices: tuple[Expr, ...]) -> Solution | None:
        if (
            tensor in goal.binders
            or tensor in self.closed
            or not all(is_plain(atom, self.numbers) for size in goal.extents for atom in Polynomial.of(size).atoms)
        ):
            return None
        for index in indices:
            affine = Polynomial.of(index).affine_in(goal.binders)
            if affine is None:
                return None
            parts = (*affine[0].values(), affine[1])
            elements = self.step and not goal.binders and not self.closed  # a step is computed number by number
            if not all(is_plain(atom, self.numbers, elements) for part in parts for atom in part.atoms):
                return None
        if not goal.binders:
            collection = self.target.layout is not None and self.target.layout.part
            number = self.target.lists or (self.step and is_integer(type_of(goal.body)))
            return Solution(ALONE if collection else ELEMENT, goal.body, number=number)
        shape = self.shapes.get(tensor, tuple(Length(tensor, axis) for axis in range(len(indices))))
        if goal.binders == indices and all(same_size(*sizes) for sizes in zip(goal.extents, shape, strict=True)):
            return Solution(0.0, tensor)
        prices, lies = self.target.prices, turned(goal, indices)
        if (prices.view is None and goal.binders != indices) or (prices.turned is None and lies):
            return None
        cost = (prices.view or 0.0) * len(goal.binders) + (prices.turned or 0.0) * lies
        return Solution(cost, goal.expr, requires=leading(goal, indices))

    # Broadcasting

    def broadcast(self, goal: Goal, used: frozenset[Var]) -> Iterator[Solution]:
        """The same tensor with fewer axes, repeated along the others."""
        small = goal.only(used)
        price = self.target.prices.view if small.binders else self.target.prices.fill
        solution = None if price is None else self.solve(small)
        if solution is None or price is None:
            return
        element = reduce(Select(solution.tree, small.binders)) if small.binders else solution.tree
        tree = Build(goal.extents, goal.binders, element)
        yield Solution(solution.cost + price, tree, requires=solution.requires)

    # Operators

    def application(self, pattern: Pattern, bound: dict[Var, Goal], goal: Goal) -> Iterator[Solution]:
        """The operator on the solutions of what its parameters are bound to."""
        goals = [bound[param] for param in pattern.params]
        if (why := self._order(pattern, bound)) is not None:
            self.refused.setdefault(why)
            return
        holds = required(pattern, bound, goal, self.numbers, self.intermediates)
        if holds is None:
            return
        parts: list[Solution] = []
        for param, part in zip(pattern.params, goals, strict=True):
            scalar = pattern.operator.elementwise and not part.used()
            smaller = Goal((), (), part.body) if scalar else part
            solution = self.solve(smaller)
            if solution is None:
                return
            if is_size(pattern.operator.params[pattern.params.index(param)]) and not solution.number:
                return
            parts.append(solution)
        adapted = self.adapted(pattern.operator, parts)
        if adapted is None and pattern.commutes:
            adapted = self.adapted(pattern.operator, parts[::-1])
        if adapted is not None:
            price = pattern.operator.cost_at([_extents(part) for part in goals] if callable(pattern.operator.cost) else ())
            solution = self.applied(pattern.operator, price, adapted, goal, holds)
            extra = IN_RANGE if pattern.in_range else 0.0 if pattern.gives(bound, goal) else REARRANGED
            given = [part.tree for part in adapted if isinstance(type_of(part.tree), TensorType)]
            joined = frozenset[Var]().union(*map(free_vars, given))
            asked = (free_vars(part.tree) for part in adapted if isinstance(part.tree, Lambda))
            extra += TWICE * any(not joined.isdisjoint(each) for each in asked)
            yield replace(solution, cost=solution.cost + extra)

    @staticmethod
    def _order(pattern: Pattern, bound: dict[Var, Goal]) -> str | None:
        """Why a function must not combine elements in any order, where the operator does that."""
        if pattern.operator.reducer is None:
            return None
        given = {param.name: part.body for param, part in bound.items()}
        function, start = (given[each] for each in pattern.operator.reducer)
        return broken(function, start) if isinstance(function, Lambda) else None

    def applied(
        self, operator: Operator, price: float, parts: list[Solution], goal: Goal, holds: tuple[Expr, ...]
    ) -> Solution:
        """The call with its cost."""
        tensors = any(isinstance(type_of(part.tree), TensorType) for part in parts) or bool(goal.binders)
        cost = price * (1.0 if tensors else SCALAR) + sum(part.cost for part in parts)
        plain = [isinstance(part.tree, Const) if self.target.lists else part.number for part in parts[:2]]
        cost += NUMBER_FIRST if plain == [True, False] else 0.0
        numbers = bool(parts) and all(part.number for part in parts)
        on_numbers = numbers and operator.spelling(self.target.name, on_numbers=True) is not None
        element = type_of(goal.body)
        assert not isinstance(element, TensorType)
        type_ = goal.type if tensors else element
        requires = tuple(dict.fromkeys((*holds, *(each for part in parts for each in part.requires))))
        number = on_numbers or (self.target.lists and not goal.binders)
        return Solution(cost, Call(operator.name, tuple(part.tree for part in parts), type_), number, requires)

    def adapted(self, operator: Operator, parts: list[Solution]) -> list[Solution] | None:
        """The arguments, with plain numbers made into arrays where the target's spelling takes arrays only."""
        numbers = tuple(part.number for part in parts)
        if not operator.elementwise:
            fits = all(is_size(param) or not number for param, number in zip(operator.params, numbers, strict=True))
            return parts if fits or operator.takes(self.target, numbers) else None
        if operator.takes(self.target, numbers):
            return self._typed(operator, parts)
        template = operator.spelling(self.target.name)
        if template is None:
            return None
        known: list[Solution] = []
        for part, param in zip(parts, operator.params, strict=True):
            wrapped = self._wrap(part) if part.number and param.name not in operator.numbers else part
            if wrapped is None:
                return None
            known.append(wrapped)
        return known

    def _typed(self, operator: Operator, parts: list[Solution]) -> list[Solution] | None:
        """Where all arguments of the result's type are plain numbers and others are not, one number gets its type; in kernels
        numbers have theirs."""
        if self.target.kernels is not None:
            return parts
        result = operator.result.element
        typed = [part for part, param in zip(parts, operator.params, strict=True) if param.pattern.element == result]
        plain = [part for part in parts if part.number]
        if not typed or len(plain) == len(parts) or not all(part.number for part in typed):
            return parts
        wrapped = self._wrap(typed[0])
        return None if wrapped is None else [wrapped if part is typed[0] else part for part in parts]

    def _wrap(self, part: Solution) -> Solution | None:
        """A plain number as an array without axes, by the operator that is the identity."""
        for operator in self.patterns.operators:
            if operator.elementwise and len(operator.params) == 1 and operator.takes(self.target, (True,)):
                try:
                    instance = operator.instantiate((type_of(part.tree),))
                except (ValueError, DriverError):  # such as a conversion, whose arguments do not tell its result
                    continue
                if instance.body == instance.params[0]:
                    return Solution(part.cost + WRAP, Call(operator.name, (part.tree,), type_of(part.tree)), False, part.requires)
        return None


def _extents(part: Goal) -> tuple[int, ...] | int:
    """The extents of an argument, or the number that it is, as far as they are known."""
    sizes = [normal(each) for each in (part.extents if part.binders else (part.body,))]
    known = tuple(each.value if isinstance(each, Const) and isinstance(each.value, int) else USUAL for each in sizes)
    return known if part.binders else known[0]


def _is_of_sizes(expr: Expr) -> bool:
    """Whether it is an exact integer, or compares two."""
    compares = isinstance(expr, Apply) and expr.op in (Op.LT, Op.LE, Op.EQ) and type_of(expr.args[0]) == INT
    return compares or type_of(expr) == INT
