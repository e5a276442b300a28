"""Closed forms of a loop's header arguments: counters, and accumulators as folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, minus
from metalift.ir.expr.nodes import Apply, Cast, Expr, Fold, Ite, Item, MakeTuple, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import BoolType, MachineInt, TupleType, is_integer
from metalift.ir.expr.walk import free_vars, fresh_var, subexpressions
from metalift.ir.program.graphs import reached
from metalift.synth.derive.effects import COUNT, DONE
from metalift.synth.derive.normal_terms import Cell, cast, compare, exact, index, ite
from metalift.synth.derive.symbolic import Read, evaluate, finished

NEVER_FULL = 64  # bits of a counter that no loop counts through to the end


@dataclass(frozen=True, slots=True)
class Step:
    """A header argument and its value in the next iteration, in terms of this one's state."""

    arg: Var
    following: Expr


def reads_any(expr: Expr, arrays: frozenset[Var]) -> bool:
    """Whether the expression reads one of the arrays."""
    return any(isinstance(sub, Select) and sub.tensor in arrays for sub in subexpressions(expr))


def counters(steps: tuple[Step, ...], written: frozenset[Var]) -> dict[Var, Expr]:
    """The arguments that stay or change by the same amount in each iteration, closed in DONE."""
    args = frozenset(step.arg for step in steps)
    constant = frozenset(step.arg for step in steps if step.following == step.arg)
    closed: dict[Var, Expr] = {arg: arg for arg in constant}
    for step in steps:
        if step.arg in constant or not is_integer(step.arg.type):
            continue
        change = index(_unwrapped(step.following, step.arg)) - index(step.arg)
        moving = change.free_vars & (args - constant)
        if not moving and not any(reads_any(atom, written) for atom in change.atoms):
            total = index(step.arg) + change * index(DONE)
            closed[step.arg] = cast(total.to_expr(), step.arg.type)
    return closed


def kept_in_type(steps: tuple[Step, ...], counting: Mapping[Var, Expr], count: Expr) -> tuple[Expr, ...]:
    """That counters which would wrap around do not reach the end of their type."""
    needs: list[Expr] = []
    for step in steps:
        type_, following = step.arg.type, _unwrapped(step.following, step.arg)
        if step.arg not in counting or not isinstance(type_, MachineInt) or following == step.following:
            continue
        change = (index(following) - index(step.arg)).constant_value
        if change is None or change <= 0:
            continue
        reached = index(step.arg) + index(count) * change
        needs.append(at_most(reached.to_expr(), integer(type_.high)))
    return tuple(needs)


def _unwrapped(following: Expr, arg: Var) -> Expr:
    """The next value of a counter before it is brought back to its type: the bound is expected to keep it in range."""
    if isinstance(following, Cast) and following.type == arg.type and is_integer(type_of(following.arg)):
        return following.arg
    return following


class Accumulators:
    """The other arguments: folds over the iterations, on a tuple where they depend on each other."""

    def __init__(
        self,
        steps: tuple[Step, ...],
        counting: Mapping[Var, Expr],
        binder: Var,
        acc: Var,
        beside: Mapping[Var, tuple[Var, Callable[[Expr], Expr]]],
    ) -> None:
        """`acc` gives the accumulator's name; `binder` is the folds' index. `beside` has for a value that is known by another
        accumulator that one, and the value as a function of it.
        """
        self.steps = {step.arg: step for step in steps if step.arg not in counting}
        self.counting = counting
        self.binder = binder
        self.acc = acc
        self.beside = beside
        self.alike: list[tuple[Expr, Expr]] = []  # closed forms of one accumulator, by itself and beside one that depends on it

    def closed(self, read: Read, rounds: Expr) -> dict[Var, Expr]:
        """Each accumulator in terms of COUNT; `read` resolves reads of arrays in iteration `binder`, one of `rounds`."""
        found: dict[Var, Expr] = {}
        folds: dict[tuple[Var, ...], Expr] = {}
        needed = {arg: self._needed(arg) for arg in self.steps}
        groups = {arg: tuple(sorted(group, key=lambda each: self._order(each, needed))) for arg, group in needed.items()}
        for arg, group in sorted(groups.items(), key=lambda each: len(each[1])):
            if arg in self.beside and len(group) > 1:
                continue
            if self._follows(arg, groups) and all(other in found for other in group if other != arg):
                found[arg] = self._following(arg, found, read, {self.binder: rounds})
                continue
            if group not in folds:
                folds[group] = self._fold(group, read, {self.binder: rounds})
            found[arg] = folds[group] if len(group) == 1 else Item(folds[group], group.index(arg))
        for group, whole in folds.items():
            inside = ((place, each) for place, each in enumerate(group) if len(group) > 1 and each in found)
            self.alike += [(found[each], Item(whole, place)) for place, each in inside if found[each] != Item(whole, place)]
        known = {arg: value(found[place]) for arg, (place, value) in self.beside.items() if arg not in found}
        return {**found, **known}

    def _needed(self, arg: Var) -> tuple[Var, ...]:
        """The accumulators on which this one depends, itself included."""

        def used(step: Var) -> Iterator[Var]:
            named = free_vars(self.steps[step].following)
            others = (self.beside[var][0] if var in self.beside and var != arg else var for var in named)
            return (var for var in others if var in self.steps)

        found = reached([arg], used)
        return tuple(step for step in self.steps if step in found)

    def _order(self, arg: Var, needed: Mapping[Var, tuple[Var, ...]]) -> tuple[bool, int, bool]:
        """Truth values come first, then what depends on fewer others, then what depends on itself, whatever the order in the
        source is: folds can be compared.
        """
        return not isinstance(arg.type, BoolType), len(needed[arg]), arg not in free_vars(self.steps[arg].following)

    def _follows(self, arg: Var, groups: Mapping[Var, tuple[Var, ...]]) -> bool:
        """Whether the accumulator depends on others, and neither on itself nor through one of these."""
        others = [other for other in groups[arg] if other != arg]
        again = arg in free_vars(self.steps[arg].following) or any(arg in groups[other] for other in others)
        return bool(others) and not again and self.beside.keys().isdisjoint(groups[arg])

    def _following(self, arg: Var, found: Mapping[Var, Expr], read: Read, ranges: Mapping[Var, Expr]) -> Expr:
        """An accumulator that is computed from what others were in the last iteration."""
        values = at_iteration({**self.counting, **found}, self.binder)
        return self._last(arg, evaluate(self.steps[arg].following, values, read, ranges))

    def _fold(self, group: tuple[Var, ...], read: Read, ranges: Mapping[Var, Expr]) -> Expr:
        single = len(group) == 1
        type_ = group[0].type if single else TupleType(tuple(var.type for var in group))
        acc = Var(self.acc.name, type_)
        values: dict[Var, Expr] = at_iteration(self.counting, self.binder)
        values.update({group[0]: acc} if single else {var: Item(acc, place) for place, var in enumerate(group)})
        values.update({var: value(values[by]) for var, (by, value) in self.beside.items() if var not in group and by in group})
        parts = tuple(evaluate(self.steps[var].following, values, read, ranges) for var in group)
        body = parts[0] if single else MakeTuple(parts)
        if acc not in free_vars(body):
            return self._last(group[0], body)
        if single and (number := self._counted(group[0], body, interval(ranges[self.binder]))) is not None:
            return number
        return fold(COUNT, group[0] if single else MakeTuple(group), acc, self.binder, body)

    def _counted(self, arg: Var, body: Expr, rounds: Interval) -> Expr | None:
        """A number that would wrap around and grows by one where a condition holds: it counts iterations, so it does not, where
        its type holds their number.
        """
        acc = Var(self.acc.name, arg.type)
        if not isinstance(arg.type, MachineInt):
            return None
        if arg.type.bits < NEVER_FULL and not rounds.within(Interval(None, arg.type.high)):
            return None
        added = _added(acc, body)
        if not isinstance(added, Ite):
            return None
        return fold(COUNT, arg, acc, self.binder, Apply(Operator.ADD, (acc, added)))

    def _last(self, arg: Var, body: Expr) -> Expr:
        """What the last iteration left, or the value at entry."""
        last = evaluate(body, {self.binder: exact(minus(COUNT, integer(1)))}, plain)
        return ite(compare(Operator.LT, integer(0), COUNT), last, arg)


def _added(acc: Var, body: Expr) -> Expr | None:
    """0 or 1: by how much the step raises the accumulator before it is brought back to its type."""
    if body == acc:
        return integer(0, acc.type)
    match body:
        case Cast(wide, type_) if type_ == acc.type and index(wide) - index(acc) == Polynomial.constant(1):
            return integer(1, acc.type)
        case Ite(cond, then, other) if acc not in free_vars(cond):
            one, two = _added(acc, then), _added(acc, other)
            return None if one is None or two is None else ite(cond, one, two)
        case _:
            return None


def fold(extent: Expr, init: Expr, acc: Var, counter: Var, body: Expr) -> Expr:
    """A fold whose own names do not occur in its extent and start, in normal form."""
    outside = free_vars(extent) | free_vars(init)
    if counter in outside:
        fresh = fresh_var(counter, {v.name for v in outside | free_vars(body)} | {acc.name})
        body = evaluate(body, {counter: fresh}, plain)
        counter = fresh
    return finished(Fold(extent, init, acc, counter, body))


def plain(array: Var, cell: Cell, ranges: Mapping[Var, Expr]) -> Expr:
    """Reads that stay as they are."""
    return Select(array, cell)


def at_iteration(closed: Mapping[Var, Expr], iteration: Expr) -> dict[Var, Expr]:
    """Closed forms after that many iterations."""
    values: dict[Var, Expr] = {COUNT: iteration, DONE: iteration}
    return {arg: evaluate(value, values, plain) for arg, value in closed.items()}
