"""Loops that count, whatever they run over; and the sequences that they run over."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.blocks import Point
from metalift.frontend.python.flow import Header
from metalift.frontend.python.reader.context import ZERO, Context, Loop
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.stands_for import Items, Iteration, ListObject, Section, Value, View, Whole, items_of, names_in
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator
from metalift.ir.expr.types import INT
from metalift.ir.program.fragment import Assume, Ground

ONE = Const(1, INT)
_GROWING = frozenset({"append", "extend", "pop", "clear"})
_INSIDE = "from 0 to the length of the list"
_KEYWORDS = (("enumerate", "start"), ("zip", "strict"))
_ITERABLES = "supported are range, lists and slices of them, enumerate, zip and reversed"


def plus(left: Expr, right: Expr) -> Expr:
    """left + right of exact integers."""
    if right == ZERO:
        return left
    return right if left == ZERO else scalars.add(Operator.ADD, left, right)


def minus(left: Expr, right: Expr) -> Expr:
    """left - right of exact integers."""
    return left if right == ZERO else scalars.add(Operator.SUB, left, right)


def times(index: Expr, step: Expr) -> Expr:
    """index * step."""
    return index if step == ONE else step if index == ONE else scalars.add(Operator.MUL, index, step)


def goes_back(step: Expr) -> bool:
    """Whether a step is a number below 0; one that is no literal is not."""
    return isinstance(step, Const) and int(step.value) < 0


def steps(start: Expr, stop: Expr, step: int) -> Expr:
    """How often a counter goes by the step before it reaches its end; below 0 where it begins beyond it."""
    return rounds(minus(stop, start) if step > 0 else minus(start, stop), Const(abs(step), INT))


def rounds(span: Expr, step: Expr) -> Expr:
    """How often a counter goes so far by steps in either direction."""
    size = Const(abs(int(step.value)), INT) if isinstance(step, Const) else step
    if size != ONE and not isinstance(span, Const):
        number, rest = Polynomial.of(span).divide(Polynomial.of(size))
        if not rest.terms:  # n * step by steps
            return number.to_expr()
    return span if size == ONE else scalars.floor_divide(Operator.FDIV, plus(span, minus(size, ONE)), size)


@dataclass(slots=True)
class Loops:
    """Reads iterables, and makes the loops that run over them."""

    context: Context
    expressions: Expressions
    running: list[Iteration] = field(default_factory=list)  # what the loops around the current place run over

    # The loop itself

    def loop(
        self,
        iteration: Iteration,
        node: ast.AST,
        names: Iterable[str],
        body: Callable[[Value], None],
        *,
        base: str = "k",
        jumps: Loop | None = None,
        tag: str = "",
    ) -> None:
        """Do `body` for each value; `names` are keys of the environment that it sets. Goes on where the counter is at its end."""
        key = self.context.key(node, f"loop{tag}")
        counter = f"{key}:#{base}"
        start, stop = self.context.frozen(iteration.start, "start"), self.context.frozen(iteration.stop, "stop")
        rounds = self.rounds(replace(iteration, start=start, stop=stop))
        self.context.env[counter] = start
        header = self.context.open_loop("for", [*names, *self.lengths_changed(node), counter], key)
        ends: list[Point] = []
        for _ in range(self.context.turns(key)):
            index = self.context.env[counter]
            assert isinstance(index, Expr)
            ends.append(self._round(iteration, start, stop, index, body))
            self.context.join([self.context.at, *(jumps.take_continues() if jumps else ())], "latch", f"{key}latch")
            if self.context.at is None:
                break
            self.context.env[counter] = plus(index, Const(iteration.step, INT))
        self.context.next_round(header, key)
        lengths = self._closed_lengths(header, self.context.at, rounds) if self.context.turns(key) == 1 else {}
        self.context.close_loop(header, [self.context.at], key)
        for outside in ends:
            outside.env.update(lengths)
            outside.env.pop(counter)
        self.context.join(ends, "ends", f"{key}ends")

    def _round(self, iteration: Iteration, start: Expr, stop: Expr, index: Expr, body: Callable[[Value], None]) -> Point:
        """Go on behind the body; where the counter is at its end before it."""
        up = iteration.step > 0
        cond = Apply(Operator.LT, (index, stop) if up else (stop, index))
        self.context.at, outside = self.context.branch(cond, "for")
        near = self.context.polynomial(index) - self.context.polynomial(start)
        self.context.learn(near if up else -near)
        self.running.append(iteration)
        body(iteration.item(index))
        self.running.pop()
        return outside

    def rounds(self, iteration: Iteration) -> Expr:
        """How often a counter that runs to its end goes round."""
        count = steps(iteration.start, iteration.stop, iteration.step)
        return scalars.clamped(count, self.context.is_natural(count))

    def _closed_lengths(self, header: Header, latch: Point | None, rounds: Expr) -> dict[str, Value]:
        """Lengths that grow by the same in each round of a loop that is left only at its end: what they are after it."""
        found: dict[str, Value] = {}
        for name, var in header.names if latch is not None else ():
            entry, now = header.entry.get(name), latch.env.get(name) if latch else None
            if ":#len" not in name or not isinstance(entry, Expr) or not isinstance(now, Expr):
                continue
            grown = (self.context.polynomial(now) - self.context.polynomial(var)).constant_value
            if grown is not None and grown >= 0:
                more = rounds if grown == 1 else scalars.add(Operator.MUL, rounds, Const(grown, INT)) if grown else ZERO
                found[name] = plus(entry, more)
        return found

    def lengths_changed(self, node: ast.AST) -> list[str]:
        """The lengths of local lists that something inside of a loop may change."""
        every = [name for name in self.context.env if ":#len" in name]
        found: list[str] = []
        for part in ast.walk(node):
            match part:
                case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in _GROWING:
                    view = self.context.view(owner)
                    if view is None:
                        return every
                    found.append(view.object.length)
                case ast.Call(func=ast.Name(id=name)) if name in self.context.module.functions or self.context.is_bound(name):
                    return every
                case ast.AugAssign(target=ast.Name() as target, op=ast.Add()):
                    view = self.context.view(target)
                    found += [view.object.length] if view is not None else []
                case _:
                    pass
        return [name for name in dict.fromkeys(found) if name in self.context.env]

    def set_inside(self, nodes: Iterable[ast.AST]) -> list[str]:
        """The local names that statements set."""
        found = [name for node in nodes for part in ast.walk(node) if isinstance(part, ast.expr) for name in _stored(part)]
        return [self.context.name_of(name) for name in dict.fromkeys(found)]

    # What loops run over

    def iteration(self, node: ast.expr, *, lazy: bool = True) -> Iteration | Items:
        """The values of an iterable. `lazy`: elements may be read when they are asked for."""
        self.context.here(node)
        if isinstance(node, ast.Call) and (maker := _MAKERS.get(self._maker(node))) is not None:
            if any((self._maker(node), each.arg) not in _KEYWORDS for each in node.keywords):
                self.context.refuse(node, f"{ast.unparse(node.func)} with named arguments; {_ITERABLES}")
            if maker is not Loops._range:
                self.expressions.only_reads([*node.args, *(each.value for each in node.keywords)])
            return maker(self, node)
        if lazy and isinstance(node, ast.GeneratorExp | ast.ListComp) and len(node.generators) == 1:
            (generator,) = node.generators
            if not generator.ifs:
                return self._mapped(node, generator)
        value = self.expressions.value(node)
        if isinstance(value, View):
            return self.over(value)
        if isinstance(value, Section | Whole):
            return self.context.above.arrays.rows(value, node)
        if isinstance(value, Expr):
            value = items_of(value) or value
        if isinstance(value, Iteration | Items):
            return value
        self.context.refuse(node, f"a loop over {ast.unparse(node)!r}, which is no list; {_ITERABLES}")

    def _maker(self, node: ast.Call) -> str:
        """The name of Python's own function that is called, or of a library's; empty for others."""
        full = self.context.library_name(node.func)
        if full or not isinstance(node.func, ast.Name):
            return full
        name = node.func.id
        return "" if name in self.context.module.functions or self.context.is_bound(name) else name

    def over(self, view: View) -> Iteration:
        """The elements or rows of a list, each read when its turn comes."""
        return Iteration(ZERO, self.context.length(view), 1, lambda k: self.context.element(view, k), (view,))

    def counted(self, node: ast.expr) -> Iteration:
        """The values of an iterable, which may not be a tuple of values of several kinds."""
        found = self.iteration(node)
        if isinstance(found, Items):
            self.context.refuse(node, f"a tuple as an iterable here; {_ITERABLES}")
        return found

    def _mapped(self, node: ast.GeneratorExp | ast.ListComp, generator: ast.comprehension) -> Iteration:
        inner = self.counted(generator.iter)

        def item(index: Expr) -> Value:
            return self.within(generator.target, inner.item(index), lambda: self.expressions.value(node.elt))

        return replace(inner, item=item)

    def within(self, target: ast.expr, value: Value, body: Callable[[], Value]) -> Value:
        """Evaluate something where the names of a comprehension's target have a value, and only there."""
        names = [self.context.name_of(name) for name in names_in(target)]
        before = {name: self.context.env.get(name) for name in names}
        self.context.above.bind(target, value)
        result = body()
        for name, old in before.items():
            if self.context.at is not None:
                self.context.env.pop(name, None)
                if old is not None:
                    self.context.env[name] = old
        return result

    def by_zero(self, iteration: Iteration) -> Iteration:
        """The same values with a counter that begins at 0 and goes up by 1."""
        if iteration.start == ZERO and iteration.step == 1:
            return iteration
        start, step = self.context.frozen(iteration.start, "start"), iteration.step
        stop = self.context.frozen(iteration.stop, "stop")

        def item(index: Expr) -> Value:
            return iteration.item(plus(times(index, Const(step, INT)), start))

        return replace(iteration, start=ZERO, stop=steps(start, stop, step), step=1, item=item)

    def _range(self, node: ast.Call) -> Iteration:
        if not 1 <= len(node.args) <= 3:
            self.context.refuse(node, "range takes one to three numbers")
        numbers = zip(self.expressions.numbers(node.args), node.args, strict=True)
        bounds = [self.expressions.as_integer(value, arg) for value, arg in numbers]
        start, stop = (ZERO, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        start, stop = self.context.frozen(start), self.context.frozen(stop)
        step = bounds[2] if len(bounds) == 3 else ONE
        if isinstance(step, Const) and step.value == 0:
            self.context.refuse(node, "range with step 0, which raises ValueError")
        return self._stepped(start, stop, self.sized(step, node, "range"), lambda i: i)

    def _stepped(self, start: Expr, stop: Expr, step: Expr, item: Callable[[Expr], Value], *views: View) -> Iteration:
        """What a counter gives that goes by steps."""
        if isinstance(step, Const):
            return Iteration(start, stop, int(step.value), item, views)
        start = self.context.frozen(start, "start")
        return Iteration(ZERO, rounds(minus(stop, start), step), 1, lambda k: item(plus(start, times(k, step))), views)

    def sized(self, step: Expr, node: ast.AST, kind: str) -> Expr:
        """A step; one that is not a literal is relied on to be positive."""
        if isinstance(step, Const):
            return step
        step = self.context.named(step, "step")
        if not self.context.is_natural(minus(step, ONE)):
            holds = Apply(Operator.LT, (ZERO, step))
            self.context.emit(Assume(holds, f"the step of a {kind} is positive", self.context.here(node), Ground.RESTRICTION))
            self.context.learn(self.context.polynomial(step) - 1)
        return step

    def _enumerate(self, node: ast.Call) -> Iteration:
        first = node.args[1:] + [each.value for each in node.keywords if each.arg == "start"]
        if not node.args or len(first) > 1 or len(node.args) + len(node.keywords) > 2:
            self.context.refuse(node, "enumerate takes an iterable and a first number")
        inner = self.counted(node.args[0])
        begin = self.context.frozen(self.expressions.integer(first[0]), "start") if first else ZERO
        if abs(inner.step) != 1:
            inner = self.by_zero(inner)
        start = self.context.frozen(inner.start, "start")

        def item(index: Expr) -> Value:
            place = minus(index, start) if inner.step > 0 else minus(start, index)
            return Items((plus(begin, place), inner.item(index)))

        return replace(inner, start=start, item=item, once=True)

    def _zip(self, node: ast.Call) -> Iteration:
        if not node.args:
            self.context.refuse(node, f"zip of nothing; {_ITERABLES}")
        parts = [self.by_zero(self.counted(arg)) for arg in node.args]
        stop = parts[0].stop
        strict = any(isinstance(each.value, ast.Constant) and each.value.value is True for each in node.keywords)
        for part in parts[1:] if not strict else ():  # of different lengths it raises
            if self.context.polynomial(part.stop) != self.context.polynomial(stop):
                stop = scalars.extremum(Operator.MIN, stop, part.stop)
        views = tuple(view for part in parts for view in part.views)
        return Iteration(ZERO, stop, 1, lambda k: Items(tuple(part.item(k) for part in parts)), views, once=True)

    def _pairwise(self, node: ast.Call) -> Iteration:
        if len(node.args) != 1:
            self.context.refuse(node, "pairwise takes one iterable")
        inner = self.by_zero(self.counted(node.args[0]))

        def item(index: Expr) -> Value:
            return Items((inner.item(index), inner.item(plus(index, ONE))))

        return replace(inner, stop=minus(inner.stop, ONE), item=item, once=True)

    def _reversed(self, node: ast.Call) -> Iteration:
        if len(node.args) != 1:
            self.context.refuse(node, "reversed takes one list or range")
        inner = self.counted(node.args[0])
        if inner.step == 1:
            stop = minus(self.context.frozen(inner.start), ONE)
            return replace(inner, start=minus(inner.stop, ONE), stop=stop, step=-1, once=True)
        inner = self.by_zero(inner)
        return replace(inner, start=minus(inner.stop, ONE), stop=Const(-1, INT), step=-1, once=True)

    # Slices

    def sliced(self, view: View, node: ast.Slice) -> Iteration:
        """`x[a:b:c]` as the values that it has."""
        length = self.context.length(view)
        step = self.step(node.step, node)
        if step == Const(-1, INT) and node.lower is None and node.upper is None:
            return Iteration(minus(length, ONE), Const(-1, INT), -1, lambda k: self.context.element(view, k), (view,))
        if goes_back(step):
            message = "a slice with a negative step and bounds; supported is x[::-1]; use range with a negative step"
            self.context.refuse(node, message)
        low = self.low(node.lower, length) if node.lower else ZERO
        high = self.high(node.upper, length, cut=view.object.in_order) if node.upper else length
        return self._stepped(low, high, step, lambda k: self.context.element(view, k), view)

    def step(self, node: ast.expr | None, of: ast.Slice) -> Expr:
        """The step of a slice."""
        step = self.expressions.integer(node) if node else ONE
        if isinstance(step, Const) and step.value == 0:
            self.context.refuse(of, "a slice with step 0, which raises ValueError")
        return self.sized(step, of, "slice")

    def low(self, node: ast.expr, length: Expr) -> Expr:
        """The first index of a slice; one beyond the list leaves nothing."""
        if (end := self._from_end(node, length)) is not None:
            return end
        bound = self.context.frozen(self.expressions.integer(node))
        if isinstance(bound, Const) and bound.value < 0:
            return scalars.clamped(plus(length, bound), self.context.is_natural(plus(length, bound)))
        self._within(bound, node, ())
        return bound

    def high(self, node: ast.expr, length: Expr, *, cut: bool, low: Expr = ZERO, step: Expr = ONE) -> Expr:
        """The index after the last one of a slice, which is cut to the list where it is a literal, or where `cut` says so. Of a
        slice with a step only the elements need be there.
        """
        if (end := self._from_end(node, length)) is not None:
            return end
        bound = self.context.frozen(self.expressions.integer(node))
        if isinstance(bound, Const):
            return plus(length, bound) if bound.value < 0 else scalars.extremum(Operator.MIN, bound, length)
        if cut:
            self._within(bound, node, (), "not negative")
            return scalars.extremum(Operator.MIN, bound, length)
        if step == ONE:
            self._within(bound, node, (minus(length, bound),))
        else:
            last = plus(low, times(minus(rounds(minus(bound, low), step), ONE), step))
            self._within(bound, node, (minus(minus(length, ONE), last),), "not negative, and its last element is in the list")
        return bound

    def _from_end(self, node: ast.expr, length: Expr) -> Expr | None:
        """A bound that is written as the negative of a number counts from the end; None where it is not so written."""
        if not isinstance(node, ast.UnaryOp) or not isinstance(node.op, ast.USub):
            return None
        back = self.context.frozen(self.expressions.integer(node.operand))
        if isinstance(back, Const):
            return None
        self._within(minus(back, ONE), node.operand, (minus(length, back),), "from 1 to the length, as it counts from the end")
        return minus(length, back)

    def _within(self, bound: Expr, node: ast.expr, more: Sequence[Expr], where: str = _INSIDE) -> None:
        """A bound of a slice that is no literal is relied on to be inside the list."""
        for value in (bound, *more):
            if not self.context.is_natural(value):
                text = f"the bound {ast.unparse(node)} of a slice is {where}"
                self.context.emit(Assume(Apply(Operator.LE, (ZERO, value)), text, self.context.here(node), Ground.RESTRICTION))
                self.context.learn(self.context.polynomial(value))

    def read_late(self, iteration: Iteration | Items, body: Iterable[ast.AST]) -> bool:
        """Whether the loop changes a list that it still reads from."""
        if isinstance(iteration, Items) or not iteration.views:
            return False
        objects = {view.object for view in iteration.views}
        moved = {name for node in body for part in ast.walk(node) if isinstance(part, ast.expr) for name in _stored(part)}
        for part in (part for node in body for part in ast.walk(node)):
            match part:
                case ast.Subscript(value=owner, ctx=ast.Store()) | ast.Call(func=ast.Attribute(value=owner)):
                    if self._may_be(owner, objects, moved):
                        return True
                case ast.Call(func=ast.Name(id=name)) if name in self.context.module.functions or self.context.is_bound(name):
                    return True
                case _:
                    pass
        return False

    def _may_be(self, node: ast.expr, objects: set[ListObject], moved: set[str]) -> bool:
        """Whether an expression may be one of the lists, or a row of one; any may whose name is one of those that move."""
        while isinstance(node, ast.Subscript):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        found = self.context.env.get(self.context.name_of(node.id))
        known = isinstance(found, View) and node.id not in moved
        return found.object in objects if isinstance(found, View) and known else self.context.is_bound(node.id)


def _stored(node: ast.expr) -> list[str]:
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del) else []


_MAKERS: dict[str, Callable[[Loops, ast.Call], Iteration]] = {
    "range": Loops._range,
    "enumerate": Loops._enumerate,
    "zip": Loops._zip,
    "reversed": Loops._reversed,
    "itertools.pairwise": Loops._pairwise,
}
