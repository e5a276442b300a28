"""What NumPy's functions are, each by the readers that it takes."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass

from metalift.frontend.lower.c_scalars import cast, choose
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.heads import is_none
from metalift.frontend.python.reader.arrays import dtypes
from metalift.frontend.python.reader.arrays.arguments import Call
from metalift.frontend.python.reader.arrays.core import Arrays, elsewhere
from metalift.frontend.python.reader.arrays.elementwise import Elementwise
from metalift.frontend.python.reader.arrays.joining import Joining, shared
from metalift.frontend.python.reader.arrays.reducing import Reducing, constant
from metalift.frontend.python.reader.context import ZERO, Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.loops import ONE, minus, plus
from metalift.frontend.python.stands_for import NoneValue, Section, Value, View, Whole
from metalift.ir.expr.nodes import FALSE, Apply, Const, Expr, Operator
from metalift.ir.expr.types import BOOL, DOUBLE, INT, RealType, ScalarType
from metalift.ir.program.fragment import Assume, Ground


@dataclass(slots=True)
class Handlers:
    """Reads calls whose arguments are known by name."""

    context: Context
    expressions: Expressions
    arrays: Arrays
    elementwise: Elementwise
    reducing: Reducing
    joining: Joining

    def _reduction(self, call: Call) -> Value:
        value = call.array()
        rank = self.joining.rank(value)
        axes, keep = call.axes(rank), call.flag("keepdims", False)
        dtype = call.dtype(call.given.get("dtype"))
        if dtype is not None:
            if call.name not in ("sum", "prod") and not isinstance(dtype, RealType):
                self.context.refuse(call.node, f"{call.name} in integers; convert the array with astype(...)")
            value = self.elementwise.astype(value, dtype, call.node)
        if dtype is not None and call.name in ("sum", "prod"):  # which is the dtype of the result, too
            return self.reducing.total(call.name, self.arrays.whole(value, call.node), axes, keep, call.node, dtype)
        made = self.reducing.reduced(call.name, value, axes, keep, call.node, call.integer("ddof", ZERO))
        if "initial" not in call.given:
            return made
        made = self.elementwise.binary(f"{call.name.removeprefix('a')}imum", made, call.value("initial"), call.node)
        return made if made.rank else self.context.named(made.at(()), "t")

    def _average(self, call: Call) -> Value:
        value = call.array()
        axes = call.axes(self.joining.rank(value))
        if "weights" not in call.given:
            return self.reducing.reduced("mean", value, axes, False, call.node)
        weights = self.arrays.whole(call.array("weights"), call.node)
        if axes is not None or weights.rank != self.joining.rank(value):
            self.context.refuse(call.node, "average with weights along an axis; write the sums")
        weighted = self.elementwise.binary("multiply", value, weights, call.node)
        total = self.reducing.reduced("sum", weighted, None, False, call.node)
        by = self.reducing.reduced("sum", weights, None, False, call.node)
        return self._numbers(call, "true_divide", total, by)

    def _numbers(self, call: Call, name: str, left: Value, right: Value) -> Value:
        return self.context.named(self.elementwise.binary(name, left, right, call.node).at(()), "t")

    def _running(self, call: Call) -> Value:
        value = call.array()
        axis, dtype = call.axis(self.joining.rank(value), None), call.dtype(call.given.get("dtype"))
        if dtype == BOOL:
            self.context.refuse(call.node, f"{call.name} of truth values; convert them with astype(int)")
        if dtype is not None:
            value = self.elementwise.astype(value, dtype, call.node)
        return self.reducing.running(call.name, value, axis, call.node, dtype)

    def _dot(self, call: Call) -> Value:
        left, right = call.value("a"), call.value("b")
        arrays = [isinstance(each, View | Section | Whole) for each in (left, right)]
        if not all(arrays) and call.name == "dot":
            return self.elementwise.binary("multiply", left, right, call.node)
        if call.name in ("inner", "vdot") and [self.joining.rank(each) for each in (left, right)] != [1, 1]:
            self.context.refuse(call.node, f"{call.name} of matrices; use @, or einsum")
        return self.reducing.product(left, right, call.node)

    def _sliding(self, call: Call) -> Value:
        """Products of all windows of an array with another one, which is reversed by `convolve`."""
        mode = call.given.get("mode")
        if not (mode is None and call.name == "correlate") and not (isinstance(mode, ast.Constant) and mode.value == "valid"):
            self.context.refuse(call.node, f'{call.name} beyond the ends of an array; supported is mode="valid"')
        values, taps = (self.arrays.whole(call.array(each), call.node) for each in "av")
        if values.rank != 1 or taps.rank != 1:
            self.context.refuse(call.node, f"{call.name} of arrays of several axes")
        (size,), (width,) = values.extents, taps.extents
        text = f"{call.name} has a first array that is as long as the second one, which has elements"
        for holds in (scalars.compare("le", ONE, width), scalars.compare("le", width, size)):
            self.context.emit(Assume(holds, text, self.context.here(call.node)))
        extents = (plus(minus(size, width), ONE), width)
        windows = Whole(extents, values.element, lambda at: values.at((plus(at[0], at[1]),)), values.reads)
        turned = Whole((width,), taps.element, lambda at: taps.at((minus(minus(width, ONE), at[0]),)), taps.reads)
        return self.reducing.product(windows, turned if call.name == "convolve" else taps, call.node)

    def _outer(self, call: Call) -> Value:
        left, right = (self.joining.flat(call.array(each), call.node) for each in "ab")
        a, b = self.arrays.whole(left, call.node), self.arrays.whole(right, call.node)
        column = self.joining.with_axis(left, 1, call.node) if a.reads else self._column(a)
        return self.elementwise.binary("multiply", column, b, call.node)

    @staticmethod
    def _column(whole: Whole) -> Whole:
        return Whole((whole.extents[0], Const(1, INT)), whole.element, lambda at: whole.at((at[0],)), whole.reads)

    def einsum(self, node: ast.Call) -> Value:
        text = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if not isinstance(text, str) or "..." in text or node.keywords:
            self.context.refuse(node, "einsum whose subscripts are no plain literal like 'ij,jk->ik'")
        inputs, arrow, result = text.replace(" ", "").partition("->")
        letters = inputs.split(",")
        if not arrow:
            every = inputs.replace(",", "")
            result = "".join(sorted(each for each in set(every) if every.count(each) == 1))
        operands = self.expressions.operands(node.args[1:])
        if len(letters) != len(operands) or not all(part.isalpha() for part in letters) or not set(result) <= set(inputs):
            self.context.refuse(node, f"einsum {text!r} for {len(operands)} arrays")
        return self.reducing.summed([self.arrays.whole(each, node) for each in operands], letters, result, node)

    def _trace(self, call: Call) -> Value:
        return self.reducing.reduced("sum", self.joining.diagonal(call.array(), call.node), None, False, call.node)

    def _norm(self, call: Call) -> Value:
        """Of a vector, or of the vectors along an axis: the sum of the sizes, the Euclidean length, or the largest size; of a
        matrix without an axis the square root of the sum of the squares.
        """
        value = call.array()
        axes = call.axes(self.joining.rank(value))
        vectors = self.joining.rank(value) == 1 or (axes is not None and len(axes) == 1)
        order = self.order(call.given.get("ord"), vectors)
        if order == 2 and "ord" in call.given and not vectors and not is_none(call.given["ord"]):
            self.context.refuse(call.given["ord"], "the spectral norm of a matrix")
        keep = call.flag("keepdims", False)
        real = self.arrays.whole(value, call.node).element
        floats = value if isinstance(real, RealType) else self.elementwise.astype(value, DOUBLE, call.node)
        sizes = self.elementwise.unary("square" if order == 2 else "absolute", floats, call.node)
        total = self.reducing.reduced("max" if order == math.inf else "sum", sizes, axes, keep, call.node)
        if order != 2:
            return total
        rooted = self.elementwise.unary("sqrt", total, call.node)
        return rooted if rooted.rank else self.context.named(rooted.at(()), "t")

    def order(self, order: ast.expr | None, vectors: bool) -> float:
        """The order of a norm: 1, 2 or infinite."""
        if order is None or (isinstance(order, ast.Constant) and order.value in (None, 2)):
            return 2
        infinite = (
            isinstance(order, ast.Attribute)
            and self.context.library_name(order) in ("numpy.inf", "torch.inf", "math.inf")
        ) or ast.unparse(order) in ("float('inf')",)
        one = isinstance(order, ast.Constant) and order.value == 1
        if not vectors or not (one or infinite):
            self.context.refuse(order, "a norm other than the Euclidean one, and 1 and inf of vectors; write the sums")
        return 1 if one else math.inf

    def _where(self, call: Call) -> Value:
        if "x" not in call.given or "y" not in call.given:
            self.context.refuse(call.node, "where of a condition alone, which gives indices; write a loop, or use the mask")
        values = [call.value(each) for each in ("condition", "x", "y")]
        made = self.elementwise.where(values[0], values[1], values[2], call.node)
        return made if made.rank else self.context.named(made.at(()), "t")

    def _clip(self, call: Call) -> Value:
        value = call.value("a")
        for name, op in (("a_min", "maximum"), ("a_max", "minimum")):
            given = call.given.get(name)
            bound = NoneValue() if given is None else self.expressions.value(given)
            if not isinstance(bound, NoneValue):
                value = self.elementwise.binary(op, value, bound, call.node)
        if isinstance(value, Whole) and not value.rank:
            return self.context.named(value.at(()), "t")
        return value if isinstance(value, Whole) else self.arrays.whole(value, call.node)

    def _transpose(self, call: Call) -> Value:
        value = call.array()
        node = call.given.get("axes")
        order = None
        if node is not None:
            numbers = [constant(each) for each in call.shape(node)]
            order = [number for number in numbers if number is not None]
        return self.joining.transposed(value, order, call.node)

    def _reshape(self, call: Call) -> Value:
        value = call.array()
        if "newshape" not in call.given:
            self.context.refuse(call.node, "reshape without a shape")
        return self.joining.reshaped(value, call.shape(call.given["newshape"]), call.node)

    def _flat(self, call: Call) -> Value:
        value = self.joining.flat(call.array(), call.node)
        return self.arrays.computed(value, call.node) if call.name == "flatten" else value

    def _squeeze(self, call: Call) -> Value:
        value = call.array()
        whole = self.arrays.whole(value, call.node)
        keep = [axis for axis, extent in enumerate(whole.extents) if extent != Const(1, INT)]
        if "axis" in call.given and {axis % whole.rank for axis in call.axes(whole.rank) or keep} & set(keep):
            self.context.refuse(call.node, "squeeze of an axis that need not have length 1; index it with 0")
        for axis in keep if "axis" not in call.given else ():
            holds = scalars.compare("ne", whole.extents[axis], Const(1, INT))
            text = f"{ast.unparse(call.node)}: the other axes have not length 1"
            self.context.emit(Assume(holds, text, self.context.here(call.node), Ground.RESTRICTION))
        if "axis" in call.given:
            gone = call.axes(whole.rank)
            keep = keep if gone is None else [axis for axis in range(whole.rank) if axis not in gone]

        def places(indices: tuple[Expr, ...]) -> tuple[Expr, ...]:
            given = dict(zip(keep, indices, strict=True))
            return tuple(given.get(axis, ZERO) for axis in range(whole.rank))

        shape = tuple(whole.extents[axis] for axis in keep)
        return Whole(shape, whole.element, lambda at: whole.at(places(at)), whole.reads, shares=shared(value))

    def _expand(self, call: Call) -> Value:
        value = call.array()
        at = call.axis(self.joining.rank(value) + 1, 0)
        return self.joining.with_axis(value, at or 0, call.node)

    def _flip(self, call: Call) -> Value:
        value = call.array()
        own = {"fliplr": [1], "flipud": [0]}.get(call.name)
        return self.joining.flipped(value, own or call.axes(self.joining.rank(value)), call.node)

    def _roll(self, call: Call) -> Value:
        value = call.array()
        return self.joining.rolled(value, call.integer("shift"), call.node)

    def _joined(self, call: Call) -> Value:
        values = call.several()
        ranks = {self.joining.rank(each) for each in values}
        if call.name == "stack":
            return self.joining.stacked(values, call.axis(max(ranks) + 1, 0) or 0, call.node)
        if call.name == "vstack" and ranks == {1}:
            return self.joining.stacked(values, 0, call.node)
        if call.name == "column_stack" and ranks == {1}:
            return self.joining.stacked(values, 1, call.node)
        along = 1 if call.name in ("hstack", "column_stack") and max(ranks) > 1 else 0
        return self.joining.concatenated(values, call.axis(max(ranks), along) or 0, call.node)

    def _append(self, call: Call) -> Value:
        values = [call.value("a"), call.value("values")]
        if self.joining.rank(values[0]) != 1 or "axis" in call.given:
            self.context.refuse(call.node, "append of arrays of several axes; use concatenate")
        if not isinstance(values[1], View | Section | Whole):
            number = self.arrays.whole(values[1], call.node)
            values[1] = Whole((Const(1, INT),), dtypes.dtype_of(number.element), lambda _: number.at(()))
        return self.joining.concatenated(values, 0, call.node)

    def _repeated(self, call: Call) -> Value:
        times = call.integer("reps" if call.name == "tile" else "repeats")
        return self.joining.repeated(call.array(), times, call.node, each=call.name == "repeat")

    def _arange(self, call: Call) -> Value:
        bounds = [call.integer(name) for name in ("start", "stop", "step") if name in call.given]
        return self.joining.arange(bounds, call.dtype(call.given.get("dtype")), call.node)

    def _linspace(self, call: Call) -> Value:
        ends = [self.expressions.as_scalar(call.value(name), call.node) for name in ("start", "stop")]
        count = call.integer("num", Const(50, INT))
        return self.joining.linspace(ends[0], ends[1], count, call.flag("endpoint", True), call.node)

    def _eye(self, call: Call) -> Value:
        if "k" in call.given:
            self.context.refuse(call.node, "eye with another diagonal than the main one")
        rows = call.integer("N")
        dtype = call.dtype(call.given.get("dtype")) or self.arrays.rules.real
        return self.joining.eye(rows, call.integer("M", rows), dtype)

    def _diagonal(self, call: Call) -> Value:
        return self.joining.diagonal(call.array(), call.node)

    def _diag(self, call: Call) -> Value:
        """The diagonal of a matrix; of a vector the matrix that has it as its diagonal."""
        value = call.array()
        if self.joining.rank(value) != 1:
            return self.joining.diagonal(value, call.node)
        whole = self.arrays.whole(value, call.node)
        zero = cast(FALSE, whole.element)

        def at(indices: tuple[Expr, ...]) -> Expr:
            row, column = indices
            return choose(scalars.compare("eq", row, column), whole.at((row,)), zero)

        return Whole((whole.extents[0], whole.extents[0]), whole.element, at, elsewhere(whole.reads))

    def _diff(self, call: Call) -> Value:
        value = call.array()
        times = constant(call.integer("n", Const(1, INT)))
        if self.joining.rank(value) != 1 or times != 1:
            self.context.refuse(call.node, "diff of several axes, or more than once; write x[1:] - x[:-1]")
        return self.joining.differences(value, call.node)

    def _trapezoid(self, call: Call) -> Value:
        whole = self.arrays.whole(self.arrays.computed(call.array(), call.node), call.node)
        pairs = self.joining.differences(whole, call.node)
        one = Const(1, INT)
        real = self.arrays.rules.real_of(whole.element)
        half = scalars.literal(0.5)
        total = dtypes.binary(self.arrays.rules, "add", whole.element)[1]  # which small integers leave
        assert half is not None

        def mean(at: tuple[Expr, ...]) -> Expr:
            after = (scalars.add(Operator.ADD, at[0], one),)
            return Apply(Operator.MUL, (cast(total(whole.at(after), whole.at(at)), real), cast(half, real)))

        means = Whole(pairs.extents, real, mean, pairs.reads)
        if "x" in call.given:
            widths: Value = self.joining.differences(call.array("x"), call.node)
        else:
            widths = call.value("dx") if "dx" in call.given else one
        areas = self.elementwise.binary("multiply", means, widths, call.node)
        return self.reducing.reduced("sum", areas, None, False, call.node)

    def _bins(self, call: Call, whole: Whole) -> Expr:
        """How many numbers from 0 on `bincount` counts."""
        if "minlength" in call.given:
            least = self.context.frozen(call.integer("minlength"))
            return scalars.clamped(least, self.context.is_natural(least))

        def longer(now: Expr, place: Expr) -> Expr:
            return scalars.extremum(Operator.MAX, now, scalars.add(Operator.ADD, scalars.convert(place, INT), Const(1, INT)))

        extent = self.reducing.over(whole, range(whole.rank), False, INT, ZERO, longer, lambda found: found, call.node)
        assert isinstance(extent, Expr)
        return self.context.named(extent, "extent")

    def _bincount(self, call: Call) -> Value:
        """How often each number from 0 on occurs. Where a least length is given, all numbers are below it."""
        value = call.array()
        whole = self.arrays.whole(value, call.node)
        extent, short = self._bins(call, whole), "minlength" in call.given
        weights = self.arrays.whole(call.array("weights"), call.node) if "weights" in call.given else None
        element: ScalarType = dtypes.INT64 if weights is None else DOUBLE
        zero, one = cast(ZERO, element), cast(Const(1, INT), element)
        made = self.arrays.computed(Whole((extent,), element, lambda _: zero), call.node, "counts")
        view = self.arrays.section(made)
        counts = self.arrays.whole(view, call.node)

        def body(indices: tuple[Expr, ...]) -> None:
            place = scalars.convert(whole.at(indices), INT)
            if short:
                inside, text = scalars.compare("lt", place, extent), "all numbers that bincount counts are below minlength"
                self.context.emit(Assume(inside, text, self.context.here(call.node), Ground.RESTRICTION))
            now = counts.at((place,))
            by = one if weights is None else cast(weights.at(indices), element)
            self.arrays.put(view, (place,), scalars.add(Operator.ADD, now, by), call.node)

        self.arrays.nest(whole.extents, call.node, [], body, self.arrays.key(call.node, "count"))
        return made

    def _astype(self, call: Call) -> Value:
        dtype, value = call.dtype(call.given.get("dtype")), call.value("a")
        if dtype is None:
            self.context.refuse(call.node, "astype without a dtype")
        if not call.flag("copy", True):
            self.context.refuse(call.node, "astype that may give the array itself; leave copy=False out")
        if isinstance(value, Expr):
            number = self.context.named(self.arrays.converted(value, dtype), "t")
            self.arrays.strong.add(number)
            return number
        return self.elementwise.astype(call.array(), dtype, call.node)

    def _copy(self, call: Call) -> Value:
        return self.arrays.computed(call.array(), call.node)

    def _fill(self, call: Call) -> Value:
        self.arrays.store(self.arrays.as_section(_checked(call.array()), call.node), call.value("value"), call.node)
        return NoneValue()

    def _add_at(self, call: Call) -> Value:
        """np.add.at: each index counts, however often it occurs."""
        owner = call.array()
        indices = self.arrays.whole(call.array("indices"), call.node)
        given = call.value("values")
        values = self.arrays.whole(given, call.node)
        section = self.arrays.as_section(_checked(owner), call.node)
        if section.rank != 1 or any(each.object is section.object for each in (*indices.reads, *values.reads)):
            self.context.refuse(call.node, "add.at of several axes, or of what is read of the array itself; write the loop")
        self.arrays.lists.changed.add(section.object)
        self.arrays.meet([indices.extents, values.extents], call.node)
        spread = self.arrays.spread(values, indices.extents)
        array = self.arrays.whole(section, call.node)
        met = self.arrays.rules.meeting([(array.element, dtypes.Weight.ARRAY), (values.element, self.arrays.weight(given))])
        self.arrays.check_kept(met, array.element, call.node)
        step = dtypes.binary(self.arrays.rules, "add", met)[1]

        def body(at: tuple[Expr, ...]) -> None:
            axis = section.axes[0]
            assert axis is not None
            place = self.arrays.lists.as_index(scalars.convert(indices.at(at), INT), lambda: axis.extent)
            self.arrays.put(section, (place,), step(array.at((place,)), spread(at)), call.node)

        self.arrays.nest(indices.extents, call.node, [], body, self.arrays.key(call.node, "add"))
        return NoneValue()


def _checked(value: Value) -> View | Section | Whole:
    assert isinstance(value, View | Section | Whole)
    return value


HANDLERS: dict[str, Callable[[Handlers, Call], Value]] = {
    **dict.fromkeys("sum prod mean var std max amax min amin ptp any all argmax argmin".split(), Handlers._reduction),
    "count_nonzero": Handlers._reduction,
    "average": Handlers._average,
    "cumsum": Handlers._running,
    "cumprod": Handlers._running,
    **dict.fromkeys(("dot", "matmul", "inner", "vdot"), Handlers._dot),
    "outer": Handlers._outer,
    "correlate": Handlers._sliding,
    "convolve": Handlers._sliding,
    "trace": Handlers._trace,
    "linalg.norm": Handlers._norm,
    "where": Handlers._where,
    "clip": Handlers._clip,
    "transpose": Handlers._transpose,
    "reshape": Handlers._reshape,
    "ravel": Handlers._flat,
    "flatten": Handlers._flat,
    "squeeze": Handlers._squeeze,
    "expand_dims": Handlers._expand,
    **dict.fromkeys(("flip", "fliplr", "flipud"), Handlers._flip),
    "roll": Handlers._roll,
    **dict.fromkeys(("concatenate", "stack", "vstack", "hstack", "column_stack"), Handlers._joined),
    "append": Handlers._append,
    "tile": Handlers._repeated,
    "repeat": Handlers._repeated,
    "arange": Handlers._arange,
    "linspace": Handlers._linspace,
    "eye": Handlers._eye,
    "identity": Handlers._eye,
    "diag": Handlers._diag,
    "diagonal": Handlers._diagonal,
    "diff": Handlers._diff,
    "trapezoid": Handlers._trapezoid,
    "trapz": Handlers._trapezoid,
    "bincount": Handlers._bincount,
    "astype": Handlers._astype,
    "copy": Handlers._copy,
    "fill": Handlers._fill,
    "add.at": Handlers._add_at,
}
