"""Values that count as another one as long as a truth value is false: `m[k] = max(m.get(k, -1), v)`.

Where a value changes just where the truth value becomes true or is so already, `there ? value : -1` is an accumulator on its own,
which starts as -1. If each change is a rise, the truth value says that it is more than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from metalift.ir.expr.build import disj, equal
from metalift.ir.expr.nodes import FALSE, TRUE, Expr, Ite, Operator, Var
from metalift.ir.expr.types import BOOL
from metalift.ir.expr.walk import alpha_equal, children, free_vars, map_children
from metalift.synth.derive.better import better
from metalift.synth.derive.flagged import SCALARS, alike, changed, settled
from metalift.synth.derive.normal_terms import compare, either, ite
from metalift.synth.derive.recurrences import Step, plain
from metalift.synth.derive.symbolic import evaluate


@dataclass(frozen=True, slots=True)
class Default:
    """`so_far` is the value where the flag is true and `absent` where it is false, as at first.

    `same`: so is the value. `above` is the order of `absent` and what `so_far` becomes, where a change of it is all that makes
    the flag true.
    """

    flag: Var
    value: Var
    so_far: Var
    absent: Expr
    same: bool
    above: Operator | None

    @property
    def own(self) -> Var:
        """The accumulator that the source does not have."""
        return self.so_far

    @property
    def start(self) -> Expr:
        """What that starts as."""
        return self.absent

    def closed(self, closed: Mapping[Var, Expr]) -> dict[Var, Expr]:
        """The closed forms with those of the flag and the value, which stands in them for what it is as the loop is entered."""
        begun = {var: evaluate(each, {self.so_far: self.absent}, plain) for var, each in closed.items()}
        if self.above is not None:
            begun[self.flag] = self.rises(begun[self.so_far])
        return {**begun, self.value: self.whole(begun[self.flag], begun[self.so_far], self.value)}

    def fact(self, closed: Mapping[Var, Expr]) -> Expr:
        """What holds in each iteration."""
        begun = evaluate(closed[self.so_far], {self.so_far: self.absent}, plain)
        return disj(closed[self.flag], equal(begun, self.absent))

    def whole(self, flag: Expr, so_far: Expr, start: Expr) -> Expr:
        """The value, which is `start` at first."""
        return so_far if self.same else ite(flag, so_far, start)

    def rises(self, so_far: Expr) -> Expr:
        """That there was a change."""
        order = (self.absent, so_far) if self.above is Operator.MAX else (so_far, self.absent)
        return compare(Operator.LT, *order)


def with_defaults(
    steps: tuple[Step, ...], starts: Mapping[Var, Expr], pure: Mapping[Var, Expr]
) -> tuple[tuple[Step, ...], tuple[Default, ...]]:
    """The steps with such accumulators in the place of the values, and what these are."""
    found: list[Default] = []
    for value in steps:
        flag = next((step for step in steps if _may_go_with(step, value, starts)), None)
        start = evaluate(starts[value.arg], pure, plain) if flag is not None else FALSE
        made = None if flag is None else _default(flag, value, start, steps)
        if made is None:
            continue
        default, following = made
        found.append(default)
        steps = tuple(_changed_steps(steps, default, following, start))
    return steps, tuple(found)


def _may_go_with(flag: Step, value: Step, starts: Mapping[Var, Expr]) -> bool:
    """Whether one of them asks for the other."""
    asked = flag.arg in free_vars(value.following) or value.arg in free_vars(flag.following)
    return asked and flag is not value and value.arg in starts and flag.arg.type == BOOL and starts.get(flag.arg) == FALSE


def _default(flag: Step, value: Step, start: Expr, steps: Sequence[Step]) -> tuple[Default, Expr] | None:
    """The accumulator, and its step."""
    following = settled(value.following, {})
    moving = {step.arg for step in steps}
    absents = [*dict.fromkeys(_absents(following, flag.arg, value.arg))] or [start]
    if len(absents) != 1 or not free_vars(absents[0]).isdisjoint(moving):
        return None
    so_far = Var(f"{value.arg.name} so far", value.arg.type)
    default = Default(flag.arg, value.arg, so_far, absents[0], alpha_equal(absents[0], start), None)
    following, becomes = (_read(each, default) for each in (following, settled(flag.following, {})))
    own: dict[Var, Expr] = {value.arg: so_far} if default.same else {}
    changes = evaluate(changed(following, value.arg), own, plain)
    following = evaluate(_kept(following, value.arg, so_far), own, plain)
    once, again = (evaluate(becomes, {**own, flag.arg: known}, plain) for known in (FALSE, TRUE))
    left = free_vars(following) | free_vars(changes) | free_vars(once)
    if not left.isdisjoint({flag.arg, value.arg}) or again != TRUE or not alike(once, changes):
        return None
    extreme = better(so_far, following)
    if extreme is None:
        return default, following
    rises = extreme.strictly and alike(extreme.taken, changes)
    return (replace(default, above=extreme.op) if rises else default), extreme.step


def _changed_steps(steps: Sequence[Step], default: Default, following: Expr, start: Expr) -> Iterator[Step]:
    flag = default.flag if default.above is None else default.rises(default.so_far)
    value = default.whole(flag, default.so_far, start)
    for step in steps:
        if step.arg == default.value:
            yield Step(default.so_far, following)
        elif step.arg == default.flag and default.above is None:
            first = {default.flag: FALSE, default.value: start, default.so_far: default.absent}
            read = evaluate(_read(settled(step.following, {}), default), first, plain)
            yield replace(step, following=either(default.flag, read))
        elif step.arg != default.flag:
            read = _read(settled(step.following, {}), default)
            yield replace(step, following=evaluate(read, {default.flag: flag, default.value: value}, plain))


def _absents(expr: Expr, flag: Var, value: Var) -> Iterator[Expr]:
    """What stands for the value where the flag is false."""
    match expr:
        case Ite(cond, then, other) if cond == flag:
            found = _in_place_of(value, then, other)
            if found is not None:
                yield found
                return
    if isinstance(expr, SCALARS):
        for part in children(expr):
            yield from _absents(part, flag, value)


def _in_place_of(value: Var, then: Expr, other: Expr) -> Expr | None:
    """What another expression has where one has the value, if they are alike but for that."""
    found = next(_beside(value, then, other), None)
    return found if found is not None and alpha_equal(evaluate(then, {value: found}, plain), other) else None


def _beside(value: Var, then: Expr, other: Expr) -> Iterator[Expr]:
    if then == value:
        yield other
    elif type(then) is type(other) and isinstance(then, SCALARS):
        for one, two in zip(children(then), children(other), strict=False):
            yield from _beside(value, one, two)


def _read(expr: Expr, default: Default) -> Expr:
    """The expression with the accumulator where it asks for the value or what stands for it."""
    match expr:
        case Ite(cond, then, other) if cond == default.flag and _in_place_of(default.value, then, other) == default.absent:
            return evaluate(then, {default.value: default.so_far}, plain)
    return map_children(lambda part: _read(part, default), expr) if isinstance(expr, SCALARS) else expr


def _kept(expr: Expr, value: Var, so_far: Var) -> Expr:
    """The step where what stays is the accumulator."""
    match expr:
        case Ite(cond, then, other):
            return Ite(cond, _kept(then, value, so_far), _kept(other, value, so_far))
    return so_far if expr == value else expr
