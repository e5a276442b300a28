"""Lists and arrays: their elements, rows and lengths, and how they are made and filled.

A local list is an array and its length, a local list of lists an array of two axes whose rows have one length. What is put into
another list is copied there, so it must not be used by its old name any more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from metalift.frontend.lower.c_scalars import cast
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.kinds import MEETS, fits, is_narrow, is_of_python
from metalift.frontend.python.reader.context import ZERO, Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.loops import Loops
from metalift.frontend.python.reader.rows import Rows
from metalift.frontend.python.stands_for import (
    Again,
    Char,
    Clash,
    Items,
    Iteration,
    ListObject,
    NoneValue,
    Section,
    Value,
    View,
    Whole,
    items_of,
)
from metalift.ir.arith.bounds import not_negative
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, Var, type_of
from metalift.ir.expr.types import INT, STRING, RealType, ScalarType, TensorType, is_identity
from metalift.ir.expr.walk import free_vars
from metalift.ir.interp.identities import is_row
from metalift.ir.program.fragment import Location, Store

TABLE = 64  # items of a tuple that may be read at a place that is computed
ROWS = "supported are lists of lists whose rows have one length that does not depend on the row"


@dataclass(slots=True)
class Lists:
    """Reads what makes, reads and changes lists."""

    context: Context
    expressions: Expressions
    loops: Loops
    rows: Rows
    stored: set[ListObject] = field(default_factory=set)
    changed: set[ListObject] = field(default_factory=set)  # of which the source itself sets elements
    shared: list[tuple[ListObject, ListObject, Location]] = field(default_factory=list)
    same_rows: list[tuple[ListObject, ListObject, Location]] = field(default_factory=list)

    # Objects

    def make(self, node: ast.AST, hint: str, rank: int, element: ScalarType, *, numpy: bool = False) -> View:
        """A new, empty list."""
        site = self.context.site(node)
        type_ = TensorType(self.context.known.types.get(f"elem:{site}", element), self.context.known.ranks.get(site, rank))
        name = self.context.array_name(hint or "list")
        self.context.written += 1
        made = ListObject(site, Var(name, type_), True, numpy, f"{site}:#len_{hint or 'list'}", None, self.context.written)
        made.characters = site in self.context.known.characters
        self.context.locals.append(made)
        self.context.env[made.length] = ZERO
        self.context.env.pop(f"#moved:{site}", None)
        self.context.point.sharing = self.context.point.sharing.without(site)
        return View(made)

    def widen(self, owner: ListObject, type_: ScalarType, node: ast.AST) -> None:
        """See to it that a list can hold values of a type."""
        key = f"elem:{owner.site}"
        if owner.local and not owner.numpy and key not in self.context.known.types:
            self.context.known.types[key] = type_
            if owner.element != type_:
                raise Again
        if owner.element == type_:
            return
        both = scalars.joined(owner.element, type_) or scalars.joined_tuples(owner.element, type_)
        if owner.numpy or both == owner.element:
            return
        if not owner.local or both is None:
            if is_identity(type_) or is_identity(owner.element):
                message = f"{scalars.described(type_)} in a list of others; supported are lists of values of one type"
                self.context.refuse(node, message)
            kind = "float" if isinstance(type_, RealType) else "value"
            message = f"a {kind} stored in the list {owner.var.name} of other numbers; annotate it as what it holds"
            self.context.refuse(node, message)
        self.context.known.types[key] = both
        raise Again

    def as_element(self, value: Value, owner: ListObject, node: ast.AST) -> Expr:
        """A value as an element of a list: a number, a character, or a tuple as one value."""
        if isinstance(value, Char) and owner.local and not owner.characters:
            self.context.known.characters.add(owner.site)
            raise Again
        if isinstance(value, Char) and owner.characters:
            return value.code
        if owner.characters:
            self.context.refuse(node, "a list of characters and of other values; supported are lists of values of one type")
        return self.expressions.as_whole(value, node, owner.element)

    def put(self, view: View, index: Expr, value: Expr, node: ast.AST) -> None:
        """Store an element; NumPy converts to the type of the array."""
        owner = view.object
        self.context.change(owner)
        found = type_of(value)
        assert isinstance(found, ScalarType)
        self.widen(owner, found, node)
        self._of_a_kind(owner, value, node)
        converted = scalars.convert(value, owner.element) if not isinstance(found, RealType) else cast(value, owner.element)
        self.context.emit(Store(owner.var, (*view.prefix, index), converted, self.context.here(node)))
        self.stored.add(owner)

    def _of_a_kind(self, owner: ListObject, value: Expr, node: ast.AST) -> None:
        """Note of a list of Python that it holds numbers of Python and of NumPy."""
        if owner.numpy or owner.var in self.context.known.either_lists:
            return
        of_python = scalars.wraps(owner.element) and is_of_python(value)
        if of_python and not fits(value, owner.element):
            self.context.refuse(node, MEETS)
        if of_python or (owner.element == INT and is_narrow(value)) or self.context.is_either(value):
            self.context.known.either_lists.add(owner.var)
            raise Again

    def rows_have(self, owner: ListObject, lengths: tuple[Expr, ...], node: ast.AST) -> None:
        """Note the length of a row that was made; it has to be the same for all rows."""
        if owner.columns is None:
            if owner.asked:
                self.context.refuse(node, f"a list whose rows are used further up, before one is put there; {ROWS}")
            if any(self.context.born.get(var, 0) > owner.born for expr in lengths for var in free_vars(expr)):
                self.context.refuse(node, f"rows whose length is found out row by row; {ROWS}")
            owner.columns = lengths
            return
        for one, other in zip(owner.columns, lengths, strict=True):
            if self.context.polynomial(one) != self.context.polynomial(other):
                self.context.refuse(node, f"rows of different lengths in one list; {ROWS}")

    # Reading

    def subscript(self, node: ast.Subscript) -> Value:
        """`x[i]`, `x[i][j]`, `x[i, j]`, `x[a:b]`."""
        owner = self.expressions.value(node.value)
        if isinstance(owner, Items):
            return self._item(owner, node)
        if self.context.above.arrays.is_array(owner):
            assert isinstance(owner, View | Section | Whole)
            return self.context.above.arrays.index(owner, node.slice, node)
        if isinstance(owner, Iteration):
            zero = self.loops.by_zero(owner)
            return zero.item(self.index(node.slice, lambda: self.loops.rounds(zero)))
        if isinstance(owner, Expr) and (items := items_of(owner)) is not None:
            return self._item(items, node)
        if isinstance(owner, Expr) and is_row(type_of(owner)):
            return self.rows.entry(owner, node)
        if isinstance(owner, Expr) and type_of(owner) == STRING:
            self.context.refuse(node, f"a part of a string; {scalars.IDENTITIES}")
        if not isinstance(owner, View):
            message = f"{ast.unparse(node.value)!r} is subscripted but is no list; annotate it as a list, or as an array"
            self.context.refuse(node, message)
        return self.at_indices(owner, node.slice, node)

    def _item(self, owner: Items, node: ast.Subscript) -> Value:
        if isinstance(node.slice, ast.Slice):
            return Items(owner.items[self._places(node.slice)])
        place = self.expressions.scalar(node.slice)
        if not isinstance(place, Const):
            number = self.expressions.as_integer(place, node.slice)
            return self._any_item(owner, self.as_index(number, lambda: Const(len(owner.items), INT)), node)
        if not -len(owner.items) <= place.value < len(owner.items):
            self.context.refuse(node, f"item {place.value} of a tuple that has {len(owner.items)}")
        item = owner.items[int(place.value)]
        if isinstance(item, Clash):
            self.context.refuse(node, f"{ast.unparse(node)!r} {item.text}")
        return item

    def _places(self, node: ast.Slice) -> slice:
        """The slice of a tuple, which says how long the part is."""
        bounds = []
        for bound in (node.lower, node.upper, node.step):
            value = None if bound is None else self.expressions.scalar(bound)
            if value is not None and not isinstance(value, Const):
                self.context.refuse(node, f"the slice {ast.unparse(node)!r} of a tuple; supported are bounds that are numbers")
            bounds.append(None if value is None else int(value.value))
        if bounds[2] == 0:
            self.context.refuse(node, "a slice whose step is 0")
        return slice(*bounds)

    def _any_item(self, owner: Items, place: Expr, node: ast.Subscript) -> Value:
        """The item at a place that is computed: the last where it is none of the others, as a run that raises does not count."""
        if not 0 < len(owner.items) <= TABLE:
            self.context.refuse(node, f"an item of a tuple of {len(owner.items)} at a place that is not known; use a list")
        rows = [item.items for item in owner.items if isinstance(item, Items)]
        if len(rows) == len(owner.items) and len({len(row) for row in rows}) == 1:
            return Items(tuple(self._any_item(Items(column), place, node) for column in zip(*rows, strict=True)))
        *numbers, found = (self.expressions.as_scalar(item, node) for item in owner.items)
        for at, number in reversed(list(enumerate(numbers))):
            found = scalars.choose(Apply(Operator.EQ, (place, Const(at, INT))), number, found)
        return found

    def at_indices(self, owner: View, where: ast.expr, node: ast.AST) -> Value:
        """The part of a list at one index, several, or in a slice."""
        indices = where.elts if isinstance(where, ast.Tuple) else [where]
        if len(indices) > 1 and not owner.object.numpy:
            self.context.refuse(node, "x[i, j] on a list of lists; write x[i][j], or annotate x as np.ndarray")
        while indices and isinstance(indices[-1], ast.Slice) and len(indices) > 1 and _is_whole(indices[-1]):
            indices = indices[:-1]
        if len(indices) > owner.rank:
            self.context.refuse(node, f"{len(indices)} indices into {owner.rank} axes")
        found: Value = owner
        for at, each in enumerate(indices):
            if not isinstance(found, View):
                self.context.refuse(node, "an index into a number; annotate the list with the axes that it has")
            if isinstance(each, ast.Slice):
                return self._along(found, each, indices[at + 1 :], node)
            found = self.context.element(found, self._index(found, each))
        return found

    def _index(self, view: View, node: ast.expr) -> Expr:
        return self.index(node, lambda: self.context.length(view))

    def _along(self, view: View, node: ast.Slice, rest: Sequence[ast.expr], node_: ast.AST) -> Iteration:
        """A slice, of which with `rest` each row is indexed further: a column."""
        values = self.loops.sliced(view, node)
        if not rest:
            return values
        if len(rest) > 1 or isinstance(rest[0], ast.Slice):
            self.context.refuse(node_, "a slice of several axes; write the loops over it")
        inner = View(view.object, (*view.prefix, ZERO))
        column = self.context.frozen(self._index(inner, rest[0]))

        def item(index: Expr) -> Value:
            row = values.item(index)
            assert isinstance(row, View)
            return self.context.element(row, column)

        return replace(values, item=item)

    # Indices

    def index(self, node: ast.expr, length: Callable[[], Expr]) -> Expr:
        """An index, which counts from the end where it is negative."""
        return self.as_index(self.expressions.integer(node), length)

    def as_index(self, expr: Expr, length: Callable[[], Expr]) -> Expr:
        """The integer as an index."""
        if self.context.is_natural(expr):
            return expr
        if isinstance(expr, Const) or self.context.is_natural(scalars.add(Operator.SUB, scalars.negative(expr), Const(1, INT))):
            return scalars.add(Operator.ADD, length(), expr)
        if self.relies_on_naturals(expr):
            raise Again
        return scalars.ite_index(expr, length())

    def relies_on_naturals(self, expr: Expr) -> bool:
        """Inside of a loop, an index that is not negative if some int parameters are not: these are relied on to be so."""
        if self.context.nesting == 0:
            return False
        found = self.context.polynomial(expr).free_vars
        numbers = [var for var in self.context.naturals() if var in found and not self.context.is_natural(var)]
        facts = (*self.context.point.facts, *(Polynomial.of(var) for var in numbers))
        if not numbers or not not_negative(self.context.polynomial(expr), facts):
            return False
        self.context.known.naturals |= {var.name for var in numbers}
        return True

    # Writing

    def _refuse_change(self, owner: Value, node: ast.Subscript) -> NoReturn:
        if isinstance(owner, Expr) and is_row(type_of(owner)):
            changed = f"{{**{ast.unparse(node.value)}, {ast.unparse(node.slice)}: ...}}"
            self.context.refuse(node, f"a row that is changed, which others may have by another name; make a new one: {changed}")
        made = "make a list of the characters of a string, and annotate what is a list as one"
        self.context.refuse(node, f"{ast.unparse(node.value)!r} is set at an index but is no list; {made}")

    def assign_subscript(self, node: ast.Subscript, value: Value) -> None:
        """`x[i] = v`; a whole row or slice is copied."""
        owner = self.expressions.value(node.value)
        if self.context.above.arrays.is_array(owner):
            assert isinstance(owner, View | Section | Whole)
            self.context.above.arrays.assign(owner, node.slice, value, node)
            return
        if not isinstance(owner, View) or owner.object.kind == "str":
            self._refuse_change(owner, node)
        self.changed.add(owner.object)
        if isinstance(node.slice, ast.Slice):
            if not _is_whole(node.slice):
                self.context.refuse(node, "an assignment to a part of a list; write a loop, or assign to x[:]")
            self._replace(owner, value, node)
            if owner.rank > 1:
                self.leave_rows(owner.object, node)
            return
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(each, ast.Slice) and not _is_whole(each) for each in indices):
            self.context.refuse(node, "an assignment to a part of a row; write a loop")
        part = self.at_indices(owner, _with_last_taken(node.slice), node) if len(indices) > 1 else owner
        if not isinstance(part, View):
            self.context.refuse(node, "more indices than the list has axes")
        index = self._index(part, indices[-1]) if not isinstance(indices[-1], ast.Slice) else None
        if index is None:
            self._replace(part, value, node)
        elif part.rank > 1:
            row = self.context.element(part, index)
            assert isinstance(row, View)
            self._replace(row, value, node)
            self.leave_rows(row.object, node)
        else:
            self.put(part, index, self.as_element(value, part.object, node), node)

    def _replace(self, view: View, value: Value, node: ast.AST) -> None:
        """Copy the elements of a list of the same length over those of another, as a slice assignment does."""
        if not view.object.numpy and not (isinstance(value, View) and self.is_fresh(value)):
            if isinstance(value, View) and view.prefix or view.rank > 1:
                message = "a row that is replaced by another list, which both then share; copy its elements in a loop"
                self.context.refuse(node, message)
        if isinstance(value, View):
            value = self.loops.over(value)
        if not isinstance(value, Iteration):
            self.context.refuse(node, "a row or slice that is set to something else than a list; write a loop")
        source = self.loops.by_zero(value)
        if self.context.polynomial(source.stop) != self.context.polynomial(self.context.length(view)):
            self.context.refuse(node, "a row or slice that is set to a list that may have another length; write a loop")
        if any(part.object is view.object for part in source.views):
            source = self.loops.over(self.copied(source, node, "copy"))
        self.copy(view, source, node)

    def leave_rows(self, owner: ListObject, node: ast.AST) -> None:
        """A list gets another row: what had the old one by a name of its own is no part of the list any more."""
        if owner.numpy:
            return
        if any(part.object is owner and part.prefix for iteration in self.loops.running for part in iteration.views):
            self.context.refuse(node, "a row that is replaced while a loop runs over a row; copy the elements in a loop")
        for name, value in list(self.context.env.items()):
            if _has_row(value, owner):
                self.context.env[name] = Clash(name)

    def is_fresh(self, value: View) -> bool:
        """Whether no name stands for a list, or may."""
        if self.context.point.sharing.of(value.object.site):
            return False
        named = (other.object for each in self.context.env.values() for other in _views(each))
        return value.object.local and all(each is not value.object for each in named)

    def copy(self, view: View, source: Iteration, node: ast.AST) -> None:
        """view[k] = source[k] for each k; the source counts from 0."""

        def item(index: Expr) -> Value:
            value = source.item(index)
            if isinstance(value, View | Iteration):
                row = self.context.element(view, index)
                if not isinstance(row, View):
                    self.context.refuse(node, "arrays of several axes in a list of rows; supported are rows of numbers")
                inner = self.loops.by_zero(self.loops.over(value) if isinstance(value, View) else value)
                self.copy(row, inner, node)
                self.rows_have_at(row, inner, node)
            else:
                self.put(view, index, self.as_element(value, view.object, node), node)
            return NoneValue()

        self.loops.loop(replace(source, item=item), node, [], lambda _: None, tag=f"copy{len(view.prefix)}")

    def rows_have_at(self, row: View, inner: Iteration, node: ast.AST) -> None:
        """Note how long a row is that was copied into a local list."""
        if row.object.local and not row.object.numpy:
            self.rows_have(row.object, (self.loops.rounds(inner),), node)

    def copied(self, source: Iteration, node: ast.AST, hint: str) -> View:
        """A new list of the values."""
        source = self.loops.by_zero(source)
        probe = self._rank_of(source)
        made = self.make(node, hint, probe, self._element_of(source))
        self.copy(made, source, node)
        self.context.env[made.object.length] = self.loops.rounds(source)
        if probe > 1:  # a copy has the same rows
            views = (view for view in source.views if not view.object.numpy)
            self.same_rows += [(view.object, made.object, self.context.here(node)) for view in views]
        return made

    def copied_slice(self, source: Iteration, node: ast.AST, hint: str) -> View:
        """A new list, or string, of the values of a slice of one."""
        made = self.copied(source, node, hint)
        made.object.kind = source.views[0].object.kind if len(source.views) == 1 else ""
        return made

    @staticmethod
    def _rank_of(source: Iteration) -> int:
        return source.views[0].rank if source.views and len({view.rank for view in source.views}) == 1 else 1

    @staticmethod
    def _element_of(source: Iteration) -> ScalarType:
        return source.views[0].object.element if source.views else INT


def _views(value: Value) -> Iterator[View]:
    """The list that a value is, or those in a tuple."""
    if isinstance(value, Items):
        for item in value.items:
            yield from _views(item)
    if isinstance(value, View):
        yield value


def _has_row(value: Value, owner: ListObject) -> bool:
    """Whether it is a row of the list, or a tuple with one."""
    if isinstance(value, Items):
        return any(_has_row(item, owner) for item in value.items)
    return isinstance(value, View) and value.object is owner and bool(value.prefix)


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Slice) and node.lower is None and node.upper is None and node.step is None


def _with_last_taken(node: ast.expr) -> ast.expr:
    """The indices without the last one."""
    assert isinstance(node, ast.Tuple)
    return node.elts[0] if len(node.elts) == 2 else ast.copy_location(ast.Tuple(node.elts[:-1], ast.Load()), node)
