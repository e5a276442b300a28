"""What runs over axes of arrays: sums, means, extrema and where they are, products of matrices, running sums."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metalift.frontend.lower.c_scalars import cast, choose
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.reader.arrays import dtypes
from metalift.frontend.python.reader.arrays.core import Arrays, bound
from metalift.frontend.python.reader.context import ZERO, Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.loops import ONE, minus, plus
from metalift.frontend.python.stands_for import Indices, Section, Value, Whole
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Const, Expr, Operator, type_of
from metalift.ir.expr.types import BOOL, INT, ScalarType
from metalift.ir.program.fragment import Assume, Ground

Update = Callable[[Expr, Expr], Expr]
Finish = Callable[[Expr], Expr]


@dataclass(slots=True)
class Reducing:
    """Reads reductions."""

    context: Context
    expressions: Expressions
    arrays: Arrays

    def reduced(self, name: str, value: Value, axes: Sequence[int] | None, keep: bool, node: ast.AST, ddof: Expr = ZERO) -> Value:
        """A reduction by NumPy's name, of all axes where `axes` is None."""
        whole = self.arrays.operand(value, node)
        chosen = range(whole.rank) if axes is None else axes
        match name:
            case "sum" | "prod" | "count_nonzero":
                return self.total(name, whole, chosen, keep, node)
            case "mean":
                return self._mean(whole, chosen, keep, node)
            case "var" | "std":
                return self._variance(name, whole, chosen, keep, node, ddof)
            case "max" | "amax" | "min" | "amin":
                return self._extremum(Operator.MAX if "max" in name else Operator.MIN, whole, chosen, keep, node)
            case "ptp":
                high = self._extremum(Operator.MAX, whole, chosen, keep, node)
                low = self._extremum(Operator.MIN, whole, chosen, keep, node)
                return self._both(high, low, dtypes.exactly(whole.element, lambda a, b: scalars.add(Operator.SUB, a, b)), node)
            case "any" | "all":
                return self._truths(name, whole, chosen, keep, node)
            case _:
                return self._place(Operator.MAX if name == "argmax" else Operator.MIN, whole, chosen, keep, node)

    def over(
        self,
        whole: Whole,
        axes: Sequence[int],
        keep: bool,
        element: ScalarType,
        start: Expr,
        step: Update,
        finish: Finish,
        node: ast.AST,
    ) -> Value:
        """An accumulator after a step for each element along the axes, at each index of the others."""
        left = [axis for axis in range(whole.rank) if axis not in axes]

        def fold(indices: Indices) -> Expr:
            key = self.arrays.key(node, "acc")
            self.context.env[key] = start

            def body(inner: Indices) -> None:
                every = _merged(indices, left, inner, axes)
                self._step(whole, every, key, step)

            self.arrays.nest([whole.extents[axis] for axis in axes], node, [key], body, key, depth=len(left))
            result = self.context.env.pop(key)
            assert isinstance(result, Expr)
            return finish(result)

        return self._at_each(whole, left, keep, element, fold, node)

    def _step(self, whole: Whole, every: Indices, key: str, step: Update) -> None:
        def one() -> None:
            now = self.context.env[key]
            assert isinstance(now, Expr)
            self.context.env[key] = self.context.named(step(now, self.context.frozen(whole.at(every))), "acc")

        if whole.chosen is None:
            one()
        else:
            self.arrays.where(whole.chosen(every), one, key)

    def _at_each(
        self, whole: Whole, left: Sequence[int], keep: bool, element: ScalarType, fold: Callable[[Indices], Expr], node: ast.AST
    ) -> Value:
        """A number for each index of the axes that are left."""
        if not left:
            number = self.context.named(fold(()), "t")
            self.arrays.strong.add(number)
            return Whole((ONE,) * whole.rank, element, lambda _: number) if keep else number
        shape = tuple(whole.extents[axis] for axis in left)
        made = self.arrays.empty(shape, element, node, "t")
        target = self.arrays.section(made)

        def body(indices: Indices) -> None:
            self.arrays.put(target, indices, fold(indices), node)

        self.arrays.nest(shape, node, [], body, self.arrays.key(node, "rows"))
        if not keep:
            return made
        own = iter(target.axes)
        return Section(target.object, target.fixed, tuple(next(own) if axis in left else None for axis in range(whole.rank)))

    # Each of them

    def total(
        self, name: str, whole: Whole, along: Sequence[int] | None, keep: bool, node: ast.AST, dtype: ScalarType | None = None
    ) -> Value:
        """A sum, product or number of elements that are not 0, in a dtype where one is given."""
        axes = range(whole.rank) if along is None else along
        if name == "count_nonzero":
            start: Expr = cast(ZERO, dtypes.INT64)

            def count(acc: Expr, value: Expr) -> Expr:
                return scalars.add(Operator.ADD, acc, cast(scalars.truth(value), dtypes.INT64))

            return self.over(whole, axes, keep, dtypes.INT64, start, count, _same, node)
        element = dtype or self.arrays.rules.summed(whole.element)
        if element == BOOL:
            self.context.refuse(node, f"{name} in truth values; use any() or all()")
        start = cast(ZERO if name == "sum" else ONE, element)
        op = Operator.ADD if name == "sum" else Operator.MUL
        step = dtypes.exactly(element, lambda a, b: scalars.add(op, a, b))
        return self.over(whole, axes, keep, element, start, lambda acc, value: step(acc, cast(value, element)), _same, node)

    def count(self, whole: Whole, axes: Sequence[int], node: ast.AST) -> Expr:
        """The number of elements along axes."""
        if whole.chosen is None:
            return self.arrays.size([whole.extents[axis] for axis in axes])
        counted = self.over(whole, axes, False, INT, ZERO, lambda acc, _: plus(acc, ONE), _same, node)
        assert isinstance(counted, Expr)
        return counted

    def _mean(self, whole: Whole, axes: Sequence[int], keep: bool, node: ast.AST) -> Value:
        real = self.arrays.rules.real_of(whole.element)
        count = self.context.frozen(cast(self.count(whole, axes, node), real))

        def finish(total: Expr) -> Expr:
            return Apply(Operator.DIV, (total, count))

        start = cast(ZERO, real)
        return self.over(
            whole, axes, keep, real, start, lambda acc, value: scalars.add(Operator.ADD, acc, cast(value, real)), finish, node
        )

    def _variance(self, name: str, whole: Whole, axes: Sequence[int], keep: bool, node: ast.AST, ddof: Expr) -> Value:
        """The mean of squares of what is left of the mean."""
        real = self.arrays.rules.real_of(whole.element)
        means = self._mean(whole, axes, True, node) if len(axes) < whole.rank else self._mean(whole, axes, False, node)
        mean = self.arrays.whole(means, node)
        count = minus(self.count(whole, axes, node), ddof)
        divisor = self.context.frozen(cast(count, real))

        def squared(indices: Indices) -> Expr:
            at = tuple(ZERO if axis in axes else index for axis, index in enumerate(indices)) if mean.rank else ()
            off = scalars.add(Operator.SUB, cast(whole.at(indices), real), mean.at(at))
            return Apply(Operator.MUL, (off, off))

        def finish(total: Expr) -> Expr:
            quotient = Apply(Operator.DIV, (total, divisor))
            return Call("sqrt", (quotient,), real) if name == "std" else quotient

        squares = Whole(whole.extents, real, squared, whole.reads, whole.chosen)
        start = cast(ZERO, real)
        return self.over(squares, axes, keep, real, start, lambda acc, value: scalars.add(Operator.ADD, acc, value), finish, node)

    def _extremum(self, op: Operator, whole: Whole, axes: Sequence[int], keep: bool, node: ast.AST) -> Value:
        if whole.element == BOOL:
            return self._truths("any" if op is Operator.MAX else "all", whole, axes, keep, node)
        if whole.chosen is not None:
            whole = self.arrays.whole(self.arrays.computed(whole, node), node)
            axes = [0]
        self._not_empty(whole, axes, node)
        left = [axis for axis in range(whole.rank) if axis not in axes]

        def fold(indices: Indices) -> Expr:
            key = self.arrays.key(node, op.value)
            first = _merged(indices, left, (ZERO,) * len(axes), axes)
            self.context.env[key] = self.context.named(whole.at(first), op.value)

            def body(inner: Indices) -> None:
                self._step(whole, _merged(indices, left, inner, axes), key, lambda acc, value: scalars.extremum(op, acc, value))

            self._from_second(whole, axes, node, [key], body, key, len(left))
            result = self.context.env.pop(key)
            assert isinstance(result, Expr)
            return result

        return self._at_each(whole, left, keep, whole.element, fold, node)

    def _not_empty(self, whole: Whole, axes: Sequence[int], node: ast.AST) -> None:
        """Rely on elements along each of the axes: of none the library raises, whatever the other axes have."""
        for extent in (whole.extents[axis] for axis in axes):
            if not isinstance(extent, Const) or extent == ZERO:
                why = f"{ast.unparse(node)}: there are elements" if isinstance(node, ast.expr) else "there are elements"
                ground = Ground.PROMISE if self.context.pinned is None else Ground.RESTRICTION  # what is read in other terms
                self.context.emit(Assume(scalars.compare("le", ONE, extent), why, self.context.here(node), ground))

    def _from_second(
        self,
        whole: Whole,
        axes: Sequence[int],
        node: ast.AST,
        names: Sequence[str],
        body: Callable[[Indices], None],
        key: str,
        depth: int,
    ) -> None:
        """Run over the axes, of one axis from its second element on: the first one is where the accumulator begins."""
        if len(axes) > 1:
            self.arrays.nest([whole.extents[axis] for axis in axes], node, names, body, key, depth=depth)
            return
        extent = whole.extents[axes[0]]
        self.arrays.nest([minus(bound(extent), ONE)], node, names, lambda inner: body((plus(inner[0], ONE),)), key, depth=depth)

    def _truths(self, name: str, whole: Whole, axes: Sequence[int], keep: bool, node: ast.AST) -> Value:
        start = FALSE if name == "any" else TRUE

        def step(acc: Expr, value: Expr) -> Expr:
            true = scalars.truth(value)
            return choose(acc, TRUE, true) if name == "any" else choose(acc, true, FALSE)

        return self.over(whole, axes, keep, BOOL, start, step, _same, node)

    def _place(self, op: Operator, whole: Whole, axes: Sequence[int], keep: bool, node: ast.AST) -> Value:
        """argmax and argmin: where the first of the greatest or least elements is."""
        if whole.chosen is not None:
            whole = self.arrays.whole(self.arrays.computed(whole, node), node)
        if len(axes) > 1 or keep:
            self.context.refuse(node, "argmax and argmin of several axes at once, or with keepdims; give one axis")
        self._not_empty(whole, axes, node)
        left = [axis for axis in range(whole.rank) if axis not in axes]
        relation = "gt" if op is Operator.MAX else "lt"

        def fold(indices: Indices) -> Expr:
            best, place = self.arrays.key(node, "best"), self.arrays.key(node, "place")
            first = _merged(indices, left, (ZERO,), axes)
            self.context.env[best] = self.context.named(whole.at(first), "best")
            self.context.env[place] = ZERO

            def body(inner: Indices) -> None:
                value = self.context.frozen(whole.at(_merged(indices, left, inner, axes)))
                now = self.context.env[best]
                assert isinstance(now, Expr)

                def better() -> None:
                    self.context.env[best], self.context.env[place] = value, inner[0]

                self.arrays.where(scalars.compare(relation, value, now), better, place)

            self._from_second(whole, axes, node, [best, place], body, best, len(left))
            self.context.env.pop(best)
            result = self.context.env.pop(place)
            assert isinstance(result, Expr)
            return cast(result, dtypes.INT64)

        return self._at_each(whole, left, False, dtypes.INT64, fold, node)

    def _both(self, one: Value, other: Value, step: Update, node: ast.AST) -> Value:
        first, second = self.arrays.whole(one, node), self.arrays.whole(other, node)
        if not first.rank:
            return step(first.at(()), second.at(()))
        return Whole(first.extents, first.element, lambda at: step(first.at(at), second.at(at)), (*first.reads, *second.reads))

    # Running sums

    def running(self, name: str, value: Value, axis: int | None, node: ast.AST, dtype: ScalarType | None = None) -> Value:
        """cumsum and cumprod along an axis, in the dtype."""
        whole = self.arrays.whole(value, node)
        if axis is None and whole.rank > 1:
            self.context.refuse(node, f"{name} of all elements of several axes; give the axis, or use ravel() first")
        along = axis or 0
        element = dtype or self.arrays.rules.summed(whole.element)
        op = Operator.ADD if name == "cumsum" else Operator.MUL
        step = dtypes.exactly(element, lambda a, b: scalars.add(op, a, b))
        made = self.arrays.empty(whole.extents, element, node, "t")
        target = self.arrays.section(made)
        left = [each for each in range(whole.rank) if each != along]

        def line(indices: Indices) -> None:
            key = self.arrays.key(node, "acc")
            self.context.env[key] = cast(ZERO if name == "cumsum" else ONE, element)

            def body(inner: Indices) -> None:
                every = _merged(indices, left, inner, [along])
                self._step(whole, every, key, lambda acc, value: step(acc, cast(value, element)))
                now = self.context.env[key]
                assert isinstance(now, Expr)
                self.arrays.put(target, every, now, node)

            self.arrays.nest([whole.extents[along]], node, [key], body, key, depth=len(left))
            self.context.env.pop(key)

        self.arrays.nest([whole.extents[each] for each in left], node, [], line, self.arrays.key(node, "lines"))
        return made

    # Products

    def product(self, left: Value, right: Value, node: ast.AST) -> Value:
        """`left @ right`: of vectors and matrices."""
        a, b = self.arrays.whole(left, node), self.arrays.whole(right, node)
        if not 1 <= a.rank <= 2 or not 1 <= b.rank <= 2:
            self.context.refuse(node, f"a product of arrays of {a.rank} and {b.rank} axes; supported are vectors and matrices")
        letters = "ij"[: a.rank] if a.rank == 2 else "j"
        others = "jk" if b.rank == 2 else "j"
        return self.summed([a, b], [letters, others], letters.replace("j", "") + others.replace("j", ""), node)

    def summed(self, wholes: Sequence[Whole], letters: Sequence[str], result: str, node: ast.AST) -> Value:
        """Products of elements, added up over the letters that the result has not, as `einsum` writes it."""
        extents: dict[str, Expr] = {}
        for whole, names in zip(wholes, letters, strict=True):
            if len(names) != whole.rank:
                self.context.refuse(node, f"{names!r} for an array of {whole.rank} axes")
            for name, extent in zip(names, whole.extents, strict=True):
                if name in extents:
                    self.arrays.require_same(extents[name], extent, node)
                extents.setdefault(name, extent)
        element = self.arrays.rules.meeting([(whole.element, dtypes.Weight.ARRAY) for whole in wholes])
        if self.context.tensors and len({whole.element for whole in wholes}) > 1:
            self.context.refuse(node, "a product of tensors of different dtypes, which PyTorch refuses; convert them")
        if element == BOOL:
            self.context.refuse(node, "a product of arrays of truth values; convert them with astype(int)")
        over = "".join(name for name in extents if name not in result)
        times = dtypes.exactly(element, lambda a, b: scalars.add(Operator.MUL, a, b))
        order = result + over

        def at(indices: Indices) -> Expr:
            places = dict(zip(order, indices, strict=True))
            pairs = zip(wholes, letters, strict=True)
            parts = [cast(whole.at(tuple(places[name] for name in names)), element) for whole, names in pairs]
            value = parts[0]
            for part in parts[1:]:
                value = times(value, part)
            return value

        reads = tuple(read for whole in wholes for read in whole.reads)
        terms = Whole(tuple(extents[name] for name in order), element, at, reads)
        if not over:
            return self.arrays.computed(terms, node) if result else terms.at(())
        add = dtypes.exactly(element, lambda a, b: scalars.add(Operator.ADD, a, b))
        axes = list(range(len(result), len(order)))
        return self.over(terms, axes, False, element, cast(ZERO, element), add, _same, node)


def _same(value: Expr) -> Expr:
    return value


def _merged(indices: Indices, left: Sequence[int], inner: Indices, axes: Sequence[int]) -> Indices:
    """The indices of all axes."""
    places = dict(zip((*left, *axes), (*indices, *inner), strict=True))
    return tuple(places[axis] for axis in sorted(places))


def constant(value: Expr) -> int | None:
    """An int that is known when the source is read."""
    return value.value if isinstance(value, Const) and isinstance(value.value, int) and type_of(value) == INT else None
