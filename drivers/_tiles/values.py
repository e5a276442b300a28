"""The values of a program at places of its tensors, in tiles: loads, instructions, conditions on what they compute.

Nothing here is trusted: the kernel is proved to compute the program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction

from metalift.driver import CannotWrite, Driver, Request
from metalift.driver.expansion import expand
from metalift.ir.arith.intervals import interval
from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Length,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT32, MachineInt, ScalarType, TensorType, is_integer
from metalift.ir.expr.walk import children, free_vars, subexpressions, substitute
from metalift.ir.program.kernel import (
    COLUMN,
    ROW,
    Allocate,
    Expand,
    Fill,
    Idiom,
    Load,
    Machine,
    Map,
    Named,
    Space,
    Statement,
    Tile,
)
from metalift.ir.text import show

from .conditions import Conditions, Site
from .idioms import BITS, DIVIDEND, by_constant, long_division
from .sizes import (
    ONE,
    array_of,
    single,
    type_scalar,
)

OF_ROWS = {"total_rows": Operator.ADD, "integer_total_rows": Operator.ADD, "greatest_rows": Operator.MAX}
OF_GROUPS = {"total_groups": Operator.ADD, "integer_total_groups": Operator.ADD, "greatest_groups": Operator.MAX}
OF_LAST = OF_ROWS | OF_GROUPS  # reductions of the last axis
LEAST = {"least": "greatest", "least_rows": "greatest_rows", "least_groups": "greatest_groups"}  # negated of negated elements
GROUPED = frozenset({"least_groups", *OF_GROUPS})
PLACES = frozenset(f"{which}place_of_{extreme}" for which in ("", "last_") for extreme in ("greatest", "least"))
PLACES_OF_ROWS = frozenset(f"{each}_2d_axis1" for each in PLACES)
BY_ROWS = frozenset({"least_rows", *OF_ROWS}) | PLACES_OF_ROWS  # a number of each row
SCANS = frozenset({"running_totals", "integer_running_totals"})
WHOLE = frozenset({"total", "integer_total", "greatest", "matmul", "total_windows", *LEAST, *OF_GROUPS})
REDUCTIONS = WHOLE | PLACES | BY_ROWS | SCANS
BY_GROUPS = frozenset({"repeated", "repeated_evenly"})
LARGE = 1 << 16  # a bound on integers that are added up which says something
TERM = 1 << 12  # the magnitude of integers of which nothing is known that are added up
CHOOSING = frozenset({"minimum", "maximum", "select", "copy", "flag"})  # the result is as large as an operand


@dataclass
class _Block:
    """Statements being made, and the tiles of values that are known there."""

    body: list[Statement] = field(default_factory=list)
    known: dict[tuple[Expr, Site], str] = field(default_factory=dict)


class Values(Conditions, ABC):
    """Computes values of one program; `columns` is how wide tiles are."""

    def __init__(self, request: Request, driver: Driver, machine: Machine, columns: int) -> None:
        super().__init__(request, driver, machine)
        self.columns = columns
        self.lets = {let.var: let.value for let in request.program.lets}
        self.arrays = {param.var for param in request.fragment.params if isinstance(param.var.type, TensorType)}
        self.runtime: dict[Var, str] = {}
        self.blocks = [_Block()]
        self.count = 0
    # Statements

    def emit(self, statement: Statement) -> None:
        self.blocks[-1].body.append(statement)

    @contextmanager
    def block(self) -> Iterator[_Block]:
        """Statements of a loop or a condition."""
        made = _Block()
        self.blocks.append(made)
        try:
            yield made
        finally:
            self.blocks.pop()

    def fresh(self, stem: str, rows: Expr, columns: Expr, type_: ScalarType, space: Space = Space.WORK) -> str:
        """A new tile."""
        single(type_)
        name = self.named_after(stem)
        self.emit(Allocate(Tile(name, rows, columns, type_, space)))
        return name

    def counter(self, stem: str) -> Var:
        return Var(self.named_after(stem), INT)

    def named_after(self, stem: str) -> str:
        """A name that nothing has."""
        taken = {param.var.name for param in self.request.fragment.params}
        self.count += 1
        while f"{stem}_{self.count}" in taken:
            self.count += 1
        return f"{stem}_{self.count}"

    # Intermediates

    def let(self, var: Var, value: Expr) -> None:
        """A number that depends on arrays is computed once, tensors where they are used, other numbers outside of the kernel."""
        if isinstance(var.type, TensorType):
            self.tensors[var] = substitute(value, self.tensors)
        elif self.on_host(value):
            self.tensors[var] = substitute(value, self.tensors)
        else:
            site = Site(ONE, ONE, (), ())
            name = self.as_tile(self.value(substitute(value, self.tensors), site), type_scalar(value), site)
            self.emit(Named(name, var))
            self.runtime[var] = name
            self.named[var] = substitute(expand(substitute(value, self.tensors), self.driver), self.named)

    def on_host(self, value: Expr) -> bool:
        """Whether a number depends on parameters that are numbers only."""
        if isinstance(type_of(value), TensorType):
            return False
        value = substitute(value, self.tensors)
        return all(
            part not in self.runtime and not isinstance(type_of(part), TensorType)
            for part in subexpressions(value)
            if isinstance(part, Var)
        )

    # Values

    def value(self, expr: Expr, site: Site) -> str | Expr:
        """The tile that holds the elements at a site, or a number."""
        if isinstance(expr, Var) and expr in self.tensors:
            return self.value(self.tensors[expr], site)
        if self.on_host(expr):
            return expand(substitute(expr, self.tensors), self.driver)
        for block in reversed(self.blocks):
            if (expr, site) in block.known:
                return block.known[expr, site]
        made = self.computed(expr, site)
        if isinstance(made, str):
            self.blocks[-1].known[expr, site] = made
        return made

    def computed(self, expr: Expr, site: Site) -> str | Expr:  # noqa: C901 (one case for each node)
        match expr:
            case Var() if expr in self.runtime:
                return self.spread(self.runtime[expr], site)
            case Build(_, binders, body) if self.on_host(body) and free_vars(body).isdisjoint(binders):
                return expand(substitute(body, self.tensors), self.driver)
            case Build(_, binders, body) if free_vars(body).isdisjoint(binders):
                return self.same_everywhere(body, site)
            case Build(_, _, Select(Var(), _)):
                return self.load(expr, site)
            case Build(_, binders, Select(tensor, indices)):
                places = dict(zip(binders, site.index, strict=True))
                return self.picked(tensor, tuple(substitute(at, places) for at in indices), site)
            case Select(Var() as array, _) if array in self.arrays:
                return self.load(Build((ONE,), (Var("only", INT),), expr), Site(ONE, ONE, (integer(0),), ()))
            case Call(op, (arg,)) if op in LEAST:
                negated = Call(LEAST[op], (Call("negate", (arg,), type_of(arg)),), type_of(expr))
                return self.value(Call("negate", (negated,), type_of(expr)), site)
            case Call(op, args) if op in REDUCTIONS:
                return self.reduction(op, args, expr, site)
            case Call(op, args) if op in BY_GROUPS:
                return self.by_group(args, site)
            case Call("fill", (arg,)):
                return self.as_tile(self.value(arg, site), type_scalar(expr), site)
            case Call(op, args) if op in self.driver.operators:
                return self.called(op, args, expr, site)
            case Cast(arg, type_) if not isinstance(type_of(arg), TensorType):
                return self.called("copy", (arg,), Call("copy", (arg,), type_), site)
            case _:
                raise CannotWrite(f"a value that is no view, number or instruction: {show(expr)[:80]}")

    def picked(self, tensor: Expr, index: tuple[Expr, ...], site: Site) -> str | Expr:
        """Elements of a tensor that is computed: those that are the same in all columns, or in all rows, are computed once."""
        inside = frozenset[Var]().union(*map(free_vars, index))
        group = site.group if index[-1] == site.index[-1] else None
        there = Site(site.rows, site.columns if COLUMN in inside else ONE, index, self.names(tensor), group)
        if ROW in inside or site.rows == ONE or type_scalar(tensor) != FLOAT:
            return self.value(tensor, there)
        one = replace(there, rows=ONE)
        return self.spread(self.as_tile(self.value(tensor, one), FLOAT, one), replace(site, columns=there.columns))

    def by_group(self, args: tuple[Expr, ...], site: Site) -> str | Expr:
        """One element of a vector for a group, in one column; of others than floats, which engines take no columns of, in all."""
        x, size, _ = (substitute(arg, self.tensors) for arg in args)
        if site.group is None or site.group[0] != self.host_number(size):
            raise CannotWrite("elements by groups where no group of them is computed")
        if isinstance(x, Var):
            binder = Var("each", INT)
            x = Build((Length(x, 0),), (binder,), Select(x, (binder,)))
        columns = ONE if type_scalar(x) == FLOAT else site.columns
        return self.value(x, Site(site.rows, columns, (site.group[1],), self.names(x)))

    def group_of(self, value: Expr) -> Expr | None:
        """The size of the groups by which elements of a value are taken along its last axis. Raises CannotWrite for several."""
        sizes: dict[Expr, None] = {}

        def visit(part: Expr) -> None:
            if isinstance(part, Call) and part.function in REDUCTIONS:
                return  # of another axis
            if isinstance(part, Call) and part.function in BY_GROUPS:
                sizes.setdefault(self.host_number(part.args[1]))
            for child in children(part):
                visit(child)

        visit(substitute(value, self.tensors))
        if len(sizes) > 1:
            raise CannotWrite("elements by groups of several sizes")
        return next(iter(sizes), None)

    def host_number(self, size: Expr) -> Expr:
        """A size, in terms of the source's parameters."""
        return expand(substitute(size, self.tensors), self.driver)

    def same_everywhere(self, number: Expr, site: Site) -> str | Expr:
        """One number for all elements, computed once and spread."""
        if isinstance(number, Var) and number in self.runtime:
            return self.value(number, site)
        one = Site(ONE, ONE, (), ())
        return self.spread(self.as_tile(self.value(number, one), type_scalar(number), one), site)

    def load(self, view: Expr, site: Site) -> str:
        """Elements of an array; a row of floats that is the same for all rows is loaded once, and spread."""
        element = type_scalar(view)
        index = site.index
        assert isinstance(view, Build)
        if len(view.extents) != len(index):
            raise CannotWrite("a view of another number of axes")
        at = substitute(view.body, dict(zip(view.binders, index, strict=True)))
        if ROW not in free_vars(at) and site.rows != ONE and element == FLOAT:
            one = Site(ONE, site.columns, tuple(substitute(each, {ROW: integer(0)}) for each in index), site.places)
            return self.spread(self.as_tile(self.value(view, one), element, one), site)
        name = self.fresh(array_of(view), site.rows, site.columns, element)
        self.emit(Load(name, view, index))
        self.exact(view, element, site)
        return name

    def as_tile(self, operand: str | Expr, type_: ScalarType, site: Site) -> str:
        """A tile, of a number one that is filled with it."""
        if isinstance(operand, str):
            return operand
        if is_integer(type_):
            if not interval(operand).within(self.limits):
                self.condition(self.between(operand), site)
        name = self.fresh("number", site.rows, site.columns, type_)
        self.emit(Fill(name, operand))
        return name

    def called(self, op: str, args: tuple[Expr, ...], expr: Expr, site: Site) -> str:
        """An elementwise operator."""
        type_ = INT32 if type_scalar(expr) == INT else type_scalar(expr)
        operands = tuple(self.value(arg, site) for arg in args)
        for arg, operand in zip(args, operands, strict=True):
            if not isinstance(operand, str):
                self.exact(arg, type_scalar(arg), site)
        if is_integer(type_) and not is_integer(type_scalar(args[-1])) and type_scalar(args[-1]) != BOOL:
            raise CannotWrite("a conversion of floats to integers: C's rounds to zero, the chip's to the nearest")
        if plain(op) in ("quotient", "remainder"):
            return self.division(op, args, operands, expr, site)
        if op == "divide":
            return self.divided(operands, type_, site)
        if op == "copy" and isinstance(type_, MachineInt) and type_.bits < 32:
            return self.narrowed(args[0], operands[0], type_, site)
        if op == "select":  # what is copied where a tile of flags says so is a tile
            fixed = operands[2] if isinstance(operands[0], str) else self.as_tile(operands[2], type_, site)
            operands = (operands[0], self.as_tile(operands[1], type_, site), fixed)
        if all(not isinstance(each, str) for each in operands):
            operands = (self.as_tile(operands[0], type_scalar(args[0]), site), *operands[1:])
        self.narrow_domain(op, args, site)
        name = self.map(op, operands, type_, site)
        if op not in CHOOSING and not (plain(op) == "negate" and self.machine.exact <= INT32.high):
            self.exact(expr, type_, site)
        return name

    def divided(self, operands: tuple[str | Expr, ...], type_: ScalarType, site: Site) -> str:
        """A quotient of floats: a product with the reciprocal."""
        top, bottom = operands
        if not isinstance(bottom, str) and not isinstance(bottom, Const):  # 1 / 0 is for the chip, not for Python
            bottom = self.as_tile(bottom, type_, replace(site, columns=ONE))
        if not isinstance(bottom, str):
            return self.map("multiply", (top, Apply(Operator.DIV, (Const(Fraction(1), type_), bottom))), type_, site)
        inverse = self.map("reciprocal", (bottom,), type_, site)
        one = isinstance(top, Const) and top.value == 1
        return inverse if one else self.map("multiply", (top, inverse), type_, site)

    def tile(self, name: str) -> Tile:
        """The tile of that name."""
        made = (each.tile for block in reversed(self.blocks) for each in block.body if isinstance(each, Allocate))
        return next(each for each in made if each.name == name)

    def columns_in(self, tile: str) -> Expr:
        """How many columns a tile has."""
        return self.tile(tile).columns

    def map(self, op: str, operands: tuple[str | Expr, ...], type_: ScalarType, site: Site) -> str:
        """An instruction; of columns it makes a column."""
        widths = {self.columns_in(each) for each in operands if isinstance(each, str)}
        name = self.fresh(plain(op), site.rows, ONE if widths == {ONE} else site.columns, type_)
        self.emit(Map(name, op, operands))
        return name

    def narrowed(self, arg: Expr, operand: str | Expr, type_: MachineInt, site: Site) -> str:
        """A conversion that keeps low bits: the chip's saturates."""
        source = self.as_tile(operand, type_scalar(arg), site)
        found = interval(self.at_places(arg, site))
        if found.low is None or found.high is None or found.low < type_.low or found.high > type_.high:
            if type_.signed:
                raise CannotWrite("a conversion to a signed type that may wrap")
            source = self.map("bitwise_and", (source, integer(type_.high, INT32)), INT32, site)
        return self.map("copy", (source,), type_, site)

    def division(
        self, op: str, args: tuple[Expr, ...], operands: tuple[str | Expr, ...], expr: Expr, site: Site
    ) -> str:
        """A quotient by an idiom, a remainder from it."""
        top, bottom = operands
        greatest, least = (interval(self.at_places(arg, site)) for arg in args)
        idiom: Idiom | None = None
        if isinstance(bottom, Const) and greatest.high is not None and greatest.high <= DIVIDEND:
            idiom = by_constant(int(bottom.value), self.machine.exact)
        if idiom is None:
            high = greatest.high
            known = high is not None and high < self.machine.exact >> 1
            bits = (high // max(1, least.low or 1)).bit_length() if high is not None and known else BITS
            idiom = long_division(bits, self.machine.exact)
        for condition in idiom.given:
            values = {param: self.at_places(arg, site) for param, arg in zip(idiom.params, args, strict=True)}
            self.condition(substitute(condition, values), site)
        name = self.fresh("quotient", site.rows, site.columns, INT32)
        if isinstance(top, str) and self.columns_in(top) == ONE and site.columns != ONE:
            raise CannotWrite("a quotient of one number in every row")
        self.emit(Expand(name, idiom, (self.as_tile(top, INT32, site), bottom)))
        if op == "quotient":
            return name
        whole = self.map("multiply", (name, bottom), INT32, site)
        return self.map("subtract", (top, whole), INT32, site)

    # What lowerings and machines do in their own way

    @abstractmethod
    def reduction(self, op: str, args: tuple[Expr, ...], expr: Expr, site: Site) -> str:
        """A sum, a maximum or a product of matrices."""

    @abstractmethod
    def spread(self, row: str, site: Site) -> str:
        """A tile of one row, of one column or of all, for every row."""

    @abstractmethod
    def narrow_domain(self, op: str, args: tuple[Expr, ...], site: Site) -> None:
        """Notes what has to hold of the arguments of an operator that the machine computes in a range only."""


def plain(op: str) -> str:
    """An operator's name without its driver's."""
    return op.rpartition(".")[2]
