"""The cells that a summary writes, and what is in them in the end, in terms of what was there at entry."""

from __future__ import annotations

from dataclasses import dataclass, field

from metalift.driver import CannotWrite
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most
from metalift.ir.expr.nodes import TRUE, Apply, Expr, Ite, Length, Operator, Select, Update, Var, integer
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import map_children, substitute
from metalift.ir.program.summary import Summary


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of an array at these indices, for binders below their extents, and their values.

    `requires` says that there are so many.
    """

    array: Var
    binders: tuple[Var, ...]
    extents: tuple[Expr, ...]
    indices: tuple[Expr, ...]
    value: Expr
    requires: tuple[Expr, ...] = ()


@dataclass
class Versions:
    """The versions of arrays by their names."""

    summary: Summary
    known: dict[Var, Expr] = field(init=False)

    def __post_init__(self) -> None:
        """Bindings by their variables."""
        self.known = {binding.var: binding.value for binding in self.summary.bindings}

    def inlined(self, expr: Expr) -> Expr:
        """The expression in terms of the parameters: intermediates and cells of versions replaced by what they are."""
        match expr:
            case Var() if expr in self.known and not isinstance(expr.type, TensorType):
                return self.inlined(self.known[expr])
            case Select(Var(_, TensorType()) as version, indices) if version in self.known:
                return self.cell(self.known[version], tuple(map(self.inlined, indices)))
            case _:
                return map_children(self.inlined, expr)

    def cell(self, value: Expr, indices: tuple[Expr, ...]) -> Expr:
        """A cell of a version: what the last update that covers it says."""
        if isinstance(value, Var):
            return self.cell(self.known[value], indices) if value in self.known else Select(value, indices)
        if not isinstance(value, Update) or value.guard != TRUE:
            raise CannotWrite("an array that is written where a condition holds")
        found = inverse(value, indices)
        if found is None:
            raise CannotWrite("an array that is read in another order than it was written before")
        inside: list[Expr] = []
        for binder, extent in zip(value.binders, value.extents, strict=True):
            at, limit = Polynomial.of(found[binder]), Polynomial.of(extent)
            inside += [Apply(Operator.LE, (integer(0), at.to_expr())), Apply(Operator.LT, (at.to_expr(), limit.to_expr()))]
        here = self.inlined(substitute(value.value, dict(found)))
        cond = inside[0]
        for part in inside[1:]:
            cond = Apply(Operator.AND, (cond, part))
        return Ite(cond, here, self.cell(value.base, indices))

    def cells(self, value: Expr) -> list[Cells]:
        """What becomes of an array: rectangles of cells, of which later ones are written over earlier ones."""
        while isinstance(value, Var) and value in self.known:
            value = self.known[value]
        if not isinstance(value, Update) or value.guard != TRUE:
            raise CannotWrite("an array is written where a condition holds")
        base = value.base
        while isinstance(base, Var) and base in self.known:
            base = self.known[base]
        array = base
        while isinstance(array, Update):
            array = self.root(array.base)
        assert isinstance(array, Var)
        if isinstance(base, Update):
            whole = self.over(array, base, value)
            if whole is not None:
                return [whole]
        last = Cells(array, value.binders, value.extents, value.indices, plain(self.inlined(value.value), value))
        return [*self.cells(base), last] if isinstance(base, Update) else [last]

    def root(self, value: Expr) -> Expr:
        """The value that a name stands for."""
        while isinstance(value, Var) and value in self.known:
            value = self.known[value]
        return value

    def over(self, array: Var, base: Update, last: Update) -> Cells | None:
        """What the last update makes of the cells that the one before it wrote, where these are all that it changes."""
        if last.extents == (Length(array),) and last.indices == last.binders:
            return self.over_part(array, base, last)
        if isinstance(self.root(base.base), Update) or base.guard != TRUE:
            return None
        if [Polynomial.of(e) for e in base.indices] == [Polynomial.of(e) for e in last.indices] and base.extents == last.extents:
            return Cells(array, last.binders, last.extents, last.indices, plain(self.inlined(last.value), last))
        return None

    def over_part(self, array: Var, base: Update, last: Update) -> Cells | None:
        """The same where the last update goes over all cells, and the ones before it over one rectangle of them."""
        before = self.cells(base)
        if len(before) != 1:
            return None
        ((position,), (part,)) = last.binders, before
        size = Polynomial.constant(1)
        for extent in part.extents:
            size = size * Polynomial.of(extent)
        value = plain(self.inlined(substitute(last.value, {position: part.indices[0]})), part)
        requires = dict.fromkeys((*part.requires, at_most(size.to_expr(), Length(array))))
        return Cells(array, part.binders, part.extents, part.indices, value, tuple(requires))


def plain(value: Expr, window: Update | Cells) -> Expr:
    """The value without conditions that hold for all binders of the window, which is inside of the array."""
    known = {Apply(Operator.LE, (integer(0), binder)) for binder in window.binders}
    known |= {
        Apply(Operator.LT, (binder, Polynomial.of(extent).to_expr()))
        for binder, extent in zip(window.binders, window.extents, strict=True)
    }
    if isinstance(window, Cells):
        for axis, index in enumerate(window.indices):
            at = Polynomial.of(index).to_expr()
            known |= {Apply(Operator.LE, (integer(0), at)), Apply(Operator.LT, (at, Length(window.array, axis)))}

    def certain(cond: Expr) -> bool:
        if isinstance(cond, Apply) and cond.op is Operator.AND:
            return all(map(certain, cond.args))
        return cond in known

    def at_start(choice: Ite) -> bool:
        """It has another value at 0 only, where that is the same."""
        first = [binder for binder in window.binders if choice.cond == Apply(Operator.LT, (integer(0), binder))]
        return any(substitute(choice.then, {binder: integer(0)}) == choice.other for binder in first)

    def simple(expr: Expr) -> Expr:
        if isinstance(expr, Ite) and (certain(expr.cond) or at_start(expr)):
            return simple(expr.then)
        return map_children(simple, expr)

    return simple(value)


def inverse(update: Update, indices: tuple[Expr, ...]) -> dict[Var, Expr] | None:
    """The binders for which an update writes these cells: each axis by one binder, or flattened in the same way."""
    found: dict[Var, Expr] = {}
    for index, wanted in zip(update.indices, indices, strict=True):
        rest = Polynomial.of(wanted)
        affine = Polynomial.of(index).affine_in(update.binders)
        if affine is None:
            return None
        coefficients, constant = affine
        rest = rest - constant
        used = [(var, c) for var, c in coefficients.items() if c.terms]
        for var, coefficient in sorted(used, key=lambda each: -len(each[1].terms[0][0])):
            quotient, rest = rest.divide(coefficient)
            if found.setdefault(var, quotient.to_expr()) != quotient.to_expr():
                return None
        if rest.terms:
            return None
    return found if set(found) == set(update.binders) else None
