"""From a summary to a program in index notation: which arrays are which tensor, in which format.

What is found here is proved afterwards, as any program is; nothing rests on how it was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from metalift.driver import CannotWrite, Driver
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most
from metalift.ir.expr.nodes import (
    TRUE,
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Fold,
    Length,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import INT, RealType, ScalarType, TensorType, Type, is_integer
from metalift.ir.expr.walk import free_vars, fresh_var, names, subexpressions, substitute
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary, TargetProgram, Write

from .binding import Binder
from .integers import exact
from .terms import Term, Terms
from .versions import Cells, Versions

LETTERS = "ijklrstuvw"


def find(summary: Summary, fragment: Fragment, driver: Driver) -> TargetProgram:
    """The program. Raises CannotWrite where the summary is not one in index notation."""
    return _Finder(summary, fragment, driver).program()


@dataclass
class _Finder:
    summary: Summary
    fragment: Fragment
    driver: Driver
    requires: dict[Expr, None] = field(default_factory=dict)

    def program(self) -> TargetProgram:
        """The whole."""
        versions = Versions(self.summary)
        writes, result = [], None
        for name, value in self.summary.outputs:
            if name == "return":
                result = self.value(versions.inlined(value), {}, self.scalar_type(type_of(value)))
                continue
            for cells in map(by_rows, versions.cells(value)):
                self.requires.update(dict.fromkeys(cells.requires))
                writes.append(self.write(cells))
        return TargetProgram((), tuple(writes), result, tuple(self.requires))

    def scalar_type(self, type_: Type) -> ScalarType:
        """The type of what is computed, which tensors of doubles can hold."""
        if not (isinstance(type_, RealType) or is_integer(type_)):
            raise CannotWrite(f"its tensors hold numbers, not {type_}")
        return type_  # type: ignore[return-value]

    def write(self, cells: Cells) -> Write:
        """What becomes of an array: a window of it, and the value in index notation."""
        named = {binder: Var(letter, INT) for binder, letter in zip(cells.binders, self.letters(), strict=False)}
        renamed = {binder: var for binder, var in named.items()}
        extents = tuple(substitute(extent, dict(renamed)) for extent in cells.extents)
        binders = tuple(named[binder] for binder in cells.binders)
        for extent in extents:
            self.positive(extent)
        indices = tuple(substitute(index, dict(renamed)) for index in cells.indices)
        self.steps(dict(zip(binders, extents, strict=True)), Select(cells.array, indices))
        array_type = cells.array.type
        assert isinstance(array_type, TensorType)
        element = self.scalar_type(array_type.element)
        value = self.value(substitute(cells.value, dict(renamed)), dict(zip(binders, extents, strict=True)), element)
        return Write(cells.array, Build(extents, binders, Select(cells.array, indices)), Build(extents, binders, value))

    def letters(self) -> list[str]:
        """Names for indices that no parameter has."""
        taken = {param.var.name for param in self.fragment.params}
        return [letter for letter in (*LETTERS, *(f"i{n}" for n in range(20))) if letter not in taken]

    def positive(self, extent: Expr) -> None:
        """A size is not negative."""
        if not isinstance(extent, Const | Length):
            self.requires[at_most(integer(0), extent)] = None

    def value(self, expr: Expr, indices: dict[Var, Expr], element: ScalarType) -> Expr:
        """A value of these output indices in index notation."""
        taken = {param.var.name for param in self.fragment.params} | {var.name for var in indices} | set(names(expr))
        found = Terms(set(taken)).of(expr)
        if is_integer(element) and found and (needed := exact(found, indices)) != TRUE:
            self.requires[needed] = None
        terms = [self.bound(term, indices) for term in found]
        if not terms:
            return Const(0, element)
        result: Expr | None = None
        for term in terms:
            made = self.term(term, element)
            result = made if result is None else Apply(Operator.ADD, (result, made))
        assert result is not None
        return result

    def bound(self, term: Term, indices: dict[Var, Expr]) -> Term:
        """The term over tensors: no positions, no conditions."""
        binder = Binder(self.driver, indices, self.letters(), self.spare())
        found = binder.bind(term)
        self.requires.update(dict.fromkeys(binder.requires))
        bound = set(indices) | {var for var, _ in found.sums}
        if any(not bound.isdisjoint(free_vars(extent)) for _, extent in found.sums):
            raise CannotWrite("a sum over a range that depends on another index")
        for factor in found.all_factors:
            self.whole({**indices, **dict(found.sums)}, factor)
            self.steps({**indices, **dict(found.sums)}, factor)
        return found

    def whole(self, extents: Mapping[Var, Expr], factor: Expr) -> None:
        """A dense array has all cells of its tensor, where the loops read those alone at which another one has stored cells."""
        if not (isinstance(factor, Select) and isinstance(factor.tensor, Var) and len(factor.indices) == 1):
            return
        size = Polynomial.constant(1)
        index = Polynomial.of(factor.indices[0])
        for var in sorted(extents, key=lambda each: len(index.coefficient(each).terms and index.coefficient(each).terms[0][0])):
            if var in index.atoms and index.coefficient(var) == size:
                size = size * Polynomial.of(extents[var])
        lengths = {atom for atom in size.atoms if any(isinstance(part, Length) for part in subexpressions(atom))}
        stated = self.summary.shapes.get(factor.tensor.name, ())
        if not lengths and size not in map(Polynomial.of, stated):
            self.requires[at_most(size.to_expr(), Length(factor.tensor))] = None

    def steps(self, extents: Mapping[Var, Expr], factor: Expr) -> None:
        """An array is read from a cell on that it has, in steps that are not negative."""
        for part in (part for part in subexpressions(factor) if isinstance(part, Select) and isinstance(part.tensor, Var)):
            for index in part.indices:
                parts = Polynomial.of(index).affine_in(extents)
                for size in (*parts[0].values(), parts[1]) if parts is not None else ():
                    if not size.is_constant and all(factor > 0 for _, factor in size.terms):
                        self.positive(size.to_expr())

    def spare(self) -> list[Var]:
        """Parameters that the source does not use."""
        values = [binding.value for binding in self.summary.bindings] + [value for _, value in self.summary.outputs]
        used = {var for value in values for var in free_vars(value)}
        return [param.var for param in self.fragment.params if param.var not in used]

    def term(self, term: Term, element: ScalarType) -> Expr:
        """The product, under its sums: factors that an index does not occur in are outside of its sum."""
        value = product([converted(factor, element) for factor in term.factors], element)
        for var, extent in reversed(term.sums):
            self.positive(extent)
            value = Call("total", (Build((extent,), (var,), value),), element)
        return product([*(converted(factor, element) for factor in term.outside), value], element)


def product(factors: Sequence[Expr], element: ScalarType) -> Expr:
    """The product of numbers of one type."""
    return reduce(lambda one, two: Apply(Operator.MUL, (one, two)), factors) if factors else Const(1, element)


def by_rows(cells: Cells) -> Cells:
    """Cells of a flat range by rows and columns, where the value compares them with those of a flattened matrix."""
    if cells.indices != cells.binders or len(cells.binders) != 1:
        return cells
    (flat,) = cells.binders
    sides = [Polynomial.of(side) for part in subexpressions(cells.value) for side in compared(part, flat)]
    for count, length, requires in (*parts_of(cells.extents[0], sides), *parts_of_all(cells, sides)):
        row = fresh_var(Var("i", INT), names(cells.value) | {flat.name})
        column = fresh_var(Var("j", INT), names(cells.value) | {flat.name, row.name})
        cell = (Polynomial.atom(row) * length + Polynomial.atom(column)).to_expr()
        value = substitute(cells.value, {flat: cell})
        extents = (count.to_expr(), length.to_expr())
        return Cells(cells.array, (row, column), extents, (cell,), value, (*cells.requires, *requires))
    return cells


Parts = tuple[Polynomial, Polynomial, tuple[Expr, ...]]
"""How many rows, of how many cells, and what that needs."""


def parts_of(extent: Expr, sides: Sequence[Polynomial]) -> Iterator[Parts]:
    """A range of so many rows, by a factor of its size."""
    size = Polynomial.of(extent)
    for length in (Polynomial.atom(factor) for monomial, _ in size.terms for factor in monomial):
        count, rest = size.divide(length)
        if not rest.terms and any(side.divide(length)[0].terms for side in sides):
            yield count, length, ()


def parts_of_all(cells: Cells, sides: Sequence[Polynomial]) -> Iterator[Parts]:
    """All cells of an array, of which those of some rows are compared with a row times its length: of as many rows as a sum's
    index has, or of all where coordinates say which row.
    """
    if cells.extents != (Length(cells.array),):
        return
    loops = {part.index: part.extent for part in subexpressions(cells.value) if isinstance(part, Fold)}
    needed: tuple[Expr, ...]
    rows: dict[Expr, None] = dict.fromkeys(loops)
    rows.update(dict.fromkeys(atom for side in sides for atom in sorted(side.atoms, key=repr) if isinstance(atom, Select)))
    for row in rows:
        for length in (side.coefficient(row) for side in sides):
            if length.terms and not length.is_constant and length.free_vars.isdisjoint(loops):
                if isinstance(row, Var):
                    count, needed = Polynomial.of(loops[row]), ()
                else:
                    count = Polynomial.atom(Apply(Operator.TDIV, (Length(cells.array), length.to_expr())))
                    needed = (at_most(integer(1), length.to_expr()),)
                yield count, length, (*needed, at_most((count * length).to_expr(), Length(cells.array)))


def compared(part: Expr, index: Var) -> tuple[Expr, ...]:
    """The sides of an equation of integers of which one is an index."""
    if isinstance(part, Apply) and part.op is Operator.EQ and is_integer(type_of(part.args[0])):
        return part.args if Polynomial.atom(index) in map(Polynomial.of, part.args) else ()
    return ()


def converted(factor: Expr, element: ScalarType) -> Expr:
    """A factor in the type of the result."""
    if type_of(factor) == element:
        return factor
    if isinstance(factor, Const):
        return Const(factor.value, element)
    return Cast(factor, element)
