"""Conditions on the values of arrays, under which a machine computes exactly: noted where a lowering uses them.

Nothing here is trusted: they are assumptions of what is proved of the kernel, and told.
"""

from __future__ import annotations

from dataclasses import dataclass

from metalift.driver import CannotWrite, Driver, Request
from metalift.driver.expansion import expand
from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.expr.build import at_most, conj, forall, implies, in_range
from metalift.ir.expr.nodes import Apply, Build, Cast, Expr, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, INT32, MachineInt, ScalarType, is_integer
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.program.kernel import Machine
from metalift.ir.text import show

ARITHMETIC = frozenset({Operator.ADD, Operator.SUB, Operator.MUL, Operator.NEG, Operator.ABS, Operator.SHL})


@dataclass(frozen=True, slots=True)
class Site:
    """Where elements are computed: a tile's shape, and which element of the tensors there stands at [ROW, COLUMN].

    `places` are the axes of these tensors, by names and extents, for what is said of their elements. Of a tile in a group of the
    last axis, `group` is the size of groups and the number of this one.
    """

    rows: Expr
    columns: Expr
    index: tuple[Expr, ...]
    places: tuple[tuple[Var, Expr], ...]
    group: tuple[Expr, Expr] | None = None


class Conditions:
    """Those of one program. `tensors` are its intermediates that stand for what they are, `named` those of the kernel's own."""

    def __init__(self, request: Request, driver: Driver, machine: Machine) -> None:
        self.request = request
        self.driver = driver
        self.machine = machine
        self.limits = Interval(max(-machine.exact, INT32.low), min(machine.exact, INT32.high))
        self.named: dict[Var, Expr] = {}  # in terms of the source's parameters
        self.tensors: dict[Var, Expr] = {}
        self.ranges: dict[str, Expr] = {}

    def at_places(self, expr: Expr, site: Site) -> Expr:
        """The element of a value, by the names of its axes."""
        value = expand(substitute(expr, self.tensors), self.driver)
        if isinstance(value, Build):
            value = substitute(value.body, {b: var for b, (var, _) in zip(value.binders, site.places, strict=False)})
        return substitute(value, self.named)

    def exact(self, expr: Expr, type_: ScalarType, site: Site) -> None:
        """An integer that may be too large to be exact is a condition."""
        if is_integer(type_):
            value = self.at_places(expr, site)
            if not interval(unbounded(value)).within(self.limits):
                self.condition(self.between(value), site)

    def between(self, value: Expr) -> Expr:
        """An integer is one that the machine has."""
        low, high = self.limits.low, self.limits.high
        assert low is not None and high is not None
        return conj(at_most(integer(low, INT32), value), at_most(value, integer(high, INT32)))

    def condition(self, formula: Expr, site: Site, text: str = "") -> None:
        """A condition at every element, unless the types ensure it."""
        if isinstance(formula, Apply) and formula.op in (Operator.LE, Operator.LT, Operator.EQ):
            left, right = (interval(each) for each in formula.args)
            if left.high is not None and right.low is not None and left.high + (formula.op is Operator.LT) <= right.low:
                return
            if formula.op is Operator.EQ and formula.args[0] == formula.args[1]:
                return
        place = [(var, extent) for var, extent in site.places if var in free_vars(formula)]
        inside = conj(*(in_range(var, extent) for var, extent in place))
        stated = forall(tuple(var for var, _ in place), implies(inside, formula))
        self.ranges.setdefault(text or show(stated), stated)

    def extents(self, expr: Expr) -> tuple[Expr, ...]:
        """The shape of a tensor."""
        value = expand(substitute(expr, self.tensors), self.driver)
        if not isinstance(value, Build):
            raise CannotWrite("a tensor without a shape")
        return value.extents

    def names(self, expr: Expr) -> tuple[tuple[Var, Expr], ...]:
        """Names for the axes of a tensor."""
        value = expand(substitute(expr, self.tensors), self.driver)
        assert isinstance(value, Build)
        return tuple(zip(value.binders, value.extents, strict=True))


def unbounded(value: Expr) -> Expr:
    """An integer as arithmetic on unbounded ones makes it of its operands: one that may leave its type, too."""
    match value:
        case Ite(cond, then, other):
            return Ite(cond, unbounded(then), unbounded(other))
        case Apply(op, args) if op in ARITHMETIC and isinstance(type_of(value), MachineInt):
            return Apply(op, tuple(Cast(arg, INT) for arg in args))
        case _:
            return value
