"""Arrays made of others: in another shape or order, put together, or made of numbers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from metalift.frontend.lower.c_scalars import cast, choose, equal
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.reader.arrays import dtypes
from metalift.frontend.python.reader.arrays.core import Arrays, along, elsewhere, ravelled
from metalift.frontend.python.reader.context import ZERO, Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.loops import ONE, goes_back, minus, plus, rounds, times
from metalift.frontend.python.stands_for import Axis, Indices, ListObject, Section, Value, View, Whole
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Const, Expr, Operator, type_of
from metalift.ir.expr.types import DOUBLE, INT, ScalarType, is_integer
from metalift.ir.program.fragment import Assume, Ground


def shared(value: Value) -> ListObject | None:
    """The array whose elements those of a value are."""
    return value.object if isinstance(value, View | Section) else value.shares if isinstance(value, Whole) else None


@dataclass(slots=True)
class Joining:
    """Reads what makes arrays of arrays and numbers."""

    context: Context
    expressions: Expressions
    arrays: Arrays

    # In another order or shape

    def transposed(self, value: Value, order: Sequence[int] | None, node: ast.AST) -> Value:
        """The axes in another order, reversed where none is given."""
        rank = self.rank(value)
        places = list(order) if order is not None else list(reversed(range(rank)))
        if sorted(places) != list(range(rank)):
            self.context.refuse(node, f"{places} as the order of {rank} axes")
        if isinstance(value, Whole):
            inverse = [places.index(axis) for axis in range(rank)]
            return Whole(
                tuple(value.extents[axis] for axis in places),
                value.element,
                lambda indices: value.at(tuple(indices[at] for at in inverse)),
                elsewhere(value.reads),
                shares=value.shares,
            )
        section = self.section(value, node)
        return self.arrays.simplest(replace(section, axes=tuple(section.axes[axis] for axis in places)))

    def rank(self, value: Value) -> int:
        """The number of axes of an operand."""
        return value.rank if isinstance(value, View | Section | Whole) else 0

    def section(self, value: Value, node: ast.AST) -> Section:
        """An array whose elements are shared."""
        if not isinstance(value, View | Section):
            value = self.arrays.taken(value, node)
        return self.arrays.as_section(value, node)

    def flipped(self, value: Value, backwards: Sequence[int] | None, node: ast.AST) -> Section:
        """Axes that run backwards, all where none are named."""
        section = self.section(value, node)
        axes = list(section.axes)
        for at, each in enumerate(axes):
            if each is not None and (backwards is None or at in backwards):
                axes[at] = Axis(each.place, along(each, minus(each.extent, ONE)), minus(ZERO, each.step), each.extent)
        return replace(section, axes=tuple(axes))

    def with_axis(self, value: Value, at: int, node: ast.AST) -> Section:
        """A new axis of length 1."""
        section = self.section(value, node)
        return replace(section, axes=(*section.axes[:at], None, *section.axes[at:]))

    def flat(self, value: Value, node: ast.AST) -> Value:
        """All elements along one axis, in order."""
        if self.rank(value) == 1 and not isinstance(value, Section):  # of a part with a step NumPy makes a copy
            return value
        whole = self.arrays.whole(value, node)
        return self._shaped(value, whole, (self.arrays.size(whole.extents),))

    def reshaped(self, value: Value, shape: Sequence[Expr], node: ast.AST) -> Value:
        """The elements in order, in another shape, of which one length may be -1."""
        whole = self.arrays.whole(value, node)
        size = self.arrays.size(whole.extents)
        open_ = [at for at, extent in enumerate(shape) if extent == Const(-1, INT)]
        if len(open_) > 1:
            self.context.refuse(node, "reshape with two lengths that are -1")
        lengths = list(shape)
        if open_:
            others = self.arrays.size([extent for extent in shape if extent != Const(-1, INT)])
            if len(shape) == 1:
                lengths[0] = size
            else:
                lengths[open_[0]] = self._quotient(size, others, node)
        else:
            self.arrays.require_same(size, self.arrays.size(shape), node)
        return self._shaped(value, whole, tuple(lengths))

    def _quotient(self, size: Expr, others: Expr, node: ast.AST) -> Expr:
        """How often a length is in another, which it divides."""
        quotient = self.context.named(Apply(Operator.FDIV, (size, others)), "extent")
        whole = equal(Apply(Operator.MUL, (quotient, others)), size)
        self.context.emit(Assume(whole, "reshape has a length that divides the number of elements", self.context.here(node)))
        self.context.learn(self.context.polynomial(quotient))
        return quotient

    def _shaped(self, value: Value, whole: Whole, shape: tuple[Expr, ...]) -> Whole:
        first = whole.in_order or whole
        same = len(shape) == first.rank and all(map(self.arrays.same, shape, first.extents))

        def at(indices: Indices) -> Expr:
            return first.at(self._unravelled(ravelled(indices, shape), first.extents))

        reads = elsewhere(whole.reads)
        return Whole(shape, whole.element, first.at if same else at, reads, shares=shared(value), in_order=first)

    def _unravelled(self, place: Expr, shape: Sequence[Expr]) -> Indices:
        found: list[Expr] = []
        for extent in reversed(shape[1:]):
            found.append(Apply(Operator.FMOD, (place, extent)))
            place = Apply(Operator.FDIV, (place, extent))
        return (place, *reversed(found))

    def rolled(self, value: Value, shift: Expr, node: ast.AST) -> Whole:
        """The elements moved along one axis, those at the end to the beginning."""
        whole = self.arrays.whole(value, node)
        if whole.rank != 1:
            self.context.refuse(node, "roll of several axes; write the slices")
        extent, by = whole.extents[0], self.context.frozen(shift)

        def at(indices: Indices) -> Expr:
            moved = scalars.floor_divide(Operator.FMOD, minus(indices[0], by), extent)
            return whole.at((moved,))

        return Whole(whole.extents, whole.element, at, elsewhere(whole.reads))

    # Put together

    def concatenated(self, values: Sequence[Value], axis: int, node: ast.AST) -> View:
        """Arrays one after the other along an axis."""
        wholes = [self.arrays.whole(value, node) for value in values]
        if not wholes or any(each.rank != wholes[0].rank or not each.rank for each in wholes):
            self.context.refuse(node, "arrays of different numbers of axes put together; give them the same")
        element = self.arrays.rules.meeting([(each.element, dtypes.Weight.ARRAY) for each in wholes])
        shape = list(wholes[0].extents)
        for each in wholes[1:]:
            for at in range(len(shape)):
                if at != axis:
                    self.arrays.require_same(shape[at], each.extents[at], node)
            shape[axis] = plus(shape[axis], each.extents[axis])
        made = self.arrays.empty(shape, element, node, "t")
        begin: Expr = ZERO
        for each in wholes:
            section = self.arrays.section(made)
            axes = list(section.axes)
            axes[axis] = Axis(axis, begin, ONE, each.extents[axis])
            self.arrays.put_all(replace(section, axes=tuple(axes)), each.at, node)
            begin = plus(begin, each.extents[axis])
        return made

    def stacked(self, values: Sequence[Value], axis: int, node: ast.AST) -> View:
        """Arrays of one shape along a new axis."""
        return self.concatenated([self._with_axis(self.arrays.whole(value, node), axis) for value in values], axis, node)

    @staticmethod
    def _with_axis(whole: Whole, axis: int) -> Whole:
        shape = (*whole.extents[:axis], ONE, *whole.extents[axis:])
        return Whole(shape, whole.element, lambda at: whole.at((*at[:axis], *at[axis + 1 :])), whole.reads)

    def repeated(self, value: Value, times: Expr, node: ast.AST, *, each: bool) -> Whole:
        """A vector so many times: each element (`repeat`), or the whole (`tile`)."""
        whole = self.arrays.whole(value, node)
        if whole.rank != 1:
            self.context.refuse(node, "repeat and tile of several axes; write the loops")
        count = self.context.frozen(times)
        count = scalars.clamped(count, self.context.is_natural(count))
        extent = scalars.add(Operator.MUL, whole.extents[0], count)

        def at(indices: Indices) -> Expr:
            (index,) = indices
            place = Apply(Operator.FDIV, (index, count)) if each else Apply(Operator.FMOD, (index, whole.extents[0]))
            return whole.at((place,))

        return Whole((extent,), whole.element, at, elsewhere(whole.reads))

    # Of numbers

    def arange(self, bounds: Sequence[Expr], dtype: ScalarType | None, node: ast.AST) -> Whole:
        """start, start + step, ... below stop."""
        start, stop, step = (ZERO, bounds[0], ONE) if len(bounds) == 1 else (*bounds, ONE)[:3]
        if not all(is_integer(type_of(each)) for each in (start, stop, step)):
            self.context.refuse(node, "arange of floats, whose number of elements is a matter of rounding; use linspace")
        if isinstance(step, Const) and step.value == 0:
            self.context.refuse(node, "arange with step 0, which raises ZeroDivisionError")
        by = self.arrays.loops.sized(scalars.convert(step, INT), node, "range")
        start, stop = self.context.frozen(scalars.convert(start, INT)), self.context.frozen(scalars.convert(stop, INT))
        count = rounds(minus(start, stop) if goes_back(by) else minus(stop, start), by)
        element = dtype or dtypes.INT64

        def at(indices: Indices) -> Expr:
            return cast(plus(start, times(indices[0], by)), element)

        return Whole((scalars.clamped(count, self.context.is_natural(count)),), element, at)

    def linspace(self, start: Expr, stop: Expr, count: Expr, endpoint: bool, node: ast.AST) -> Whole:
        """`count` numbers from start to stop."""
        first, last = (self.context.frozen(scalars.convert(each, DOUBLE)) for each in (start, stop))
        count = self.context.frozen(count)
        gaps = minus(count, ONE) if endpoint else count
        if not isinstance(count, Const) and endpoint:
            holds = scalars.compare("ne", count, ONE)
            text = "linspace is of more than one number, or none"
            self.context.emit(Assume(holds, text, self.context.here(node), Ground.RESTRICTION))
        extent = scalars.clamped(count, self.context.is_natural(count))
        if gaps == ZERO:
            return Whole((extent,), self.arrays.rules.real, lambda _: cast(first, self.arrays.rules.real))
        width = scalars.add(Operator.SUB, last, first)

        def at(indices: Indices) -> Expr:
            offset = scalars.add(Operator.MUL, cast(indices[0], DOUBLE), Apply(Operator.DIV, (width, cast(gaps, DOUBLE))))
            return cast(scalars.add(Operator.ADD, first, offset), self.arrays.rules.real)

        return Whole((extent,), self.arrays.rules.real, at)

    def eye(self, rows: Expr, columns: Expr, dtype: ScalarType) -> Whole:
        """1 on the diagonal, 0 elsewhere."""
        shape = tuple(scalars.clamped(self.context.frozen(each), self.context.is_natural(each)) for each in (rows, columns))
        return Whole(shape, dtype, lambda at: choose(equal(at[0], at[1]), cast(TRUE, dtype), cast(FALSE, dtype)))

    def diagonal(self, value: Value, node: ast.AST) -> Value:
        """The diagonal of a matrix, or the matrix of a diagonal."""
        whole = self.arrays.whole(value, node)
        if whole.rank == 1:
            zero = cast(FALSE, whole.element)
            extents = (whole.extents[0],) * 2
            reads = elsewhere(whole.reads)
            return Whole(extents, whole.element, lambda at: choose(equal(at[0], at[1]), whole.at((at[0],)), zero), reads)
        if whole.rank != 2:
            self.context.refuse(node, f"the diagonal of an array of {whole.rank} axes")
        extent = whole.extents[0]
        if not self.arrays.same(*whole.extents):
            extent = scalars.extremum(Operator.MIN, *whole.extents)
        reads = elsewhere(whole.reads)
        return Whole((extent,), whole.element, lambda at: whole.at((at[0], at[0])), reads, shares=shared(value))

    def differences(self, value: Value, node: ast.AST) -> Whole:
        """Each element from the one after it, along the last axis."""
        whole = self.arrays.whole(value, node)
        span = minus(whole.extents[-1], ONE)
        shape = (*whole.extents[:-1], scalars.clamped(span, self.context.is_natural(span)))
        step = dtypes.exactly(whole.element, lambda a, b: scalars.add(Operator.SUB, a, b))
        return Whole(
            shape,
            whole.element,
            lambda at: step(whole.at((*at[:-1], plus(at[-1], ONE))), whole.at(at)),
            elsewhere(whole.reads),
        )
