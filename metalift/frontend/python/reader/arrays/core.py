"""Arrays as values: what they have at indices, how shapes meet, and how they are computed or stored."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from metalift.frontend.lower.c_scalars import cast, equal
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.reader.arrays.dtypes import Rules, TensorRules, Weight, dtype_of
from metalift.frontend.python.reader.context import ZERO, Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.lists import Lists
from metalift.frontend.python.reader.loops import ONE, Loops, plus, times
from metalift.frontend.python.stands_for import Array, Axis, Indices, Items, Iteration, Lies, Section, Value, View, Whole
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, Select, type_of
from metalift.ir.expr.types import DOUBLE, FLOAT, INT, BoolType, MachineInt, ScalarType, kind_of
from metalift.ir.program.fragment import Assume, Ground

_NAMES = "ijkl"
_NUMPY, _TENSORS = Rules(), TensorRules()
RANKS = len(_NAMES)


def bound(extent: Expr) -> Expr:
    """The end of a counter that runs from 0 over an axis: a length that is cut off at 0 need not be."""
    match extent:
        case Apply(Operator.MAX, (Const(0, _), inner)):
            return inner
        case _:
            return extent


def along(axis: Axis, index: Expr) -> Expr:
    """The index of the array that an index of a section's axis is."""
    return plus(axis.start, times(index, axis.step))


def ravelled(indices: Indices, shape: Sequence[Expr]) -> Expr:
    """The place of an element among all of a shape, row by row."""
    result: Expr = ZERO
    for index, extent in zip(indices, shape, strict=True):
        result = index if result == ZERO else plus(scalars.add(Operator.MUL, result, extent), index)
    return result


def elsewhere(reads: Sequence[Section]) -> tuple[Section, ...]:
    """Sections that are read at other indices than those of the element that is computed."""
    return tuple(replace(read, axes=()) for read in reads)


def is_one(extent: Expr) -> bool:
    """Whether an axis has length 1, whatever the input."""
    return extent == ONE


@dataclass(slots=True)
class Arrays:
    """What all readers of array code build on."""

    context: Context
    expressions: Expressions
    loops: Loops
    lists: Lists
    narrowed: bool = field(default=False)  # whether ints of Python were put into an array
    strong: set[Expr] = field(default_factory=set)  # numbers that NumPy made

    @property
    def rules(self) -> Rules:
        """The rules of dtypes of the library whose arrays they are."""
        return _TENSORS if self.context.tensors else _NUMPY

    # Values

    def is_array(self, value: Value | None) -> bool:
        """Whether a value is an array of NumPy."""
        return isinstance(value, Section | Whole) or (isinstance(value, View) and value.object.numpy)

    def section(self, view: View) -> Section:
        """A whole array, or row of one, as a section."""
        owner, depth = view.object, len(view.prefix)
        extents = self.context.extents(view)
        axes = tuple(Axis(depth + at, ZERO, ONE, extent) for at, extent in enumerate(extents))
        return Section(owner, (*view.prefix, *(None,) * view.rank), axes)

    def simplest(self, section: Section) -> Section | View:
        """A section as a view where it is a whole array, or a row of one."""
        depth = section.object.rank - section.rank
        if depth < 0 or not section.rank or any(each is None for each in section.axes):
            return section
        view = View(section.object, tuple(each for each in section.fixed[:depth] if each is not None))
        return view if len(view.prefix) == depth and self.section(view) == section else section

    def whole(self, value: Value, node: ast.AST) -> Whole:
        """An array as what it has at indices; lists and numbers of Python are converted as NumPy does."""
        match value:
            case Whole(chosen=None):
                if value.lies is not None:
                    self.context.check_current(value.lies.section.object)
                return value
            case Whole():
                return self._of_section(self.section(self.computed(value, node)))
            case Section():
                return self._of_section(value)
            case View():
                return self._of_section(self.section(value))
            case Items(items):
                return self._listed([self.expressions.as_scalar(item, node) for item in items], node)
            case _:
                number = self.context.frozen(self.expressions.as_scalar(value, node))
                found = type_of(number)
                assert isinstance(found, ScalarType)
                return Whole((), found, lambda _: number)

    def operand(self, value: Value, node: ast.AST) -> Whole:
        """The same, with the elements that a mask chooses left where they are."""
        return value if isinstance(value, Whole) else self.whole(value, node)

    def _listed(self, items: Sequence[Expr], node: ast.AST) -> Whole:
        """A tuple of numbers as an array."""
        types = [type_of(item) for item in items]
        weights = [(type_, Weight.PYTHON) for type_ in types if isinstance(type_, ScalarType)]
        dtype = self.rules.meeting(weights) if items else DOUBLE
        made = self.empty((Const(len(items), INT),), dtype, node, "t")
        for at, item in enumerate(items):
            self.put(self.section(made), (Const(at, INT),), item, node)
        return self._of_section(self.section(made))

    def _of_section(self, section: Section) -> Whole:
        self.context.check_current(section.object)
        element = section.object.element
        extents = tuple(ONE if axis is None else axis.extent for axis in section.axes)
        dtype = dtype_of(element)
        self.narrowed |= dtype != element

        def at(indices: Indices) -> Expr:
            return scalars.convert(Select(section.object.var, self.places(section, indices)), dtype)

        return Whole(extents, dtype, at, (section,))

    @staticmethod
    def places(section: Section, indices: Indices) -> Indices:
        """The indices into the array of a section's element."""
        places = list(section.fixed)
        for axis, index in zip(section.axes, indices, strict=True):
            if axis is not None:
                places[axis.place] = along(axis, index)
        assert all(place is not None for place in places)
        return tuple(place for place in places if place is not None)

    def weight(self, value: Value) -> Weight:
        """What an operand counts for when dtypes meet."""
        if isinstance(value, View | Section | Whole) and value.rank:
            return Weight.ARRAY
        return Weight.PYTHON if self.is_weak(value) else Weight.NUMBER

    def is_weak(self, value: Value) -> bool:
        """Whether a value is a number of Python rather than one of the library."""
        if not isinstance(value, Expr) or isinstance(type_of(value), MachineInt | BoolType) or type_of(value) == FLOAT:
            return False
        return not isinstance(value, Select) and value not in self.strong

    # Shapes

    def same(self, one: Expr, other: Expr) -> bool:
        """Whether two lengths are certainly equal."""
        return self.context.same(one, other)

    def meet(self, shapes: Sequence[Sequence[Expr]], node: ast.AST) -> tuple[Expr, ...]:
        """The shape to which several are broadcast. An axis of length 1 is one whose length is 1 for all inputs."""
        rank = max(map(len, shapes))
        if rank > RANKS:
            self.context.refuse(node, f"an array of {rank} axes; supported are up to {RANKS}")
        result = []
        for axis in range(rank):
            lengths = [shape[axis - rank + len(shape)] for shape in shapes if axis - rank + len(shape) >= 0]
            known = [each for each in lengths if not is_one(each)]
            result.append(known[0] if known else ONE)
            for other in known[1:]:
                self.require_same(known[0], other, node, Ground.RESTRICTION)
        return tuple(result)

    def require_same(self, one: Expr, other: Expr, node: ast.AST, ground: Ground = Ground.DEFINED) -> None:
        """Rely on two lengths being equal; of others NumPy raises an exception, or repeats an axis of one element."""
        if self.same(one, other):
            return
        text = ast.unparse(node) if isinstance(node, ast.expr | ast.stmt) else "arrays"
        why = f"the arrays of {' '.join(text.split())} have axes of one length"
        why += "; one of length 1 is not repeated" if ground is Ground.RESTRICTION else ""
        self.context.emit(Assume(equal(one, other), why, self.context.here(node), ground))
        difference = self.context.polynomial(one) - self.context.polynomial(other)
        self.context.learn(difference, -difference)

    @staticmethod
    def spread(whole: Whole, shape: Sequence[Expr]) -> Callable[[Indices], Expr]:
        """The element that an array has at indices of a shape to which it is broadcast."""
        rank = whole.rank

        def at(indices: Indices) -> Expr:
            last = indices[len(indices) - rank :]
            wanted = shape[len(shape) - rank :]
            places = (
                ZERO if is_one(extent) and not is_one(to) else index
                for index, extent, to in zip(last, whole.extents, wanted, strict=True)
            )
            return whole.at(tuple(places))

        return at

    def size(self, shape: Sequence[Expr]) -> Expr:
        """The number of elements."""
        result: Expr = ONE
        for extent in shape:
            result = extent if result == ONE else scalars.add(Operator.MUL, result, extent)
        return result

    # Loops

    def nest(
        self,
        shape: Sequence[Expr],
        node: ast.AST,
        names: Sequence[str],
        body: Callable[[Indices], None],
        key: str,
        depth: int = 0,
    ) -> None:
        """Do `body` at all indices of a shape, the last axis innermost; `names` are what it sets in the environment."""

        def level(indices: Indices) -> None:
            at = len(indices)
            if at == len(shape):
                body(indices)
                return

            def one(value: Value) -> None:
                assert isinstance(value, Expr)
                level((*indices, value))

            counter = Iteration(ZERO, bound(shape[at]), 1, lambda k: k)
            self.loops.loop(counter, node, names, one, base=_NAMES[(depth + at) % RANKS], tag=f"{key}.{depth + at}")

        level(())

    def key(self, node: ast.AST, tag: str) -> str:
        """A name for something that is computed at a place of the source, the same in each pass."""
        return f"{self.context.unique(self.context.key(node, tag))}:#{tag}"

    def empty(self, shape: Sequence[Expr], element: ScalarType, node: ast.AST, hint: str) -> View:
        """A new array whose elements are not set."""
        if not shape or len(shape) > RANKS:
            self.context.refuse(node, f"an array of {len(shape)} axes; supported are 1 to {RANKS}")
        lengths = [self.context.frozen(extent, "extent") for extent in shape]
        made = self.lists.make(node, hint or "array", len(shape), element, numpy=True)
        self.context.env[made.object.length] = lengths[0]
        made.object.columns = tuple(lengths[1:])
        return made

    def computed(self, value: Value, node: ast.AST, hint: str = "") -> View:
        """A new array with the elements of one."""
        if isinstance(value, Whole) and value.chosen is not None:
            return self._filtered(value, value.chosen, node, hint)
        whole = self.whole(value, node)
        made = self.empty(whole.extents, whole.element, node, hint)
        self.put_whole(self.section(made), whole, node)
        return made

    def taken(self, value: Value, node: ast.AST, hint: str = "") -> View:
        """A new array that stands for what an expression makes; NumPy may share the elements of one in another shape."""
        made = self.computed(value, node, hint)
        if isinstance(value, Whole) and value.shares is not None:
            self.lists.shared.append((value.shares, made.object, self.context.here(node)))
        return made

    def _filtered(self, whole: Whole, chosen: Callable[[Indices], Expr], node: ast.AST, hint: str) -> View:
        """A new array with the elements at which a condition holds, in their order."""
        key = self.key(node, "count")
        self.context.env[key] = ZERO
        made = self.lists.make(node, hint or "array", 1, whole.element, numpy=True)

        def body(indices: Indices) -> None:
            def add() -> None:
                count = self.context.env[key]
                assert isinstance(count, Expr)
                self.lists.put(made, count, whole.at(indices), node)
                self.context.env[key] = plus(count, ONE)

            self.where(chosen(indices), add, key)

        self.nest(whole.extents, node, [key], body, key)
        count = self.context.env.pop(key)
        assert isinstance(count, Expr)
        self.context.env[made.object.length] = count
        return made

    def where(self, cond: Expr, body: Callable[[], None], key: str) -> None:
        """Do something where a condition holds."""
        chosen, other = self.context.branch(cond, "if")
        self.context.at = chosen
        body()
        self.context.join([self.context.at, other], "endif", f"{key}if")

    def put_whole(self, target: Section, whole: Whole, node: ast.AST) -> None:
        """Store an array into a section of its shape; all its elements in one axis row by row, as the array has them whose they
        are.
        """
        first, axis = whole.in_order, target.axes[0]
        if first is None or first.rank < 2 or len(target.axes) != 1 or axis is None:
            self.put_all(target, whole.at, node)
            return

        def body(indices: Indices) -> None:
            self.put(target, (ravelled(indices, first.extents),), first.at(indices), node)

        self.nest(first.extents, node, [], body, self.key(node, "store"))

    def put_all(self, target: Section, at: Callable[[Indices], Expr], node: ast.AST) -> None:
        """Store an element at all indices of a section."""
        extents = tuple(ONE if axis is None else axis.extent for axis in target.axes)
        shape = tuple(extent for axis, extent in zip(target.axes, extents, strict=True) if axis is not None)

        def body(indices: Indices) -> None:
            left = iter(indices)
            every = tuple(ZERO if axis is None else next(left) for axis in target.axes)
            self.put(target, every, at(every), node)

        self.nest(shape, node, [], body, self.key(node, "store"))

    def put(self, target: Section, indices: Indices, value: Expr, node: ast.AST) -> None:
        """Store one element, converted to the dtype of the array."""
        *prefix, last = self.places(target, indices)
        self.lists.put(View(target.object, tuple(prefix)), last, self.converted(value, target.object.element), node)

    @staticmethod
    def converted(value: Expr, dtype: ScalarType) -> Expr:
        """A value as an element of a dtype, as NumPy's assignment converts it."""
        return scalars.truth(value) if isinstance(dtype, BoolType) else cast(value, dtype)

    # Storing

    def store(self, target: Section, value: Value, node: ast.AST) -> None:
        """`x[...] = value`: broadcast to the section, converted to the dtype of the array."""
        self.lists.changed.add(target.object)
        whole = self.whole(value, node)
        if not whole.rank and whole.reads:
            number = self.context.named(whole.at(()), "t")
            whole = Whole((), whole.element, lambda _: number)
        extents = tuple(ONE if axis is None else axis.extent for axis in target.axes)
        while whole.rank > len(extents) and is_one(whole.extents[0]):
            whole = self.without_first(whole)
        self._check_fits(whole, extents, node)
        if any(each.object is target.object and each != target for each in whole.reads) or (
            whole.rank < len(extents) and any(each.object is target.object for each in whole.reads)
        ):  # NumPy reads all before it writes
            whole = self.whole(self.computed(whole, node, "t"), node)
        if whole.in_order is not None and whole.rank == len(extents) == 1:
            self.put_whole(target, whole, node)
        else:
            self.put_all(target, self.spread(whole, extents), node)

    def store_lying(self, target: Whole, lies: Lies, value: Value, node: ast.AST) -> None:
        """`x[...] = value` of an array whose elements lie by strides in another: all is read before anything is written."""
        self.lists.changed.add(lies.section.object)
        self.context.restrict(lies.apart, "rows that are stored into do not overlap", node)
        self.check_apart(lies.section, value, node)
        whole = self.whole(value, node)
        if any(each.object is lies.section.object for each in whole.reads):
            whole = self.whole(self.computed(whole, node, "t"), node)
        self._check_fits(whole, target.extents, node)
        at = self.spread(whole, target.extents)

        def body(indices: Indices) -> None:
            self.put(lies.section, (lies.place(indices),), at(indices), node)

        self.nest(target.extents, node, [], body, self.key(node, "store"))

    def _check_fits(self, whole: Whole, extents: Indices, node: ast.AST) -> None:
        """That an array can be broadcast to what it is stored into."""
        if whole.rank > len(extents):
            message = f"an array of {whole.rank} axes stored into {len(extents)}; give it the shape of the target"
            self.context.refuse(node, message)
        for to, extent in zip(reversed(extents), reversed(whole.extents), strict=False):
            if not is_one(extent):
                self.require_same(to, extent, node, Ground.RESTRICTION)

    def check_apart(self, target: Section, value: Value, node: ast.AST) -> None:
        """Refuse what is stored into a tensor from other elements of it, which PyTorch refuses or does in any order."""
        if not self.context.tensors:
            return
        match value:
            case View() | Section():
                overlaps = value.object is target.object and value.rank > 0 and self.as_section(value, node) != target
            case Whole():
                overlaps = value.shares is target.object
            case _:
                overlaps = False
        if overlaps:
            self.context.refuse(node, "elements of a tensor stored into others of it; store what clone() gives")

    @staticmethod
    def without_first(whole: Whole) -> Whole:
        """An array whose first axis, of length 1, is left out."""
        return Whole(whole.extents[1:], whole.element, lambda indices: whole.at((ZERO, *indices)), whole.reads)

    def as_section(self, value: Array, node: ast.AST) -> Section:
        """An array that can be stored into."""
        match value:
            case View():
                return self.section(value)
            case Section():
                return value
            case Whole():
                self.context.refuse(node, "an assignment into an array that is made here; give it a name first")

    def check_kept(self, dtype: ScalarType, target: ScalarType, node: ast.AST) -> None:
        """Refuse an operation in place whose result the array cannot have: NumPy raises an exception."""
        kinds = [kind_of(dtype), kind_of(target)]
        if kinds[0] > kinds[1]:
            message = "an operation in place whose result has another kind of number than the array; NumPy raises here"
            self.context.refuse(node, message)
        if isinstance(dtype, MachineInt) and isinstance(target, MachineInt) and dtype.signed and not target.signed:
            self.context.refuse(node, "an operation in place of signed numbers on an unsigned array; NumPy raises here")

    # What loops run over

    def rows(self, value: Section | Whole, node: ast.AST) -> Iteration:
        """The elements or rows of an array, one after the other."""
        if isinstance(value, Whole):
            return self.loops.over(self.taken(value, node))
        if not value.axes:
            self.context.refuse(node, "a loop over an array without axes")
        first = value.axes[0]
        stop = ONE if first is None else bound(first.extent)
        return Iteration(ZERO, stop, 1, lambda k: self.at_first(value, k), (View(value.object),))

    def at_first(self, section: Section, index: Expr) -> Value:
        """The element or row at an index that is not negative."""
        self.context.check_current(section.object)
        if section.rank == 1 and not self.context.tensors:
            return Select(section.object.var, self.places(section, (index,)))
        return self.simplest(self.fixed(section, 0, self.context.frozen(index, "row")))

    @staticmethod
    def fixed(section: Section, at: int, index: Expr) -> Section:
        """A section whose axis `at` is left out, at an index."""
        axis = section.axes[at]
        axes = (*section.axes[:at], *section.axes[at + 1 :])
        if axis is None:
            return Section(section.object, section.fixed, axes)
        places = list(section.fixed)
        places[axis.place] = along(axis, index)
        return Section(section.object, tuple(places), axes)
