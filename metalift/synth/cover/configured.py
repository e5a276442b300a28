"""Finding the configuration of an operator with holes, so that its meaning is a given scalar term.

A meaning of this kind is a template: where it asks which choice a hole has, each is tried. What it then says is compared with
the term: choices between values by any condition in the term, sums modulo the size of their type in any order. The operator's
cells are given; any other parameter stands for a term that does not read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from metalift.driver.operators import Operator as DriverOperator
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Cast, Const, Expr, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import BOOL, INT, MachineInt, TensorType, Type, is_integer
from metalift.ir.expr.walk import free_vars, transform
from metalift.synth.cover.decisions import choices
from metalift.synth.cover.match import SYMMETRIC
from metalift.synth.cover.normal import normal
from metalift.synth.cover.normal_operators import cast_form, negated
from metalift.synth.cover.regrouped import Signed, make_sum, number, sum_terms

MOST = 400  # configurations of one operator for one term
FEW_TERMS = 3  # of a sum, up to which every order is tried
Bound = Mapping[Var, Expr]


@dataclass(frozen=True, slots=True)
class Template:
    """A meaning with holes at concrete types. `held` is what the parameters in `operator.holds` are, which no other may read."""

    operator: DriverOperator
    params: tuple[Var, ...]
    body: Expr
    held: tuple[Expr, ...] = ()

    @property
    def holes(self) -> Mapping[str, int]:
        """The holes with the number of their choices."""
        return self.operator.holes or {}

    def configurations(self, goal: Expr) -> Iterator[dict[Var, Expr]]:
        """What the parameters may be so that the meaning is the goal; those that do not matter are 0."""
        cells = dict(zip(self.operator.holds, self.held, strict=True))
        start: dict[Var, Expr] = {param: cells[param.name] for param in self.params if param.name in cells}
        seen: set[tuple[Expr, ...]] = set()
        for bound in islice(self.match(self.body, goal, start), MOST):
            values = tuple(bound.get(param, unused(param)) for param in self.params)
            if values not in seen:
                seen.add(values)
                yield dict(zip(self.params, values, strict=True))

    def match(self, pattern: Expr, goal: Expr, bound: Bound) -> Iterator[Bound]:  # noqa: C901 (one case for each node)
        """All ways in which the goal is an instance of the pattern."""
        match pattern:
            case Var():
                yield from self.parameter(pattern, goal, bound)
            case Ite(cond, then, other):
                hole = self.hole(cond)
                if hole is not None:
                    yield from self.chosen(hole, pattern, goal, bound)
                else:
                    yield from self.choice(cond, then, other, goal, bound)
            case Cast(Apply(Operator.ADD | Operator.SUB as op, (left, right)), MachineInt() as type_) if type_of(left) == INT:
                yield from self.sum(op, left, right, type_, goal, bound)
            case Apply(Operator.ADD | Operator.SUB as op, (left, right)):
                yield from self.sum(op, left, right, type_of(pattern), goal, bound)
            case Const():
                if pattern == goal:
                    yield bound
            case Cast(arg, type_):
                if isinstance(goal, Cast) and goal.type == type_ and type_of(goal.arg) == type_of(arg):
                    yield from self.match(arg, goal.arg, bound)
            case Apply(op, args):
                yield from self.apply(op, args, goal, bound)
            case Call(function, args, type_):
                if isinstance(goal, Call) and (goal.function, goal.type, len(goal.args)) == (function, type_, len(args)):
                    yield from self.all(args, goal.args, bound)
            case _:
                return

    # Parameters and holes

    def parameter(self, param: Var, goal: Expr, bound: Bound) -> Iterator[Bound]:
        """The parameter stands for the goal."""
        if param in bound:
            if bound[param] == goal:
                yield bound
            return
        if type_of(goal) != param.type or self.reads_held(goal):
            return
        if param.name in self.operator.plain and not isinstance(goal, Const):
            return
        yield {**bound, param: goal}

    def reads_held(self, term: Expr) -> bool:
        """Whether a term reads storage that the operator keeps."""
        return not self.arrays.isdisjoint(free_vars(term))

    @property
    def arrays(self) -> frozenset[Var]:
        """The storage that the operator keeps."""
        return frozenset(var for cell in self.held for var in free_vars(cell) if isinstance(var.type, TensorType))

    def hole(self, cond: Expr) -> tuple[Var, int] | None:
        """The hole and the choice that a condition asks for."""
        match cond:
            case Apply(Operator.EQ, (Var(name) as hole, Const(value))) if name in self.holes:
                return hole, int(value)
            case _:
                return None

    def options(self, hole: Var, bound: Bound) -> Iterable[int]:
        """The choices of a hole that are still open."""
        known = bound.get(hole)
        return (int(known.value),) if isinstance(known, Const) else range(self.holes[hole.name])

    def chosen(self, asked: tuple[Var, int], pattern: Ite, goal: Expr, bound: Bound) -> Iterator[Bound]:
        """The pattern for each choice of a hole that is still open."""
        hole, value = asked
        for option in self.options(hole, bound):
            part = pattern.then if option == value else pattern.other
            yield from self.match(part, goal, {**bound, hole: integer(option)})

    def conditions(self, cond: Expr, bound: Bound) -> Iterator[tuple[Expr, Bound]]:
        """A condition of the pattern for each choice of the holes that decide which one it is."""
        if not isinstance(cond, Ite):
            yield cond, bound
            return
        asked = self.hole(cond.cond)
        if asked is None:
            return
        hole, value = asked
        for option in self.options(hole, bound):
            yield from self.conditions(cond.then if option == value else cond.other, {**bound, hole: integer(option)})

    # Nodes

    def choice(self, cond: Expr, then: Expr, other: Expr, goal: Expr, bound: Bound) -> Iterator[Bound]:
        """A choice in the pattern; where its condition is a constant, what it chooses."""
        for test, opened in self.conditions(cond, bound):
            if test in (TRUE, FALSE):
                yield from self.match(then if test == TRUE else other, goal, opened)
                continue
            for wanted, left, right in choices(goal, self.arrays):
                for found in self.match(test, wanted, opened):
                    for matched in self.match(then, left, found):
                        yield from self.match(other, right, matched)

    def apply(self, op: Operator, args: tuple[Expr, ...], goal: Expr, bound: Bound) -> Iterator[Bound]:
        """An operator with matching operands."""
        if op is Operator.NOT and not (isinstance(goal, Apply) and goal.op is op):
            inner = normal(negated(goal)) if type_of(goal) == BOOL else goal
            if isinstance(inner, Apply) and inner.op is not Operator.NOT and inner != goal:
                yield from self.match(args[0], inner, bound)
            return
        if not isinstance(goal, Apply) or goal.op is not op or len(goal.args) != len(args):
            return
        yield from self.all(args, goal.args, bound)
        if op in SYMMETRIC and len(args) == 2:
            yield from self.all(args, (goal.args[1], goal.args[0]), bound)

    def all(self, patterns: tuple[Expr, ...], goals: tuple[Expr, ...], bound: Bound) -> Iterator[Bound]:
        """All pairs match at once."""
        if not patterns:
            yield bound
            return
        for found in self.match(patterns[0], goals[0], bound):
            yield from self.all(patterns[1:], goals[1:], found)

    def sum(self, op: Operator, left: Expr, right: Expr, type_: Type, goal: Expr, bound: Bound) -> Iterator[Bound]:
        """A sum of two parts, modulo the size of its type: each term of the goal in turn, and the others together.

        Of a long sum, which could be taken apart in too many ways, it is the first or the last term, unless that is a held cell.
        """
        if type_of(goal) != type_:
            return
        terms = _wrapped_terms(goal)
        sign = -1 if op is Operator.SUB else 1
        if len(terms) < 2:
            return
        anywhere = self.held or len(terms) <= FEW_TERMS
        for at in range(len(terms)) if anywhere else (0, len(terms) - 1):
            own, term = terms[at]
            rest = [*terms[:at], *terms[at + 1 :]]
            if own == 1:
                mirrored = [(sign * each, part) for each, part in rest]
                yield from self.all((_inside(left), _inside(right)), (cast_form(term, type_), _sum(mirrored, type_)), bound)
            if own == sign and len(terms) > 2:
                yield from self.all((_inside(left), _inside(right)), (_sum(rest, type_), cast_form(term, type_)), bound)


def inward(body: Expr) -> Expr:
    """The meaning with what is chosen converted, rather than the choice."""
    return transform(_inward, body)


def _inward(expr: Expr) -> Expr:
    match expr:
        case Cast(Ite(cond, then, other), type_):
            return Ite(cond, _inward(Cast(then, type_)), _inward(Cast(other, type_)))
        case Cast(arg, type_):
            return cast_form(arg, type_)
        case _:
            return expr


def unused(param: Var) -> Expr:
    """What a parameter is that does not matter in a configuration."""
    return FALSE if param.type == BOOL else number(0, param.type)


def _inside(part: Expr) -> Expr:
    """An operand of a sum of exact integers without its conversion to one."""
    return part.arg if isinstance(part, Cast) and part.type == INT else part


def _wrapped_terms(goal: Expr) -> list[Signed]:
    """The terms, exact integers, of a sum that is taken modulo the size of its type."""
    inner = goal.arg if isinstance(goal, Cast) and is_integer(type_of(goal.arg)) else goal
    terms = sum_terms(inner)
    found: list[Signed] = []
    for sign, term in terms:
        if isinstance(term, Const):
            found.append((sign, term) if term.value >= 0 else (-sign, Const(-term.value, term.type)))
        else:
            found.append((sign, term))
    return found


def _sum(terms: list[Signed], type_: Type) -> Expr:
    """The sum of exact integers in the type."""
    return normal(cast_form(make_sum(terms), type_))
