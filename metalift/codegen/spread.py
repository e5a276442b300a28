"""Views of collections whose elements cannot be read one by one, such as those that are spread over several machines."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from metalift.codegen.request import CannotSpell
from metalift.codegen.spelled_lists import Lists
from metalift.codegen.views import Access, Size
from metalift.driver.templates import fill_template
from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.nodes import Apply, Build, Expr, Length, Operator, Select, Var, type_of
from metalift.ir.expr.types import TensorType


class Collections(Lists):
    """Parts from one place to another, and single elements, are all that there is of views."""

    def read(self, base: ast.expr, lengths: Sequence[Size | None], sizes: Sequence[Size], view: Sequence[Access]) -> ast.expr:
        """The elements from a place on, in their order, or the one at a place."""
        if len(view) == 1 and not view[0].terms and not sizes:
            return fill_template(self.layout.at, {"x": base, "place": self.number(view[0].start)})
        if len(view) != 1 or len(view[0].terms) != 1:
            raise CannotSpell("an array with rows, or taken in rows: a collection has one axis")
        ((position, stride),) = view[0].terms
        if self.sign(stride) <= 0:
            raise CannotSpell("a collection is read in the order of its elements")
        start, size = view[0].start, sizes[position]
        if start == Polynomial() and size == lengths[-1] and stride == Polynomial.constant(1):
            return base
        parts = {"x": base, "start": self.number(start), "stop": self.number(start + stride * size)}
        if stride != Polynomial.constant(1):
            return fill_template(self.layout.spaced, {**parts, "step": self.number(stride)})
        return fill_template(self.layout.part, parts)

    def gather(self, base: ast.expr, places: Sequence[ast.expr], sizes: Sequence[Size]) -> ast.expr:
        """There are no elements at computed places."""
        raise CannotSpell("elements of a collection at computed places")

    def replaced(self, base: ast.expr, length: Size | None, size: Size, access: Access, value: ast.expr) -> ast.expr:
        """The collection with other elements from a place on; these alone where they are all that it has."""
        if [stride for _, stride in access.terms] != [Polynomial.constant(1)]:
            raise CannotSpell("elements of a collection are written side by side, in their order")
        if access.start == Polynomial() and size == length:
            return value
        places = {"start": self.number(access.start), "stop": self.number(access.start + size)}
        return fill_template(self.layout.update, {"x": base, "value": value, **places})

    def filled(self, value: ast.expr, sizes: Sequence[Size], dtype: ast.expr, near: ast.expr) -> ast.expr:
        """Nothing makes a collection of one number."""
        raise CannotSpell("a collection of equal numbers")

    def spread(self, tree: ast.expr, used: Sequence[int], sizes: Sequence[Size], *, broadcasts: bool) -> ast.expr:
        """Nothing makes a collection of one value, be it a tuple."""
        if used != list(range(len(sizes))):
            raise CannotSpell("a collection of equal values")
        return tree

    def index_tensors(self, base: ast.expr, sizes: Sequence[Size], view: Sequence[Access]) -> list[ast.expr]:
        """Nothing makes a collection of counters."""
        raise CannotSpell("a collection of counters")

    def element(self, base: ast.expr, index: Polynomial) -> ast.expr:
        """There are no single elements that are spread over others."""
        raise CannotSpell("single elements of a collection")


def as_pair(args: Sequence[Expr]) -> list[Expr]:
    """The arguments of an operator on two collections, whole where the shorter one ends where their parts do.

    Raises CannotSpell where one is computed: its elements may not be counted from 0.
    """
    tensors = [arg for arg in args if isinstance(type_of(arg), TensorType)]
    if len(tensors) < 2:
        return list(args)
    wholes = {arg: _whole(arg) for arg in tensors}
    ends = [arg.extents[0] if isinstance(arg, Build) else Length(arg) for arg in tensors]
    lengths = tuple(Length(whole) for whole in wholes.values())
    ending = {*lengths, Apply(Operator.MIN, lengths), Apply(Operator.MIN, lengths[::-1])}
    if ends[0] in ending and all(Polynomial.of(end) == Polynomial.of(ends[0]) for end in ends):
        return [wholes.get(arg, arg) for arg in args]
    return list(args)


def _whole(arg: Expr) -> Expr:
    """The argument that a part from the first element on is of; the part itself where it is another one."""
    match arg:
        case Var():
            return arg
        case Build((_,), (binder,), Select(Var() as array, (index,))):
            return array if strip_casts(index) == binder else arg
        case _:
            raise CannotSpell("two collections side by side, of which one is computed itself")
