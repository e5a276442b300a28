"""Indices into arrays: slices, new axes, arrays of integers and of truth values; as values, and as places to store into."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.reader.arrays.core import Arrays, along, elsewhere
from metalift.frontend.python.reader.context import ZERO, Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.loops import ONE, goes_back, minus, rounds, times
from metalift.frontend.python.stands_for import Array, Axis, Indices, Section, Value, View, Whole
from metalift.ir.expr.nodes import Expr, Select, Var
from metalift.ir.expr.types import BOOL, INT, is_integer


@dataclass(frozen=True, slots=True)
class Places:
    """Elements of an array: those at `places` of indices of a shape, where `chosen` holds."""

    section: Section
    shape: tuple[Expr, ...]
    places: Callable[[Indices], Indices]
    chosen: Callable[[Indices], Expr] | None = None


@dataclass(slots=True)
class Indexing:
    """Reads subscripts of arrays."""

    context: Context
    expressions: Expressions
    arrays: Arrays

    def index(self, owner: Array, where: ast.expr, node: ast.AST) -> Value:
        """`x[where]`."""
        value = self.value(self.part(owner, where, node))
        if isinstance(owner, Whole) and owner.shares is not None and isinstance(value, View | Section):
            self.arrays.lists.shared.append((owner.shares, value.object, self.context.here(node)))
        return value

    def value(self, found: Section | Places) -> Value:
        """The elements at places."""
        if isinstance(found, Places):
            return self._gathered(found)
        if found.rank == 0:
            self.context.check_current(found.object)
            if self.context.tensors:  # of which it is a part that shares the memory
                return found
            return Select(found.object.var, self.arrays.places(found, ()))
        return self.arrays.simplest(found)

    def part(self, owner: Array, where: ast.expr, node: ast.AST) -> Section | Places:
        """The elements that a subscript names."""
        if isinstance(owner, Whole):
            shares = owner.shares is not None
            owner = self.arrays.computed(owner, node)
            if shares:  # a change would have to be one of the other array
                self.arrays.lists.shared.append((owner.object, owner.object, self.context.here(node)))
        section = self.arrays.as_section(owner, node)
        nodes = list(where.elts) if isinstance(where, ast.Tuple) else [where]
        takes = [each for each in nodes if not _is_new(each) and not _is_ellipsis(each)]
        values = {id(each): self._value(each) for each in takes if not isinstance(each, ast.Slice)}
        if masks := [value for value in values.values() if self.arrays.is_array(value) and _is_mask(value)]:
            return self._masked(section, masks[0], node) if len(nodes) == 1 else self._among_others(node)
        if len(takes) > section.rank:
            message = f"{len(takes)} indices into {section.rank} axes; annotate the array with the axes that it has"
            self.context.refuse(node, message)
        nodes = _without_ellipsis(nodes, section.rank - len(takes))
        return self._along(section, nodes, values, node)

    def _along(self, section: Section, nodes: Sequence[ast.expr], values: Mapping[int, Value], node: ast.AST) -> Section | Places:
        """The elements at indices, one for each axis or new one."""
        fancy = any(self.arrays.is_array(value) for value in values.values())
        at, lists, positions = 0, dict[int, Whole](), list[int]()
        for position, each in enumerate(nodes):
            if not (_is_new(each) or isinstance(each, ast.Slice) or fancy):
                section = self._at(section, at, values[id(each)], each)
                continue
            if _is_new(each):
                section = replace(section, axes=(*section.axes[:at], None, *section.axes[at:]))
            elif isinstance(each, ast.Slice):
                section = self._sliced(section, at, each)
            else:
                lists[at] = self._list(values[id(each)], each)
                positions.append(position)
            at += 1
        if not fancy:
            return section
        if positions != list(range(positions[0], positions[0] + len(positions))):
            self.context.refuse(node, "arrays as indices with slices between them; write a loop")
        return self._listed(section, lists, node)

    def _among_others(self, node: ast.AST) -> NoReturn:
        self.context.refuse(node, "a mask among other indices; index in two steps, or write a loop")

    def _value(self, node: ast.expr) -> Value:
        return self.expressions.value(node)

    def _at(self, section: Section, at: int, value: Value, node: ast.expr) -> Section:
        axis = section.axes[at]
        length = ONE if axis is None else axis.extent
        number = self.expressions.as_integer(self.expressions.as_scalar(value, node), node)
        index = self.arrays.lists.as_index(number, lambda: length)
        return self.arrays.fixed(section, at, self.context.frozen(index, "row"))

    # Slices

    def _sliced(self, section: Section, at: int, node: ast.Slice) -> Section:
        axis = section.axes[at]
        if node.lower is None and node.upper is None and node.step is None:
            return section
        if axis is None:
            self.context.refuse(node, "a slice of an axis that was put in")
        step = self.arrays.loops.step(node.step, node)
        backwards = goes_back(step)
        if backwards and self.context.tensors:
            self.context.refuse(node, "a slice with a negative step, which PyTorch refuses; use flip")
        if backwards:
            if node.lower is not None or node.upper is not None:
                self.context.refuse(node, "a slice with a negative step and bounds; supported is x[::-1]")
            low, span = minus(axis.extent, ONE), axis.extent
        else:
            low = self.arrays.loops.low(node.lower, axis.extent) if node.lower else ZERO
            high = self.arrays.loops.high(node.upper, axis.extent, cut=False, low=low, step=step) if node.upper else axis.extent
            span = minus(high, low)
        extent = scalars.clamped(rounds(span, step), self.context.is_natural(span))
        made = Axis(axis.place, along(axis, low), times(axis.step, step), extent)
        return replace(section, axes=(*section.axes[:at], made, *section.axes[at + 1 :]))

    # Arrays as indices

    def _list(self, value: Value, node: ast.AST) -> Whole:
        whole = self.arrays.whole(value, node)
        if not is_integer(whole.element):
            self.context.refuse(node, "an array of floats as indices; convert it with astype(int)")
        return whole

    def _listed(self, section: Section, lists: dict[int, Whole], node: ast.AST) -> Places:
        """Elements at integers that arrays give."""
        shape = self.arrays.meet([each.extents for each in lists.values()], node)
        first = min(lists)
        before = [axis for axis in section.axes[:first]]
        after = [axis for axis in section.axes[first + len(lists) :]]
        lengths = [ONE if axis is None else axis.extent for axis in (*before, *after)]
        whole_shape = (*lengths[:first], *shape, *lengths[first:])
        spread = {at: self.arrays.spread(each, shape) for at, each in lists.items()}

        def places(indices: Indices) -> Indices:
            inner = indices[first : first + len(shape)]
            taken = []
            for at in sorted(lists):
                axis = section.axes[at]
                number = scalars.convert(spread[at](inner), INT)
                length = ONE if axis is None else axis.extent
                taken.append(self.arrays.lists.as_index(number, lambda length=length: length))  # type: ignore[misc]
            return self.arrays.places(section, (*indices[:first], *taken, *indices[first + len(shape) :]))

        return Places(section, whole_shape, places)

    def _masked(self, section: Section, value: Value, node: ast.AST) -> Places:
        mask = self.arrays.whole(value, node)
        if mask.rank != section.rank:
            if mask.rank != 1:
                self.context.refuse(node, f"a mask of {mask.rank} axes on an array of {section.rank}; give it the array's shape")
            self.context.refuse(node, "a mask that chooses rows; write a loop over the rows")
        for axis, extent in zip(section.axes, mask.extents, strict=True):
            self.arrays.require_same(ONE if axis is None else axis.extent, extent, node)
        if any(each.object is section.object and each != section for each in mask.reads):
            mask = self.arrays.whole(self.arrays.computed(mask, node), node)
        return Places(section, mask.extents, lambda indices: self.arrays.places(section, indices), mask.at)

    def _gathered(self, found: Places) -> Whole:
        inner = self.arrays.whole(found.section, ast.Pass())
        var = found.section.object.var

        def at(indices: Indices) -> Expr:
            return scalars.convert(Select(var, found.places(indices)), inner.element)

        exact = found.chosen is not None
        reads = (found.section,) if exact else elsewhere([found.section])
        return Whole(found.shape, inner.element, at, reads, found.chosen)

    # Places to store into

    def store(self, found: Section | Places, value: Value, node: ast.AST) -> None:
        """`x[where] = value`."""
        if isinstance(found, Section):
            self.arrays.store(found, value, node)
            return
        self.arrays.lists.changed.add(found.section.object)
        key = self.arrays.key(node, "store")
        if found.chosen is not None:
            at = self._for_mask(found, found.chosen, value, node)
        else:
            whole = self.arrays.whole(value, node)
            self.arrays.meet([found.shape, whole.extents], node)
            if any(each.object is found.section.object for each in whole.reads):
                whole = self.arrays.whole(self.arrays.computed(whole, node, "t"), node)
            at = self.arrays.spread(whole, found.shape)

        def body(indices: Indices) -> None:
            def put() -> None:
                *prefix, last = found.places(indices)
                element = found.section.object.element
                view = View(found.section.object, tuple(prefix))
                self.arrays.lists.put(view, last, self.arrays.converted(at(indices), element), node)

            if found.chosen is None:
                put()
            else:
                self.arrays.where(found.chosen(indices), put, key)

        self.arrays.nest(found.shape, node, [], body, key)

    def _for_mask(
        self, found: Places, chosen: Callable[[Indices], Expr], value: Value, node: ast.AST
    ) -> Callable[[Indices], Expr]:
        """What is stored where a mask holds: a number, or what the same mask chooses."""
        if not self.arrays.is_array(value):
            number = self.arrays.whole(value, node)
            return lambda _: number.at(())
        probe = tuple(Var(f" {at}", INT) for at in range(len(found.shape)))
        if not isinstance(value, Whole) or value.chosen is None or value.chosen(probe) != chosen(probe):
            self.context.refuse(node, "an array stored where a mask holds; supported are numbers, and what the same mask chooses")
        if any(each.object is found.section.object and each != found.section for each in value.reads):
            self.context.refuse(node, "a mask and its array at other places of the array that is changed; write a loop")
        return value.at


def _is_mask(value: Value) -> bool:
    element = value.object.element if isinstance(value, View | Section) else value.element if isinstance(value, Whole) else None
    return element == BOOL


def _is_new(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant) and node.value is None:
        return True
    return isinstance(node, ast.Attribute) and node.attr == "newaxis"


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _without_ellipsis(nodes: Sequence[ast.expr], missing: int) -> list[ast.expr]:
    """The indices with `...` written out; axes at the end that are not named are whole."""
    full: ast.expr = ast.Slice()
    found: list[ast.expr] = []
    seen = False
    for each in nodes:
        if _is_ellipsis(each) and not seen:
            found += [full] * missing
            seen = True
        else:
            found.append(each)
    return found
