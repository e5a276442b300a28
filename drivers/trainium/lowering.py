"""From a program on tensors of any size to a kernel on tiles of at most 128 rows.

A vector of n elements is taken as rows of so many columns that it fills the rows of a tile, and one row of what is left; a
matrix as blocks. Sums over a vector go along the columns of a tile, then across its rows by a product with ones; sums over rows
and products of matrices go block by block.
Nothing here is trusted: the kernel is proved to compute the program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from metalift.driver import CannotWrite, Driver, Kernel, Request
from metalift.driver.expansion import expand
from metalift.ir.expr.build import at_most, conj, less, plus
from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Const, Expr, Fold, Operator, Var, integer, type_of
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT32, MachineInt
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.program.kernel import (
    COLUMN,
    ROW,
    Across,
    Divided,
    Fill,
    Invariant,
    Iota,
    Loop,
    Map,
    Output,
    Product,
    Reduce,
    Scan,
    Size,
    Space,
    When,
)
from metalift.ir.text import show

from .._tiles.conditions import Site
from .._tiles.lowering import Lowering, columns_at
from .._tiles.sizes import ONE, bounds, ceiling, div, mod, number_type, product, single, sub, times, type_scalar
from .._tiles.values import BY_ROWS, GROUPED, PLACES, PLACES_OF_ROWS, SCANS, plain
from .operators import ACTIVATIONS, BANK, EXACT, ROWS, machine

SUMS = frozenset({"total_rows", "total_groups"})
Places = Callable[[Expr], tuple[tuple[Expr, ...], tuple[Expr, ...]]]
"""The elements of both factors at a place of the axis that they share."""


class Kernels(Lowering):
    """Lowers one program; `columns` is how wide tiles are, those of a vector at most.

    With `products` sums of products, of which one factor is of the rows and one of the columns, are products of matrices.
    """

    def __init__(self, request: Request, driver: Driver, columns: int, products: bool = False) -> None:
        super().__init__(request, driver, machine(request.fragment), columns)
        self.products = products
        self.widths: dict[Expr, Size] = {}  # of tiles of vectors, by these vectors' lengths
        self.carries: dict[Expr, tuple[str, int | None]] = {}  # of running totals: the sums before a block, and bounds on terms

    def reduction(self, op: str, args: tuple[Expr, ...], expr: Expr, site: Site) -> str:
        if op == "matmul":
            single(type_scalar(expr))
            return self.matmul(args[0], args[1], expr, site)
        if op == "total_windows":
            single(type_scalar(expr))
            return self.windows(args[0], args[1], expr, site)
        if op in SUMS and (factors := self.factors(args[0])) is not None and len(site.index) + 1 == factors[2]:
            return self.summed(*factors[:2], expr, site)
        if op in SCANS:
            return self.running(args[0], expr, site)
        if op in PLACES | PLACES_OF_ROWS:
            return self.place(op, args[0], expr, site)
        return super().reduction(op, args, expr, site)

    def running(self, arg: Expr, expr: Expr, site: Site) -> str:
        """Running totals of a block, on top of the sum of those before it, which becomes that of the blocks up to it."""
        if expr not in self.carries:
            raise CannotWrite("running totals where they are not computed one block after the other")
        carry, bound = self.carries[expr]
        type_ = number_type(arg)
        source = self.number_tile(arg, site)
        ones = self.fresh("ones", site.rows, site.columns, type_)
        self.emit(Fill(ones, Const(Fraction(1), type_) if type_ == FLOAT else integer(1, INT32)))
        name = self.fresh("running", site.rows, site.columns, type_)
        self.emit(Scan(name, ones, source, carry, bound))
        part = self.fresh("part", site.rows, ONE, type_)
        self.emit(Reduce(part, Operator.ADD, source, bound))
        self.emit(Map(carry, "add", (carry, part)))
        return name

    def running_blocks(self, number: int, output: Output, value: Expr, scans: list[Call]) -> None:
        """A vector with running totals in it: one row, block after block."""
        (n,), (i,) = output.extents, output.places
        u = self.counter("u")
        start, width = times(self.columns, u), self.columns
        stated: list[Invariant] = []
        for each in scans:
            spec = expand(substitute(each, self.tensors), self.driver)
            if not isinstance(spec, Build) or not isinstance(spec.body, Fold):
                raise CannotWrite("a running total that is not one fold")
            first = Site(ONE, ONE, (integer(0),), self.names(each.args[0]))
            acc, bound = self.begun(Operator.ADD, each.args[0], each, first, n)
            self.carries[each] = acc, bound
            before, after = (self.so_far(spec.body, Operator.ADD, count) for count in (start, n))
            stated.append(Invariant(acc, before, after, bounds(Operator.ADD, bound, start, n)))
        columns, at = columns_at(n, u, width)
        with self.block() as inner:
            site = Site(ONE, columns, (at,), tuple(zip(output.places, output.extents, strict=True)))
            self.stored(number, value, site, {u: div(i, width), COLUMN: mod(i, width)}, at_most(integer(0), i))
        self.emit(Loop(u, ceiling(n, width), tuple(inner.body), tuple(stated)))

    def place(self, op: str, arg: Expr, expr: Expr, site: Site) -> str:
        """The place of an extreme along the last axis, in a column: where it is in a block, if that replaces those before.

        Elements are taken as floats, for the least negated. Blocks number their places, downwards where the first is wanted.
        """
        if site.columns != ONE or len(site.index) + 1 != len(self.extents(arg)) and site.index != (integer(0),):
            raise CannotWrite("places of extremes where no column of them is computed")
        if isinstance(kind := type_scalar(expr), MachineInt) and kind.bits != INT32.bits:
            raise CannotWrite("places of extremes as other integers than of 32 bits")
        site = replace(site, index=site.index if op in BY_ROWS else (), rows=site.rows if op in BY_ROWS else ONE)
        last, sign = op.startswith("last_"), 1 if op.startswith("last_") else -1
        spec, whole = self.place_so_far(op, arg, expr, site)
        *_, n = self.extents(arg)
        self.condition(at_most(n, integer(EXACT)), site)
        best = self.fresh("best", site.rows, ONE, FLOAT)
        first = replace(site, index=(*site.index, integer(0)), places=self.names(arg))
        self.emit(Map(best, "copy", (self.floats(op, arg, first),)))
        place = self.fresh("place", site.rows, ONE, INT32)
        self.emit(Fill(place, integer(0, INT32)))
        u, column = self.counter("u"), replace(site, columns=ONE)
        columns, at = columns_at(n, u, self.columns)
        start = times(self.columns, u)
        with self.block() as inner:
            block = replace(first, columns=columns, index=(*site.index, at))
            values = self.floats(op, arg, block)
            most = self.fresh("most", site.rows, ONE, FLOAT)
            self.emit(Reduce(most, Operator.MAX, values))
            numbers = self.fresh("numbers", site.rows, columns, INT32)
            self.emit(Iota(numbers, times(sign, start), sign))
            there = self.map("equal", (values, most), BOOL, block)
            chosen = self.map("select", (there, numbers, integer(-EXACT, INT32)), INT32, block)
            found = self.fresh("found", site.rows, ONE, INT32)
            self.emit(Reduce(found, Operator.MAX, chosen, EXACT))
            taken = self.map("less_equal" if last else "less", (best, most), BOOL, column)
            self.emit(Map(place, "select", (taken, found, place)))
            self.emit(Map(best, "maximum", (best, most)))
        before = sub(start, ONE)
        stated = (
            Invariant(best, self.so_far(whole, Operator.MAX, start), whole),
            Invariant(place, signed(spec, before, sign), signed(spec, spec.extent, sign), (integer(EXACT), integer(EXACT))),
        )
        self.emit(Loop(u, ceiling(n, self.columns), tuple(inner.body), stated))
        if not last:
            place = self.map("negate", (place,), INT32, column)
        return self.map("copy", (place,), type_scalar(expr), column)

    def floats(self, op: str, arg: Expr, site: Site) -> str:
        """The elements at a site as floats, negated where the least is wanted."""
        tile = self.as_tile(self.value(arg, site), type_scalar(arg), site)
        if type_scalar(arg) != FLOAT:
            tile = self.map("copy", (tile,), FLOAT, site)
        return self.map("negate", (tile,), FLOAT, site) if "least" in op else tile

    def place_so_far(self, op: str, arg: Expr, expr: Expr, site: Site) -> tuple[Fold, Fold]:
        """The folds for the place of the extreme, and for the greatest of what it is the place of."""
        spec = expand(substitute(expr, self.tensors), self.driver)
        value = expand(substitute(arg, self.tensors), self.driver)
        if isinstance(spec, Build):
            spec = substitute(spec.body, dict(zip(spec.binders, site.index, strict=True)))
        if not isinstance(spec, Fold) or not isinstance(value, Build):
            raise CannotWrite("a place of an extreme that is not one fold")
        index, acc = Var("each", INT), Var("most", FLOAT)

        def element(at: Expr) -> Expr:
            assert isinstance(value, Build)
            found = substitute(value.body, dict(zip(value.binders, (*site.index, at), strict=True)))
            found = found if type_of(found) == FLOAT else Cast(found, FLOAT)
            return Apply(Operator.NEG, (found,)) if "least" in op else found

        later = Apply(Operator.MAX, (acc, element(plus(index, ONE))))
        return spec, Fold(spec.extent, element(integer(0)), acc, index, later)

    def windows(self, a: Expr, b: Expr, expr: Expr, site: Site) -> str:
        """A block of sums of products over two axes, one after the other: blocks that are moved by one, times a number."""
        if len(site.index) != 2:
            raise CannotWrite("sums over windows where no block of them is computed")
        whole = expand(substitute(expr, self.tensors), self.driver)
        outer = substitute(whole.body, dict(zip(whole.binders, site.index, strict=True))) if isinstance(whole, Build) else whole
        if not (isinstance(outer, Fold) and isinstance(outer.body, Fold) and outer.body.init == outer.acc):
            raise CannotWrite("a sum over windows that is not one fold that goes on in another")
        m, n = self.extents(b)
        acc = self.fresh("windows", site.rows, site.columns, FLOAT)
        self.emit(Fill(acc, Const(Fraction(0), FLOAT)))
        i, j = self.counter("i"), self.counter("j")
        with self.block() as body:
            place = (*site.index, i, j)
            left = self.as_tile(self.value(a, Site(site.rows, site.columns, place, self.names(a))), FLOAT, site)
            number = Site(site.rows, ONE, (i, j), self.names(b))
            right = self.as_tile(self.value(b, number), FLOAT, number)
            self.emit(Map(acc, "add", (acc, self.map("multiply", (left, right), FLOAT, site))))
        rows = self.so_far(outer, Operator.ADD, i)
        row = substitute(outer.body, {outer.index: i, outer.acc: rows})
        along = Loop(j, n, tuple(body.body), (Invariant(acc, self.so_far(row, Operator.ADD, j), row),))
        self.emit(Loop(i, m, (along,), (Invariant(acc, rows, outer),)))
        return acc

    def spread(self, row: str, site: Site) -> str:
        """A tile of one row, of one column or of all, for every row: a product with ones."""
        if site.rows == ONE:
            return row
        columns = self.columns_in(row)
        if columns != ONE and self.columns > BANK:
            raise CannotWrite(f"a row of {self.columns} columns to be spread: a bank of PSUM has {BANK}")
        type_ = self.tile(row).type
        if type_ != FLOAT:  # integers are floats without loss where they are exact
            row = self.map("copy", (row,), FLOAT, replace(site, rows=ONE, columns=columns))
        ones = self.fresh("ones", ONE, site.rows, FLOAT)
        self.emit(Fill(ones, Const(Fraction(1), FLOAT)))
        sums = self.fresh("spread", site.rows, columns, FLOAT, Space.SUMS)
        self.emit(Product(sums, ones, row))
        name = self.fresh("all_rows", site.rows, columns, type_)
        self.emit(Map(name, "copy", (sums,)))
        return name

    def narrow_domain(self, op: str, args: tuple[Expr, ...], site: Site) -> None:
        """The argument of an activation is in its range."""
        function, arg = plain(op), args[0]
        if function in ACTIVATIONS:
            least, most = (Const(Fraction(2) ** power, FLOAT) for power in ACTIVATIONS[function])
            low, high = ACTIVATIONS[function]
            value = self.at_places(arg, site)
            text = f"2**{low} <= {show(value)} <= 2**{high}, which {function} needs on the chip"
            self.condition(conj(at_most(least, value), at_most(value, most)), site, text)

    def width_of(self, n: Expr) -> Expr:
        """How many columns tiles of a vector of that length have: so many that it fills as many rows as there are."""
        if isinstance(n, Const):
            return integer(self.columns)
        if n not in self.widths:
            self.widths[n] = Size(self.counter("width"), ceiling(n, ROWS), 1, self.columns)
        return self.widths[n].var

    @staticmethod
    def rows_from(n: Expr, width: Expr, t: Var) -> tuple[Expr, Expr, Expr]:
        """How many full rows of a width a vector has, how many of them the t-th tile has, and where its elements are."""
        full = div(n, width)
        rows = Apply(Operator.MIN, (integer(ROWS), sub(full, times(ROWS, t))))
        return full, rows, plus(product(width, plus(times(ROWS, t), ROW)), COLUMN)

    def kernel(self) -> Kernel:
        return replace(super().kernel(), sizes=tuple(self.widths.values()))

    def whole(self, op: str, arg: Expr, expr: Expr) -> str:
        """A sum or maximum of a vector, in a tile of one element."""
        (n,), places = self.extents(arg), self.names(arg)
        spec = expand(substitute(expr, self.tensors), self.driver)
        kind = Operator.MAX if op == "greatest" else Operator.ADD
        if self.group_of(arg) is not None:
            return self.along(kind, arg, expr, Site(ONE, ONE, (), places), spec)
        acc, bound = self.begun(kind, arg, expr, Site(ONE, ONE, (integer(0),), places), n)
        t = self.counter("t")
        width = self.width_of(n) if bound is None else integer(self.columns)  # that integers are exact proves too slowly else
        full, rows, index = self.rows_from(n, width, t)
        with self.block() as inner:
            self.emit(Divided(width, plus(times(ROWS, t), ROW), COLUMN, rows, width))
            self.part(acc, arg, (kind, bound), Site(rows, width, (index,), places))
        ends = (product(width, times(ROWS, t)), product(width, full))
        begins, after = (self.so_far(spec, kind, at) for at in ends)
        stated = Invariant(acc, begins, after, bounds(kind, bound, *ends))
        self.emit(Loop(t, ceiling(full, ROWS), tuple(inner.body), (stated,)))
        rest = mod(n, width)
        with self.block() as inner:
            self.part(acc, arg, (kind, bound), Site(ONE, rest, (plus(product(width, full), COLUMN),), places))
        self.emit(When(less(integer(0), rest), tuple(inner.body)))
        return acc

    def part(self, acc: str, arg: Expr, how: tuple[Operator, int | None], site: Site) -> None:
        """The elements at a site, reduced and combined with the others."""
        (kind, bound), type_ = how, number_type(arg)
        column = self.fresh("part", site.rows, ONE, type_)
        self.emit(Reduce(column, kind, self.number_tile(arg, site), bound))
        if site.rows != ONE:
            if kind is Operator.ADD and type_ == FLOAT:
                ones = self.fresh("ones", site.rows, ONE, FLOAT)
                self.emit(Fill(ones, Const(Fraction(1), FLOAT)))
                sums = self.fresh("sum", ONE, ONE, FLOAT, Space.SUMS)
                self.emit(Product(sums, column, ones))
                column = sums
            else:
                found = self.fresh("most" if kind is Operator.MAX else "sum", ONE, ONE, type_)
                self.emit(Across(found, kind, column))
                column = found
        self.emit(Map(acc, "add" if kind is Operator.ADD else "maximum", (acc, column)))

    def factors(self, arg: Expr) -> tuple[Expr, Expr, int] | None:
        """The factors of products of floats along the last axis, of the rows and of the columns, and how many axes they have."""
        value = substitute(arg, self.tensors)
        if not self.products or not isinstance(value, Call) or value.function != "multiply" or type_scalar(value) != FLOAT:
            return None
        whole = expand(value, self.driver)
        parts = [expand(each, self.driver) for each in value.args]
        if not isinstance(whole, Build) or len(whole.binders) not in (2, 3):
            return None
        if not all(isinstance(part, Build) for part in parts):
            return None
        built = [part for part in parts if isinstance(part, Build)]
        uses = [{at for at, var in enumerate(part.binders) if var in free_vars(part.body)} for part in built]
        middle = set(range(1, len(whole.binders) - 1))
        for one, two in ((0, 1), (1, 0)):
            if not uses[one] & middle and 0 not in uses[two]:
                return value.args[one], value.args[two], len(whole.binders)
        return None

    def width(self, value: Expr) -> int:
        """As wide as tiles of products are, where sums of the last axis are such."""
        whole = substitute(value, self.tensors)
        grouped = [part for part in subexpressions(whole) if isinstance(part, Call) and part.function in GROUPED]
        if grouped and all(part.function in SUMS and self.factors(part.args[0]) is not None for part in grouped):
            return self.columns
        return super().width(value)

    def summed(self, left: Expr, right: Expr, expr: Expr, site: Site) -> str:
        """Sums of products along the last axis: of a factor that has no columns and one that has no rows."""
        *_, n = self.extents(left)
        row, *column = site.index
        first = tuple(substitute(each, {COLUMN: integer(0)}) for each in column)

        def places(at: Expr) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
            return (substitute(row, {ROW: COLUMN}), *first, at), (substitute(row, {ROW: integer(0)}), *column, at)

        return self.blocks_summed(left, right, places, n, expr, site)

    def matmul(self, a: Expr, b: Expr, expr: Expr, site: Site) -> str:
        """A block of a product of matrices."""
        if len(site.index) != 2:
            raise CannotWrite("a product of matrices where no block of it is computed")
        n, _ = self.extents(b)
        row, column = site.index
        return self.blocks_summed(a, b, lambda at: ((substitute(row, {ROW: COLUMN}), at), (at, column)), n, expr, site)

    def blocks_summed(self, a: Expr, b: Expr, places: Places, n: Expr, expr: Expr, site: Site) -> str:
        """A block of products, summed in PSUM over blocks of the axis that the factors share."""
        if self.columns > BANK:
            raise CannotWrite(f"blocks of {self.columns} columns: a bank of PSUM has {BANK}")
        spec = expand(substitute(expr, self.tensors), self.driver)
        acc = self.fresh("product", site.rows, site.columns, FLOAT, Space.SUMS)
        self.emit(Fill(acc, Const(Fraction(0), FLOAT)))
        k = self.counter("k")
        start = times(ROWS, k)
        size = Apply(Operator.MIN, (integer(ROWS), sub(n, start)))
        with self.block() as inner:
            at = plus(start, ROW)
            of_rows, of_columns = places(at)
            left = Site(size, site.rows, of_rows, self.names(a))
            right = Site(size, site.columns, of_columns, self.names(b))
            stationary = self.as_tile(self.value(a, left), FLOAT, left)
            moving = self.as_tile(self.value(b, right), FLOAT, right)
            self.emit(Product(acc, stationary, moving))
        self.emit(Loop(k, ceiling(n, ROWS), tuple(inner.body), (self.sums(acc, spec, site, start),)))
        name = self.fresh("block", site.rows, site.columns, FLOAT)
        self.emit(Map(name, "copy", (acc,)))
        return name

    def rows_of_vector(self, number: int, output: Output, value: Expr) -> None:
        """A vector: full rows, 128 at a time, then the rest."""
        scans = [each for each in subexpressions(value) if isinstance(each, Call) and each.function in SCANS]
        if scans:
            self.running_blocks(number, output, value, list(dict.fromkeys(scans)))
            return
        (n,), (i,) = output.extents, output.places
        places = tuple(zip(output.places, output.extents, strict=True))
        width, t = self.width_of(n), self.counter("t")
        full, rows, index = self.rows_from(n, width, t)
        row, whole = div(i, width), product(width, full)
        with self.block() as inner:
            self.emit(Divided(width, plus(times(ROWS, t), ROW), COLUMN, rows, width))
            inverse = {t: div(row, ROWS), ROW: mod(row, ROWS), COLUMN: mod(i, width)}
            self.stored(number, value, Site(rows, width, (index,), places), inverse, less(i, whole))
        self.emit(Loop(t, ceiling(full, ROWS), tuple(inner.body)))
        rest = mod(n, width)
        with self.block() as inner:
            site = Site(ONE, rest, (plus(whole, COLUMN),), places)
            self.stored(number, value, site, {COLUMN: sub(i, whole)}, at_most(whole, i))
        self.emit(When(less(integer(0), rest), tuple(inner.body)))

    def sums(self, acc: str, spec: Expr, site: Site, start: Expr) -> Invariant:
        """The sums of so many terms, and the whole ones."""
        if not isinstance(spec, Build):
            raise CannotWrite("a sum that is not one fold")
        whole = substitute(spec.body, dict(zip(spec.binders, site.index, strict=True)))
        before = self.so_far(whole, Operator.ADD, start)
        return Invariant(acc, before, whole)


def signed(place: Fold, extent: Expr, sign: int) -> Expr:
    """The place after so many steps, or that many places downwards."""
    fold = Fold(extent, place.init, place.acc, place.index, place.body)
    found = fold if type_of(fold) == INT32 else Cast(fold, INT32)
    return found if sign > 0 else Apply(Operator.NEG, (found,))
