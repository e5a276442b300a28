"""Views: tensors whose elements are those of another tensor at affine indices, spelled as slices, reshapes and transposes.

Every spelling is right for all sizes that the facts allow, empty ones included; where slices would need more than is known (the
sign of a stride, a leading dimension), a strided view or an index tensor is used.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from metalift.codegen.blocks import Block, blocks
from metalift.codegen.python_text import text
from metalift.codegen.request import CannotSpell
from metalift.driver import Layout
from metalift.driver.templates import constant, fill_template, subscript, tuple_of
from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.polynomial import Polynomial, least_of
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, Var, integer

Size = Polynomial


@dataclass(frozen=True, slots=True)
class Access:
    """The index along one axis: `start` plus stride * binder for each (binder's position, stride) in `terms`."""

    start: Polynomial
    terms: tuple[tuple[int, Polynomial], ...]


@dataclass(frozen=True)
class Views:
    """Spells views in one library. `number` prints a polynomial, `keep` gives a tree a name before the current statement.

    `measured` has what the length of arrays was checked against, `strided_bases` the arrays that must be contiguous, `named` the
    strided views.
    """

    layout: Layout
    facts: Facts
    number: Callable[[Polynomial], ast.expr]
    keep: Callable[[str, ast.expr], ast.expr]
    measured: dict[str, tuple[Polynomial, ...]] = field(default_factory=dict)
    strided_bases: set[str] = field(default_factory=set)
    named: dict[str, ast.expr] = field(default_factory=dict)

    def size(self, extent: Expr) -> Size:
        """The number of elements along an axis of the given extent: negative ones count as 0."""
        match extent:
            case Apply(Operator.MAX, (Const(0, _), inner)) | Apply(Operator.MAX, (inner, Const(0, _))):
                return self.size(inner)
            case _:
                value = Polynomial.of(extent)
                if self.facts.never_negative(value):
                    return value
                constant_value = value.constant_value
                if constant_value is not None:
                    return Polynomial.constant(max(constant_value, 0))
                return Polynomial.atom(Apply(Operator.MAX, (value.to_expr(), integer(0))))

    def read(self, base: ast.expr, lengths: Sequence[Size | None], sizes: Sequence[Size], view: Sequence[Access]) -> ast.expr:
        """The view, with an axis for each binder that it uses, in the order of the binders."""
        if self.gathers(base, sizes, view):
            return self._gather(base, sizes, view)
        if len(view) == 1 and len(view[0].terms) > 1:
            return self._split(base, lengths[0], sizes, view[0])
        sliced, flipped = self._slice(base, lengths, sizes, view)
        return self.permute(self._flipped(sliced, flipped), [position for access in view for position, _ in access.terms])

    def gathers(self, base: ast.expr, sizes: Sequence[Size], view: Sequence[Access]) -> bool:
        """Whether the view has to be a copy made with index tensors."""
        if len(view) == 1 and len(view[0].terms) > 1:
            forward, _ = self._forward(sizes, view[0])
            regular = self.tight(sizes, forward) is not None or self._blocks(base, sizes, forward) is not None
            return not regular and not self._may_stride(base, forward)
        return any(self.sign(stride) == 0 for access in view for _, stride in access.terms)

    def spread(self, tree: ast.expr, used: Sequence[int], sizes: Sequence[Size], *, broadcasts: bool) -> ast.expr:
        """Gives the view the axes that it does not use: new ones, stretched unless what it is used in does that itself."""
        if len(used) == len(sizes):
            return tree
        if used:
            axes: list[ast.expr] = [ast.Slice() if at in used else constant_none() for at in range(used[0], len(sizes))]
            tree = tree if all(isinstance(axis, ast.Slice) for axis in axes) else _with_axes(tree, axes)
        if broadcasts:
            return tree
        return fill_template(self.layout.expand, {"x": tree, "shape": self.shape(sizes)})

    def element(self, base: ast.expr, index: Polynomial) -> ast.expr:
        """An element that is spread over a tensor. Where that may be empty it may not exist: then a slice of one or none."""
        least = self.measured.get(base.id) if isinstance(base, ast.Name) else None
        if least is not None and len(least) == 1 and self.facts.positive(least[0] - index):
            return subscript(base, [self.number(index)])
        part, _ = self.slice(index, Polynomial.constant(1), Polynomial.constant(1), None)
        return subscript(base, [part])

    def filled(self, value: ast.expr, sizes: Sequence[Size], dtype: ast.expr, near: ast.expr) -> ast.expr:
        """A number everywhere, on the device of `near`."""
        return fill_template(self.layout.full, {"shape": self.shape(sizes), "value": value, "dtype": dtype, "x": near})

    def shape(self, sizes: Sequence[Size]) -> ast.expr:
        """The sizes as a tuple."""
        return tuple_of([self.number(size) for size in sizes])

    def permute(self, tree: ast.expr, order: Sequence[int]) -> ast.expr:
        """Axes in increasing order of the binders that they stand for."""
        axes = sorted(range(len(order)), key=lambda axis: order[axis])
        if axes == sorted(axes):
            return tree
        if axes == [1, 0]:
            return fill_template(self.layout.transpose, {"x": tree})
        return fill_template(self.layout.permute, {"x": tree, "axes": tuple_of([constant(axis) for axis in axes])})

    def sign(self, stride: Polynomial) -> int:
        """1 or -1 where the stride is known to be positive or negative, otherwise 0."""
        if self.facts.positive(stride):
            return 1
        return -1 if self.facts.positive(-stride) else 0

    def _slice(
        self, base: ast.expr, lengths: Sequence[Size | None], sizes: Sequence[Size], view: Sequence[Access]
    ) -> tuple[ast.expr, list[int]]:
        """At most one binder on each axis, strides of known sign: the sliced base, and the axes that are still to be flipped."""
        parts: list[ast.expr] = []
        flipped: list[int] = []
        axis = 0
        for access, length in zip(view, lengths, strict=True):
            if not access.terms:
                parts.append(self.number(access.start))
                continue
            position, stride = access.terms[0]
            part, backwards = self.slice(access.start, stride, sizes[position], length)
            parts.append(part)
            flipped += [axis] if backwards else []
            axis += 1
        while parts and is_whole(parts[-1]):
            parts.pop()
        return (subscript(base, parts) if parts else base), flipped

    def slice(self, start: Polynomial, stride: Polynomial, size: Size, length: Size | None) -> tuple[ast.Slice, bool]:
        """The slice that holds the elements, and whether they come in reverse order; the stride's sign is known.

        Its end is start + stride * size, past the last element; slices are cut off at the end of the array, so this is right
        for size 0 too. So is an end before the start, as long as it is not negative.
        """
        backwards = self.sign(stride) < 0
        if backwards:
            start, stride = start + stride * (size - 1), -stride
        stop = start + stride * size
        plain = _least(start + stride * _unclamped(size))
        if plain != stop and self.facts.never_negative(start) and self.facts.never_negative(plain):
            stop = plain
        lower = None if start == Polynomial() else self.number(start)
        upper = None if length is not None and self._ends(stop, stride, length) else self.number(stop)
        step = None if stride == Polynomial.constant(1) else self.number(stride)
        return ast.Slice(lower=lower, upper=upper, step=step), backwards

    def _ends(self, stop: Polynomial, stride: Polynomial, length: Size) -> bool:
        """Whether as many elements as up to `stop` are left up to the end of the array, in steps of the stride."""
        return stop == length or (self.facts.never_negative(stop - length) and self.facts.positive(length - stop + stride))

    def tight(self, sizes: Sequence[Size], access: Access) -> tuple[list[int], Polynomial] | None:
        """Where the binders enumerate evenly spaced elements: their positions, slowest first, and the spacing."""
        for _, spacing in access.terms:
            pending = dict(access.terms)
            order: list[int] = []
            step = spacing
            while pending:
                at = next((position for position, stride in pending.items() if stride == step), None)
                if at is None:
                    break
                step = pending.pop(at) * sizes[at]
                order.insert(0, at)
            if not pending and self.sign(spacing) > 0:
                return order, spacing
        return None

    def _split(self, base: ast.expr, length: Size | None, sizes: Sequence[Size], access: Access) -> ast.expr:
        """Several binders on the one axis of the base."""
        forward, flipped = self._forward(sizes, access)
        tight = self.tight(sizes, forward)
        used = [position for position, _ in forward.terms]
        if tight is not None:
            order, spacing = tight
            part, _ = self.slice(forward.start, spacing, product([sizes[at] for at in order]), length)
            flat = base if is_whole(part) else subscript(base, [part])
            shape = self.shape([sizes[at] for at in order])
            result = self.permute(fill_template(self.layout.reshape, {"x": flat, "shape": shape}), order)
        else:
            result = self._parted(base, length, sizes, forward) or self.strided(base, sizes, forward)
        return self._flipped(result, [axis for axis, position in enumerate(used) if position in flipped])

    def _forward(self, sizes: Sequence[Size], access: Access) -> tuple[Access, frozenset[int]]:
        """The same cells with no stride that is known not to be positive, and the binders that then run the other way."""
        start = access.start
        terms: list[tuple[int, Polynomial]] = []
        flipped: set[int] = set()
        for position, stride in access.terms:
            if self.facts.never_negative(-stride):
                start, stride = start + stride * (sizes[position] - 1), -stride
                flipped.add(position)
            terms.append((position, stride))
        return Access(start, tuple(terms)), frozenset(flipped)

    def _may_stride(self, base: ast.expr, access: Access) -> bool:
        """Views by strides are not checked against the array's length when they are used, so it must have been checked before."""
        measured = isinstance(base, ast.Name) and base.id in self.measured
        return bool(self.layout.strided) and measured and all(self.facts.never_negative(stride) for _, stride in access.terms)

    def _blocks(self, base: ast.expr, sizes: Sequence[Size], access: Access) -> list[Block] | None:
        """The blocks of an array in which the elements are; None where they are not in equal ones, or it cannot be parted."""
        lengths = self.measured.get(base.id, ()) if isinstance(base, ast.Name) and self.layout.reshape else ()
        return blocks(lengths[0], sizes, access.start, access.terms, self.facts) if len(lengths) == 1 else None

    def _parted(self, base: ast.expr, length: Size | None, sizes: Sequence[Size], access: Access) -> ast.expr | None:
        """A view of some of the blocks of an array, under a name of its own; None where its elements are not these."""
        found = self._blocks(base, sizes, access)
        if found is None:
            return None
        shape: list[Size] = []
        parts: list[ast.expr] = []
        for at, into, taken in found:
            shape += [sizes[at]] if into == 1 else [sizes[at], Polynomial.constant(into)]
            parts += [ast.Slice()] if into == 1 else [ast.Slice(), constant(taken)]
        assert isinstance(base, ast.Name)
        flat: ast.expr = base
        if (count := product(shape)) != length:
            flat = subscript(base, [ast.Slice(upper=self.number(count))])
        while parts and is_whole(parts[-1]):
            parts.pop()
        tree = subscript(fill_template(self.layout.reshape, {"x": flat, "shape": self.shape(shape)}), parts)
        ordered = self.permute(tree, [at for at, _, _ in found])
        key = text(ordered)
        if key not in self.named:
            self.named[key] = self.keep(f"{base.id}_view", ordered)
        return self.named[key]

    def strided(self, base: ast.expr, sizes: Sequence[Size], access: Access) -> ast.expr:
        """A view of an array by strides, none negative, under a name of its own; the array is contiguous."""
        assert isinstance(base, ast.Name)
        strides = tuple_of([self.number(stride) for _, stride in access.terms])
        shape = self.shape([sizes[position] for position, _ in access.terms])
        offset = self.number(access.start)
        tree = fill_template(self.layout.strided, {"x": base, "offset": offset, "shape": shape, "strides": strides})
        self.strided_bases.add(base.id)
        key = text(tree)
        if key not in self.named:
            self.named[key] = self.keep(f"{base.id}_view", tree)
        return self.named[key]

    def _gather(self, base: ast.expr, sizes: Sequence[Size], view: Sequence[Access]) -> ast.expr:
        """The elements at an index tensor for each axis."""
        used = sorted({position for access in view for position, _ in access.terms})
        return self.gather(base, self.index_tensors(base, sizes, view), [sizes[position] for position in used])

    def gather(self, base: ast.expr, indices: list[ast.expr], sizes: Sequence[Size]) -> ast.expr:
        """The elements at index tensors, one for each axis of the base, that broadcast to the sizes."""
        if self.layout.by_tensors:
            return fill_template(self.layout.gather, {"x": base, "index": self.places(indices, sizes)})
        index = indices[0] if len(indices) == 1 else tuple_of(indices)
        return fill_template(self.layout.gather, {"x": base, "index": index})

    def places(self, indices: list[ast.expr], sizes: Sequence[Size]) -> ast.expr:
        """Index tensors of one shape."""
        if len(indices) > 1 and sizes:
            indices = [fill_template(self.layout.expand, {"x": index, "shape": self.shape(sizes)}) for index in indices]
        return tuple_of(indices)

    def index_tensors(self, base: ast.expr, sizes: Sequence[Size], view: Sequence[Access]) -> list[ast.expr]:
        """For each axis of the base its indices, with an axis for each used binder, in their order."""
        used = sorted({position for access in view for position, _ in access.terms})
        return [self._indices(base, sizes, access, used) for access in view]

    def _indices(self, base: ast.expr, sizes: Sequence[Size], access: Access, used: list[int]) -> ast.expr:
        parts: list[ast.expr] = []
        for position, stride in access.terms:
            counter = self.count(base, sizes[position])
            behind = len(used) - 1 - used.index(position)
            if behind:
                counter = subscript(counter, [ast.Slice(), *(constant_none() for _ in range(behind))])
            if stride != Polynomial.constant(1):
                counter = ast.BinOp(left=self.number(stride), op=ast.Mult(), right=counter)
            parts.append(counter)
        if not parts or access.start != Polynomial():
            parts.append(self.number(access.start))
        return reduce(lambda left, right: ast.BinOp(left=left, op=ast.Add(), right=right), parts)

    def count(self, near: ast.expr, size: Size) -> ast.expr:
        """0, 1, ... below the size, on the device of `near`."""
        if not self.layout.arange:
            raise CannotSpell("an index tensor is needed, and the target has no way to count")
        return fill_template(self.layout.arange, {"value": self.number(size), "x": near})

    def target(
        self,
        base: ast.expr,
        lengths: Sequence[Size | None],
        sizes: Sequence[Size],
        window: Sequence[Access],
        *,
        uniform: bool,
    ) -> tuple[ast.expr, Callable[[ast.expr], ast.expr]]:
        """What a write to the cells is assigned to, and what the value (with an axis for each binder) becomes first.

        A uniform value is one for all cells.
        """
        if len(window) == 1 and len(window[0].terms) > 1:
            return self._many_axes(base, lengths[0], sizes, window[0])
        if uniform and product(sizes) == Polynomial.constant(1):
            return subscript(base, [self.number(access.start) for access in window]), _same
        positions = [position for access in window for position, _ in access.terms]
        mixed = len(positions) > len(set(positions)) or any(len(access.terms) > 1 for access in window)
        if mixed or any(self.sign(stride) == 0 for access in window for _, stride in access.terms):
            return self._gather(base, sizes, window), _same
        parts: list[ast.expr] = []
        flipped: list[int] = []
        order: list[int] = []
        for access, length in zip(window, lengths, strict=True):
            if not access.terms:
                parts.append(self.number(access.start))
                continue
            [(position, stride)] = access.terms
            part, backwards = self.slice(access.start, stride, sizes[position], length)
            parts.append(part)
            flipped += [len(order)] if backwards else []
            order.append(position)
        inverse = [order.index(position) for position in sorted(order)]
        return subscript(base, parts), lambda tree: self._flipped(self.permute(tree, inverse), flipped)

    def _flipped(self, tree: ast.expr, axes: Sequence[int]) -> ast.expr:
        for axis in axes:
            if self.layout.flip:
                tree = fill_template(self.layout.flip, {"x": tree, "axis": constant(axis)})
            else:
                backwards = ast.Slice(step=ast.UnaryOp(op=ast.USub(), operand=constant(1)))
                tree = subscript(tree, [*(ast.Slice() for _ in range(axis)), backwards])
        return tree

    def _flat(self, tree: ast.expr) -> ast.expr:
        return fill_template(self.layout.flatten, {"x": tree})

    def _many_axes(
        self, base: ast.expr, length: Size | None, sizes: Sequence[Size], access: Access
    ) -> tuple[ast.expr, Callable[[ast.expr], ast.expr]]:
        tight = self.tight(sizes, access)
        if tight is not None:
            order, spacing = tight
            part, _ = self.slice(access.start, spacing, product([sizes[at] for at in order]), length)
            inverse = [order.index(position) for position in sorted(order)]
            return subscript(base, [part]), lambda tree: self._flat(self.permute(tree, inverse))
        if self._may_stride(base, access):
            view = self._parted(base, length, sizes, access) or self.strided(base, sizes, access)
            return subscript(view, [constant_ellipsis()]), _same
        return self._gather(base, sizes, [access]), _same


def accesses(indices: Sequence[Expr], binders: Sequence[Var], *, diagonal: bool = False) -> tuple[Access, ...] | None:
    """The indices as affine functions of the binders, each binder on one axis at most; None where they are not that.

    `diagonal`: a binder may be on several axes.
    """
    found: list[Access] = []
    seen: set[int] = set()
    for index in indices:
        affine = Polynomial.of(index).affine_in(binders)
        if affine is None:
            return None
        coefficients, start = affine
        terms = tuple((at, coefficients[b]) for at, b in enumerate(binders) if coefficients[b] != Polynomial())
        mixed = bool(seen.intersection(at for at, _ in terms)) or (len(terms) > 1 and len(indices) > 1)
        if mixed and not diagonal:
            return None
        seen.update(at for at, _ in terms)
        found.append(Access(start, terms))
    return tuple(found)


def product(sizes: Sequence[Size]) -> Size:
    """The number of elements of a tensor."""
    return reduce(lambda left, right: left * right, sizes, Polynomial.constant(1))


def _least(value: Polynomial) -> Polynomial:
    """A minimum and a number as the minimum of what they come to."""
    parts = least_of(value)
    return value if parts is None else Polynomial.atom(Apply(Operator.MIN, tuple(part.to_expr() for part in parts)))


def _unclamped(size: Size) -> Polynomial:
    """The number of which a size is the larger of it and 0; the size itself where it is none."""
    match size.terms:
        case (((Apply(Operator.MAX, (inner, Const(0, _))),), 1),):
            return Polynomial.of(inner)
        case _:
            return size


def is_whole(part: ast.expr) -> bool:
    """Whether the slice leaves nothing out."""
    return isinstance(part, ast.Slice) and part.lower is None and part.upper is None and part.step is None


def _with_axes(tree: ast.expr, axes: list[ast.expr]) -> ast.expr:
    """The view with new axes; a slice of one axis gets them in the same brackets."""
    match tree:
        case ast.Subscript(value=base, slice=ast.Slice() as part) if not any(isinstance(axis, ast.Slice) for axis in axes[1:]):
            return subscript(base, [part, *axes[1:]])
        case _:
            return subscript(tree, axes)


def constant_none() -> ast.expr:
    """None, which as an index makes a new axis."""
    return ast.Constant(value=None)


def constant_ellipsis() -> ast.expr:
    """The index that stands for everything."""
    return ast.Constant(value=...)


def _same(tree: ast.expr) -> ast.expr:
    return tree
