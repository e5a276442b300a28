"""Functions that pick elements of an array: at indices that another one gives, in windows that slide over it, or by strides."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from metalift.frontend.lower.c_scalars import cast, choose
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.reader.arrays.arguments import Call
from metalift.frontend.python.reader.arrays.core import elsewhere
from metalift.frontend.python.reader.arrays.handlers import HANDLERS, Handlers
from metalift.frontend.python.reader.arrays.joining import shared
from metalift.frontend.python.reader.context import ZERO
from metalift.frontend.python.reader.loops import ONE, minus, plus, times
from metalift.frontend.python.stands_for import Indices, Lies, NoneValue, Section, Value, View, Whole
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, type_of
from metalift.ir.expr.types import INT, RealType, ScalarType, is_integer
from metalift.ir.program.fragment import Assume, Ground


def _holds(handlers: Handlers, call: Call, relation: str, left: Expr, right: Expr, text: str) -> None:
    """Rely on an order of two lengths: elsewhere the library raises."""
    if isinstance(left, Const) and isinstance(right, Const) and left.value <= right.value and relation == "le":
        return
    holds = scalars.compare(relation, left, right)
    handlers.context.emit(Assume(holds, f"{ast.unparse(call.node)}: {text}", handlers.context.here(call.node)))


# At indices


def _places(handlers: Handlers, call: Call, indices: Whole, length: Expr) -> Callable[[Indices], Expr]:
    """The places in an axis that integers name, from its end where they are negative; those of tensors have to be in it."""
    if not is_integer(indices.element):
        handlers.context.refuse(call.node, f"{call.name} at what are no integers")

    def at(place: Indices) -> Expr:
        number = scalars.convert(indices.at(place), INT)
        return number if handlers.context.tensors else handlers.arrays.lists.as_index(number, lambda: length)

    return at


def _take(handlers: Handlers, call: Call) -> Value:
    """np.take, index_select: elements or rows at integers; of all elements in order where no axis is named."""
    value: Value = call.array()
    if "axis" not in call.given:
        value = handlers.joining.flat(value, call.node)
    whole = handlers.arrays.whole(value, call.node)
    axis = call.axis(whole.rank, 0) or 0
    indices = handlers.arrays.whole(call.value("indices"), call.node)
    place = _places(handlers, call, indices, whole.extents[axis])
    count = indices.rank

    def at(where: Indices) -> Expr:
        return whole.at((*where[:axis], place(where[axis : axis + count]), *where[axis + count :]))

    shape = (*whole.extents[:axis], *indices.extents, *whole.extents[axis + 1 :])
    made = Whole(shape, whole.element, at, (*elsewhere(whole.reads), *elsewhere(indices.reads)))
    return made if made.rank else handlers.context.named(made.at(()), "t")


def _along_axis(handlers: Handlers, call: Call) -> Value:
    """np.take_along_axis, gather: of each row the elements at the indices of the same row."""
    whole, indices = (handlers.arrays.whole(call.array(each), call.node) for each in ("a", "indices"))
    axis = call.axis(whole.rank, None)
    if axis is None or indices.rank != whole.rank:
        handlers.context.refuse(call.node, f"{call.name} without an axis, or at indices of another number of axes")
    for each in range(whole.rank):
        if each != axis and call.name == "gather" and not handlers.arrays.same(indices.extents[each], whole.extents[each]):
            _holds(handlers, call, "le", indices.extents[each], whole.extents[each], "indices are no longer than the tensor")
        elif each != axis:
            handlers.arrays.require_same(whole.extents[each], indices.extents[each], call.node, Ground.RESTRICTION)
    place = _places(handlers, call, indices, whole.extents[axis])

    def at(where: Indices) -> Expr:
        return whole.at((*where[:axis], place(where), *where[axis + 1 :]))

    return Whole(indices.extents, whole.element, at, (*elsewhere(whole.reads), *elsewhere(indices.reads)))


# Windows


def _windows(
    handlers: Handlers, call: Call, value: Value, axes: Sequence[int], sizes: Sequence[Expr], steps: Sequence[Expr]
) -> Whole:
    """All windows of these sizes along the axes, `steps` apart; their own axes come last."""
    whole = handlers.arrays.whole(value, call.node)
    sizes, steps = ([handlers.context.frozen(each) for each in every] for every in (sizes, steps))
    shape = list(whole.extents)
    for axis, size, step in zip(axes, sizes, steps, strict=True):
        _holds(handlers, call, "le", ONE, size, "a window has elements")
        _holds(handlers, call, "le", size, shape[axis], "windows are no longer than the array")
        _holds(handlers, call, "le", ONE, step, "the step is positive")
        gaps = minus(shape[axis], size)
        shape[axis] = plus(gaps if step == ONE else scalars.floor_divide(Operator.FDIV, gaps, step), ONE)

    def at(where: Indices) -> Expr:
        places = list(where[: whole.rank])
        for number, (axis, step) in enumerate(zip(axes, steps, strict=True)):
            places[axis] = plus(times(places[axis], step), where[whole.rank + number])
        return whole.at(tuple(places))

    return Whole((*shape, *sizes), whole.element, at, elsewhere(whole.reads), shares=shared(value))


def _sliding(handlers: Handlers, call: Call) -> Value:
    """np.lib.stride_tricks.sliding_window_view."""
    value = call.array("x")
    rank = handlers.joining.rank(value)
    sizes = call.shape(call.given["window_shape"])
    axes = call.axes(rank)
    if axes is None:
        axes = list(range(rank))
    if len(sizes) != len(axes):
        handlers.context.refuse(call.node, f"windows of {len(sizes)} lengths along {len(axes)} axes")
    return _windows(handlers, call, value, axes, sizes, [ONE] * len(axes))


def _unfold(handlers: Handlers, call: Call) -> Value:
    """x.unfold(dimension, size, step)."""
    value = call.array()
    axis = call.axis(handlers.joining.rank(value), None)
    if axis is None:
        handlers.context.refuse(call.node, "unfold without a dimension")
    return _windows(handlers, call, value, [axis], [call.integer("size")], [call.integer("step")])


def _pooled(handlers: Handlers, call: Call) -> Value:
    """max_pool1d, avg_pool2d and the like: of each window along the last axes its maximum or mean."""
    count = 1 if call.name.endswith("1d") else 2
    value = call.array()
    rank = handlers.joining.rank(value)
    if rank <= count:
        handlers.context.refuse(call.node, f"{call.name} of {rank} axes; annotate the tensor with its axes")
    sizes = _each(handlers, call, "kernel_size", count, None)
    steps = _each(handlers, call, "stride", count, sizes)
    if any(each != ZERO for each in _each(handlers, call, "padding", count, [ZERO] * count)):
        handlers.context.refuse(call.node, f"{call.name} with padding; pad the tensor, or write the loops")
    windows = _windows(handlers, call, value, range(rank - count, rank), sizes, steps)
    name = "max" if "max" in call.name else "mean"
    return handlers.reducing.reduced(name, windows, range(rank, rank + count), False, call.node)


def _each(handlers: Handlers, call: Call, name: str, count: int, default: Sequence[Expr] | None) -> Sequence[Expr]:
    """A number for each axis, from one or as many."""
    if name not in call.given and default is not None:
        return default
    if name not in call.given:
        handlers.context.refuse(call.node, f"{call.name} without its argument {name}")
    found = call.shape(call.given[name])
    if len(found) not in (1, count):
        handlers.context.refuse(call.node, f"{name} of {call.name} for {len(found)} axes")
    return found if len(found) == count else found * count


def _convolved(handlers: Handlers, call: Call) -> Value:
    """conv1d and conv2d: of each window the products with each of the kernels, added up over the channels."""
    count = 1 if call.name.endswith("1d") else 2
    whole, kernels = (handlers.arrays.whole(call.array(each), call.node) for each in ("a", "weight"))
    single = whole.rank == count + 1
    if kernels.rank != count + 2 or whole.rank not in (count + 1, count + 2) or not isinstance(whole.element, RealType):
        handlers.context.refuse(call.node, f"{call.name} of {whole.rank} axes, or of integers")
    for each in ("dilation", "groups"):
        if any(number != ONE for number in _each(handlers, call, each, count, [ONE] * count)):
            handlers.context.refuse(call.node, f"{call.name} with the argument {each}; write the loops")
    _holds(handlers, call, "le", ONE, kernels.extents[0], "there are kernels")
    handlers.context.restrict(scalars.compare("le", ONE, kernels.extents[1]), f"{call.name} of at least one channel", call.node)
    padding = [handlers.context.frozen(each) for each in _each(handlers, call, "padding", count, [ZERO] * count)]
    for number in padding:
        _holds(handlers, call, "le", ZERO, number, "no number of elements is negative")
    widths: list[tuple[Expr, Expr]] = [(ZERO, ZERO)] * (whole.rank - count)
    widths += [(number, number) for number in padding]
    wide = around(whole, widths, cast(ZERO, whole.element))
    steps = _each(handlers, call, "stride", count, [ONE] * count)
    windows = _windows(handlers, call, wide, range(whole.rank - count, whole.rank), kernels.extents[2:], steps)
    places, inside = "xy"[:count], "ij"[:count]
    own, result = f"c{places}{inside}", f"o{places}"
    letters = [own if single else f"n{own}", f"oc{inside}"]
    made = handlers.reducing.summed([windows, kernels], letters, result if single else f"n{result}", call.node)
    if "bias" not in call.given or isinstance(bias := call.value("bias"), NoneValue):
        return made
    if not isinstance(bias, View | Section | Whole) or handlers.joining.rank(bias) != 1:
        handlers.context.refuse(call.node, f"the bias of {call.name} that is no vector")
    handlers.arrays.require_same(handlers.arrays.whole(bias, call.node).extents[0], kernels.extents[0], call.node)
    column: Value = bias
    for axis in range(count):
        column = handlers.joining.with_axis(column, axis + 1, call.node)
    return handlers.elementwise.binary("add", made, column, call.node)


# By strides


def _strided(handlers: Handlers, call: Call) -> Value:
    """np.lib.stride_tricks.as_strided of a vector that lies in memory element by element, and torch.as_strided of one."""
    value = call.array("x")
    if handlers.joining.rank(value) != 1 or not isinstance(value, View | Section):
        handlers.context.refuse(call.node, "as_strided of what is not a vector with a name; index it, or reshape it")
    shape = [handlers.context.frozen(each) for each in call.shape(call.given["shape"])]
    steps = [handlers.context.frozen(each) for each in _steps(handlers, call)]
    if len(shape) != len(steps):
        handlers.context.refuse(call.node, f"as_strided with {len(shape)} lengths and {len(steps)} strides")
    section = handlers.arrays.as_section(value, call.node)
    axis = section.axes[0]
    if axis is None or axis.step != ONE or axis.place != section.object.rank - 1:
        handlers.context.refuse(call.node, "as_strided of elements that do not lie side by side")
    near = f"the elements of {section.object.name} lie side by side in memory"
    handlers.context.emit(Assume(scalars.truth(ONE), near, handlers.context.here(call.node), Ground.RESTRICTION))
    for each in shape:
        _holds(handlers, call, "le", ZERO, each, "lengths are not negative")
    whole = handlers.arrays.whole(value, call.node)

    def at(where: Indices) -> Expr:
        place: Expr = ZERO
        for index, step in zip(where, steps, strict=True):
            place = plus(place, times(index, step)) if place != ZERO else times(index, step)
        return whole.at((place,))

    lies = None
    if len(shape) == 2 and steps[1] == ONE:
        apart = scalars.compare("le", shape[1], steps[0])
        lies = Lies(section, lambda where: plus(times(where[0], steps[0]), where[1]), apart)
    return Whole(tuple(shape), whole.element, at, elsewhere(whole.reads), shares=shared(value), lies=lies)


def _steps(handlers: Handlers, call: Call) -> list[Expr]:
    """The strides in elements: PyTorch has them so, NumPy np.multiply((a, b), x.itemsize) or (x.strides[0] * a, ...)."""
    node = call.given["strides"]
    if handlers.context.tensors:
        return call.shape(node)
    array = ast.unparse(call.given["x"])
    match node:
        case ast.Call(func=called, args=[ast.Tuple() as steps, ast.Attribute(value=other, attr="itemsize")]) if (
            handlers.context.library_name(called) == "numpy.multiply"
            and _dtype(handlers, other) == _dtype(handlers, call.given["x"])
        ):
            return call.shape(steps)
        case ast.Tuple(elts=items):
            return [_in_elements(handlers, call, each, array) for each in items]
        case _:
            handlers.context.refuse(node, "strides that are no x.strides[0] * n, and no np.multiply((n, ...), x.itemsize)")


def _dtype(handlers: Handlers, node: ast.expr) -> ScalarType:
    return handlers.arrays.whole(handlers.expressions.value(node), node).element


def _in_elements(handlers: Handlers, call: Call, node: ast.expr, array: str) -> Expr:
    """A stride in elements, of one in bytes."""
    one = (f"{array}.strides[0]", f"{array}.itemsize")
    if ast.unparse(node) in one:
        return ONE
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for unit, other in ((node.left, node.right), (node.right, node.left)):
            if ast.unparse(unit) in one:
                return handlers.expressions.integer(other)
    handlers.context.refuse(node, f"a stride that is no multiple of {one[0]}")


# Others


def _size(handlers: Handlers, call: Call) -> Value:
    """np.size, np.ndim of an array."""
    extents = handlers.arrays.whole(call.array(), call.node).extents
    return Const(len(extents), INT) if call.name == "ndim" else handlers.arrays.size(extents)


def _item(handlers: Handlers, call: Call) -> Value:
    """The number of Python that one of NumPy is."""
    value = call.value("a")
    if not isinstance(value, Expr):
        handlers.context.refuse(call.node, "item() of an array; index it")
    return scalars.convert(value, INT) if is_integer(type_of(value)) else value


def _gradient(handlers: Handlers, call: Call) -> Value:
    """np.gradient of a vector: half the difference of the neighbours, at the ends that of the end and its neighbour."""
    whole = handlers.arrays.whole(handlers.arrays.computed(call.array(), call.node), call.node)
    if whole.rank != 1:
        handlers.context.refuse(call.node, "gradient of several axes")
    real = handlers.arrays.rules.real_of(whole.element)
    (length,), two = whole.extents, Const(2, INT)
    _holds(handlers, call, "le", two, length, "there are two elements at least")
    last = minus(length, ONE)

    def at(where: Indices) -> Expr:
        (index,) = where
        low = scalars.extremum(Operator.MAX, minus(index, ONE), ZERO)
        high = scalars.extremum(Operator.MIN, plus(index, ONE), last)
        change = scalars.add(Operator.SUB, cast(whole.at((high,)), real), cast(whole.at((low,)), real))
        return Apply(Operator.DIV, (change, cast(minus(high, low), real)))

    made = Whole(whole.extents, real, at, elsewhere(whole.reads))
    if "spacing" not in call.given:
        return made
    spacing = call.value("spacing")
    if not isinstance(spacing, Expr):
        handlers.context.refuse(call.node, "gradient with coordinates; supported is one distance")
    return handlers.elementwise.binary("true_divide", made, spacing, call.node)


def _padded(handlers: Handlers, call: Call) -> Value:
    """np.pad of a number of elements at the ends: of zeros or another number, or of the elements at the ends."""
    whole = handlers.arrays.whole(call.array(), call.node)
    mode = call.given.get("mode", ast.Constant("constant"))
    kind = mode.value if isinstance(mode, ast.Constant) else None
    if kind not in ("constant", "edge"):
        handlers.context.refuse(call.node, 'pad in another mode than "constant" and "edge"')
    widths = _widths(handlers, call, whole.rank)
    for each in (each for both in widths for each in both):
        _holds(handlers, call, "le", ZERO, each, "no number of elements is negative")
    for extent in whole.extents if kind == "edge" else ():
        _holds(handlers, call, "le", ONE, extent, "there are elements")
    number = handlers.arrays.whole(call.value("constant_values") if "constant_values" in call.given else ZERO, call.node)
    if number.rank:
        handlers.context.refuse(call.node, "pad with several numbers")
    filled = handlers.arrays.converted(number.at(()), whole.element)
    return around(whole, widths, None if kind == "edge" else filled)


def around(whole: Whole, widths: Sequence[tuple[Expr, Expr]], filled: Expr | None) -> Whole:
    """The array with so many elements before and after it along each axis: a number, or if that is None the ones at the ends."""

    def at(where: Indices) -> Expr:
        places = [minus(index, before) for index, (before, _) in zip(where, widths, strict=True)]
        if filled is None:
            lasts = (minus(extent, ONE) for extent in whole.extents)
            ends = (scalars.extremum(Operator.MIN, place, last) for place, last in zip(places, lasts, strict=True))
            return whole.at(tuple(scalars.extremum(Operator.MAX, ZERO, each) for each in ends))
        value = whole.at(tuple(places))
        for place, extent, width in zip(places, whole.extents, widths, strict=True):
            if width == (ZERO, ZERO):
                continue
            for inside in (scalars.compare("lt", place, extent), scalars.compare("le", ZERO, place)):
                value = choose(inside, value, filled)
        return value

    shape = tuple(plus(plus(extent, before), after) for extent, (before, after) in zip(whole.extents, widths, strict=True))
    return Whole(shape, whole.element, at, elsewhere(whole.reads))


def _widths(handlers: Handlers, call: Call, rank: int) -> list[tuple[Expr, Expr]]:
    """How many elements come before and after, along each axis."""
    node = call.given["pad_width"]
    pairs = node.elts if isinstance(node, ast.Tuple | ast.List) else []
    nested = [each for each in pairs if isinstance(each, ast.Tuple | ast.List)]
    if nested and len(nested) == len(pairs) == rank:
        found = [[handlers.context.frozen(each) for each in call.shape(pair)] for pair in nested]
    else:
        found = [[handlers.context.frozen(each) for each in call.shape(node)]] * rank
    if any(len(each) not in (1, 2) for each in found):
        handlers.context.refuse(node, f"the width of a pad of {rank} axes")
    return [(each[0], each[-1]) for each in found]


PARAMETERS = {
    "take": "a indices axis",
    "take_along_axis": "a indices axis",
    "lib.stride_tricks.sliding_window_view": "x window_shape axis",
    "lib.stride_tricks.as_strided": "x shape strides",
    "size": "a",
    "ndim": "a",
    "item": "a",
    "gradient": "a spacing",
    "pad": "a pad_width mode constant_values",
}
PICKING: dict[str, Callable[[Handlers, Call], Value]] = {
    **dict.fromkeys(("take", "index_select"), _take),
    **dict.fromkeys(("take_along_axis", "gather"), _along_axis),
    "lib.stride_tricks.sliding_window_view": _sliding,
    "unfold": _unfold,
    **dict.fromkeys(("max_pool1d", "max_pool2d", "avg_pool1d", "avg_pool2d"), _pooled),
    **dict.fromkeys(("conv1d", "conv2d"), _convolved),
    **dict.fromkeys(("lib.stride_tricks.as_strided", "as_strided"), _strided),
    **dict.fromkeys(("size", "ndim"), _size),
    "item": _item,
    "gradient": _gradient,
    "pad": _padded,
}
EVERY = HANDLERS | PICKING
