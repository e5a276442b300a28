"""Loops that do several steps of one kind in each iteration: folds and updates over the steps instead of the iterations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import TRUE, Apply, Expr, Fold, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, IntType, is_integer
from metalift.ir.expr.walk import alpha_equal, children, free_vars, map_children, rebuild, transform
from metalift.synth.derive.bounds import sized, unclamped
from metalift.synth.derive.division import arithmetic
from metalift.synth.derive.effects import Effect
from metalift.synth.derive.normal_terms import apply, compare, exact, index, ite, same
from metalift.synth.derive.recurrences import fold, plain
from metalift.synth.derive.state import Write
from metalift.synth.derive.symbolic import evaluate

_GATHERING = frozenset({Operator.ADD, Operator.MUL, Operator.MIN, Operator.MAX})


class NotUniform(Exception):
    """The steps of an iteration are not instances of one step."""


def rolled_fold(term: Expr) -> Expr:
    """A fold over `m` times as many steps, where each iteration gathers `m` values that follow one rule."""
    match term:
        case Fold(extent, init, acc, counter, Apply(op, _) as body) if op in _GATHERING:
            values = _gathered(op, body, acc)
            if len(values) < 2:
                return term
            try:
                value = one_step(tuple(values), counter)
            except NotUniform:
                return term
            steps = exact((index(extent) * len(values)).to_expr())
            return fold(steps, init, acc, counter, apply(op, (acc, value)))
        case _:
            return term


def _gathered(op: Operator, body: Expr, acc: Var) -> list[Expr]:
    """The values that are combined with the accumulator; nothing if it is used otherwise."""
    parts = _operands(op, body)
    values = [part for part in parts if part != acc]
    used_elsewhere = any(acc in free_vars(value) for value in values)
    return [] if used_elsewhere or len(parts) - len(values) != 1 else values


def _operands(op: Operator, expr: Expr) -> list[Expr]:
    if isinstance(expr, Apply) and expr.op is op:
        return [part for arg in expr.args for part in _operands(op, arg)]
    return [expr]


def one_step(values: tuple[Expr, ...], counter: Var) -> Expr:
    """The term of which value number j is the instance for len(values) * counter + j; raises NotUniform."""
    step = _divided(values[0], counter, len(values))
    for place, value in enumerate(values):
        at: dict[Var, Expr] = {counter: (index(counter) * len(values) + place).to_expr()}
        if not alpha_equal(evaluate(step, at, plain), value):
            raise NotUniform
    return step


def _divided(expr: Expr, counter: Var, steps: int) -> Expr:
    """The expression with `counter` in the place of `steps * counter`."""
    if counter not in free_vars(expr):
        return expr
    parts = index(expr).affine_in((counter,)) if isinstance(type_of(expr), IntType) else None
    if parts is not None:
        if parts[0][counter].content % steps:
            raise NotUniform
        slope = Polynomial.make((monomial, factor // steps) for monomial, factor in parts[0][counter].terms)
        return (slope * index(counter) + parts[1]).to_expr()
    if isinstance(expr, Var):
        raise NotUniform
    return rebuild(expr, tuple(_divided(child, counter, steps) for child in children(expr)))


def rolled_writes(writes: tuple[Write, ...]) -> tuple[Write, ...]:
    """One write for several of one loop that follow one rule."""
    if len(writes) < 2 or any(w.binders != writes[0].binders or w.extents != writes[0].extents for w in writes):
        return writes
    counter, *inner = writes[0].binders or (Var("", INT),)
    if not writes[0].binders or any(counter in free_vars(extent) for extent in writes[0].extents[1:]):
        return writes
    ordered = tuple(sorted(writes, key=lambda write: [index(each).constant_term for each in write.at]))
    try:
        at = tuple(exact(one_step(axis, counter)) for axis in zip(*(write.at for write in ordered), strict=True))
        value, guard = (one_step(tuple(getattr(write, part) for write in ordered), counter) for part in ("value", "guard"))
    except NotUniform:
        return writes
    steps = exact((index(writes[0].extents[0]) * len(writes)).to_expr())
    return (Write((counter, *inner), (steps, *writes[0].extents[1:]), at, value, guard),)


def interleaved(writes: tuple[Write, ...]) -> tuple[Write, ...]:
    """One write for those of one loop that put `m` elements side by side in each iteration, by any rules: element number t is
    the one that rule t % m gives in iteration t // m.
    """
    number, loops = len(writes), {(write.binders, write.extents, write.guard) for write in writes}
    if number < 2 or len(loops) > 1 or len(writes[0].binders) != 1 or len(writes[0].at) != 1 or writes[0].guard != TRUE:
        return writes
    ordered = sorted(writes, key=lambda write: index(write.at[0]).constant_term)
    (counter,), (extent,) = ordered[0].binders, ordered[0].extents
    start = index(ordered[0].at[0]) - index(counter) * number
    if counter in start.free_vars or any(index(w.at[0]) != start + index(counter) * number + j for j, w in enumerate(ordered)):
        return writes
    steps, rule = (arithmetic(op, (index(counter), Polynomial.constant(number))) for op in (Operator.FDIV, Operator.FMOD))
    values = [evaluate(write.value, {counter: steps.to_expr()}, plain) for write in ordered]
    value = values.pop()
    for at, other in reversed(list(enumerate(values))):
        value = ite(compare(Operator.EQ, rule.to_expr(), integer(at)), other, value)
    total = exact((index(extent) * number).to_expr())
    return (Write((counter,), (total,), ((start + index(counter)).to_expr(),), value),)


@dataclass(frozen=True, slots=True)
class Continued:
    """A loop's accumulator that goes on where the fold that an earlier loop left in it stopped.

    `counter` is the number of steps done at the loop's entry; `alike` are header arguments that have the same value there.
    """

    arg: Var
    counter: Var
    alike: tuple[Var, ...]
    earlier: Fold

    def joined(self, term: Expr) -> Expr:
        """The term with folds that start from the accumulator as folds over both loops' steps."""

        def rewrite(node: Expr) -> Expr:
            match node:
                case Fold(extent, init, acc, at, body) if init == self.arg and (step := self._shifted(body, at)):
                    return fold(exact(Apply(Operator.ADD, (exact(self.counter), extent))), self.earlier.init, acc, at, step)
                case _:
                    return node

        return transform(rewrite, term)

    def matches(self, fold_here: Fold, entry: Mapping[Var, Expr]) -> bool:
        """Whether the loop, entered with these values, does the earlier loop's next steps."""
        start = entry.get(self.counter)
        if start is None or sized(index(start)) != sized(index(self.earlier.extent)):
            return False
        step = self._shifted(fold_here.body, fold_here.index)
        if step is None:
            return False
        names: dict[Var, Expr] = {fold_here.acc: self.earlier.acc, fold_here.index: self.earlier.index}
        return alpha_equal(_as_size(evaluate(step, {**entry, **names}, plain)), _as_size(self.earlier.body))

    def effect(self, effect: Effect) -> Effect:
        """The loop's effect with its folds joined to the earlier one."""
        return replace(
            effect,
            arguments={var: self.joined(value) for var, value in effect.arguments.items()},
            results={var: self.joined(value) for var, value in effect.results.items()},
            writes={array: tuple(self._joined_write(w) for w in group) for array, group in effect.writes.items()},
        )

    def _shifted(self, body: Expr, at: Var) -> Expr | None:
        """The step with its index counted from where the counter was 0; None if it depends on the counter otherwise."""
        start: dict[Var, Expr] = {other: self.counter for other in self.alike}
        step = evaluate(evaluate(body, start, plain), {at: (index(at) - index(self.counter)).to_expr()}, plain)
        return None if self.counter in free_vars(step) else step

    def _joined_write(self, write: Write) -> Write:
        return Write(write.binders, write.extents, write.at, self.joined(write.value), write.guard)


def joined_writes(earlier: Write, later: Write) -> Write | None:
    """One write for two, where the later one goes on by the same rule where the earlier one stopped."""
    if not earlier.binders or len(earlier.binders) != len(later.binders):
        return None
    names: dict[Var, Expr] = dict(zip(later.binders, earlier.binders, strict=True))
    later = later.inner(names)
    counter, done = earlier.binders[0], index(earlier.extents[0])
    onwards: dict[Var, Expr] = {counter: (index(counter) + done).to_expr()}
    pairs = [*zip(earlier.at, later.at, strict=True), (earlier.value, later.value), (earlier.guard, later.guard)]
    pairs += zip(earlier.extents[1:], later.extents[1:], strict=True)
    if not all(alpha_equal(_as_size(evaluate(one, onwards, plain)), _as_size(two)) for one, two in pairs):
        return None
    steps = exact(unclamped(done + index(later.extents[0])).to_expr())
    return Write(earlier.binders, (steps, *earlier.extents[1:]), earlier.at, earlier.value, earlier.guard)


def _as_size(expr: Expr) -> Expr:
    """The expression with its integers as sizes, to be compared."""
    made = map_children(_as_size, expr)
    return sized(index(made)).to_expr() if isinstance(type_of(expr), IntType) else made


def continuing(effect: Effect, entry: Mapping[Var, Expr], earlier: Mapping[Var, Expr]) -> Effect:
    """The effect with folds that go on from an earlier loop's joined to it; `earlier` has what the names in `entry` stand for."""
    for arg, value in effect.arguments.items():
        start = entry[arg]
        before = earlier.get(start) if isinstance(start, Var) else None
        if not isinstance(value, Fold) or not isinstance(before, Fold) or value.init != arg or free_vars(before.init):
            continue
        for counter in effect.arguments:
            if not is_integer(counter.type):
                continue
            alike = tuple(c for c in effect.arguments if is_integer(c.type) and same(entry[c], entry[counter]))
            found = Continued(arg, counter, alike, before)
            if found.matches(value, entry):
                effect = found.effect(effect)
                break
    return effect
