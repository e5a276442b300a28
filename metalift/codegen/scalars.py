"""Numbers as Python syntax trees: operations on them, conversions, and names for what is needed more than once."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

from metalift.codegen.names import Names
from metalift.codegen.numbers import number_apply, number_cast
from metalift.codegen.partial import domain, has_value
from metalift.codegen.plain_numbers import Numbers
from metalift.codegen.python_text import text
from metalift.codegen.request import CannotSpell
from metalift.codegen.spelled import Spelled, scalar_of
from metalift.codegen.spelled_lists import Lists
from metalift.codegen.spread import Collections
from metalift.codegen.views import Views
from metalift.driver import Driver, Layout, Operator, Target
from metalift.driver.expansion import expand
from metalift.driver.templates import constant, fill_template, used_names
from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.factored import factored
from metalift.ir.arith.intervals import Interval, interval, type_range
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Call, Cast, Expr, Ite, Length, Select, Var, type_of
from metalift.ir.expr.nodes import Operator as Op
from metalift.ir.expr.types import DOUBLE, INT, INT64, IntType, MachineInt, RealType, TensorType, Type, is_integer, show_type
from metalift.ir.expr.walk import free_vars
from metalift.ir.program.summary import Let

UINT64 = MachineInt(64, False)
WIDE = (INT, DOUBLE, INT64, UINT64)
NATURAL = frozenset(MachineInt(bits, False) for bits in (8, 16, 32))  # of fewer bits than the integers in a column


def as_number(tree: ast.expr) -> ast.expr:
    """An element of an array, or what a library computes of one, as a number of Python's."""
    return fill_template("{x}.item()", {"x": tree})


class Scalars(ABC):
    """Spells numbers in one target; `values` says what the names of the program are in the text."""

    def __init__(self, driver: Driver, target: Target, facts: Facts, hoist: Callable[[str, ast.expr], ast.expr]) -> None:
        self.driver = driver
        self.target = target
        self.values: dict[str, Spelled] = {}
        self.numbers = Numbers(facts, self._keep)
        self.decisive: frozenset[Expr] = frozenset()  # what the source computes on every run
        self.given: frozenset[str] = frozenset()  # the names of the parameters
        self.assumed: dict[str, Expr] | None = None  # what is taken for granted of numbers, by its text; None where nothing is
        self.step_by_step = False  # whether integers are plain numbers, also those that arrays hold
        self.wide = False  # whether an element type of 64 bits was named
        self.groups_of: Callable[[Operator, Call], ast.expr] | None = None  # the groups of an operator's collection
        self.hoist = hoist
        self.absent: frozenset[str] = frozenset()  # names of arrays that are no arguments
        self.spellings: dict[str, Callable[[], ast.expr]] = {}  # of values that are no operators, by their functions' names
        self._bound: frozenset[str] = frozenset()  # names that lambdas around bind
        self._chosen = False  # whether it is a side of a choice that is spelled
        self._hoisted: frozenset[str] = frozenset()  # names of what is computed before a statement
        self._spreads = False  # whether a single element may be spelled as a slice, which broadcasts
        self._facts = facts
        self._known_ranges: dict[Expr, Interval] = {}  # of lengths of named tensors, and of values of groups
        self._views: Views | None = None
        self._computed: dict[str, ast.expr] = {}  # what has a name where nothing changes arrays, by how it is computed

    def learn_lengths(self, let: Let) -> None:
        """Remembers between which numbers the lengths of a named tensor lie."""
        assert isinstance(let.var.type, TensorType)
        for axis in range(let.var.type.rank):
            length = expand(Length(let.value, axis), self.driver)
            self._known_ranges[Length(let.var, axis)] = interval(length)

    def learn_value(self, var: Var, value: Expr) -> None:
        """Remembers between which numbers a value of a group lies."""
        if is_integer(var.type):
            self._known_ranges[var] = interval(expand(value, self.driver))

    @property
    def layout(self) -> Layout:
        """How the target spells views."""
        if self.target.layout is None:
            raise CannotSpell(f"the target {self.target.name} has no tensors")
        return self.target.layout

    @property
    def views(self) -> Views:
        """The speller of views."""
        if self._views is None:
            kind = Collections if self.layout.part else Lists if self.layout.lists else Views
            self._views = kind(self.layout, self._facts, self.polynomial, self._keep)
        return self._views

    def _keep(self, wanted: str, tree: ast.expr) -> ast.expr:
        """A name for what is needed more than once; what depends on a lambda's parameter or on a choice is written again."""
        return tree if self._chosen or used_names(tree) & self._bound else self._outside(wanted, tree)

    def _outside(self, wanted: str, tree: ast.expr) -> ast.expr:
        """A name for what is computed before the statement, which no lambda around binds and none that follows."""
        if self._chosen:
            raise CannotSpell("a value that is needed on one side of a choice, and computed before it")
        key = ast.dump(tree)
        if key in self._computed:
            return self._computed[key]
        found = self.hoist(Names(self._bound).take(wanted), tree)
        if used_names(found) & self._bound:
            raise CannotSpell("too many names for parts of one statement")
        self._hoisted |= used_names(found)
        if self.layout.immutable:
            self._computed[key] = found
        return found

    def forget(self) -> None:
        """What was computed may be something else from here on: a name of an array stands for another one."""
        self._computed.clear()

    @abstractmethod
    def spell(self, expr: Expr) -> Spelled:
        """The expression as a tree."""

    def polynomial(self, value: Polynomial) -> ast.expr:
        """An integer over scalar parameters and lengths, as a plain number."""
        return self._as_number(self.spell(value.to_expr()), "a size or an offset depends on computed data")

    def number(self, expr: Expr) -> ast.expr:
        """An expression that has to be a plain number."""
        return self._as_number(self.spell(expr), "a plain number is needed where a value depends on the contents of arrays")

    def _as_number(self, spelled: Spelled, problem: str) -> ast.expr:
        """A plain number, which an element of an array is not; where loops may stay, code is run statement by statement."""
        if not spelled.number and not self.target.loops:
            raise CannotSpell(problem)
        return spelled.tree if spelled.number else as_number(spelled.tree)

    def dtype(self, type_: Type) -> ast.expr:
        """The target's name of an element type."""
        element = scalar_of(type_)
        spelling = self.target.dtypes.get(element)
        if spelling is None:
            raise CannotSpell(f"the target {self.target.name} has no element type for {show_type(element)}")
        self.wide = self.wide or element in WIDE
        return fill_template(spelling, {})

    def _scalar(self, expr: Apply | Cast | Ite) -> Spelled:
        match expr:
            case Cast(Cast(arg, IntType()), type_) if type_of(arg) == type_:
                return self._size(self.spell(arg))
            case Cast(arg, type_):
                value, source = self.spell(arg), type_of(arg)
                if self._fits(arg, type_) if value.number else self._holds(arg, type_):
                    return value
                return self._convert(value, source, type_)
            case Apply(_, args) if (decided := self.numbers.decided(expr)) is not None:
                return self.spell(args[decided])
            case Apply(Op.ADD | Op.SUB | Op.MUL) if type_of(expr) == INT and (short := factored(expr)) != expr:
                return self.spell(short)
            case Apply(op, args):
                parts = [self.spell(arg) for arg in args]
                numbers = all(part.number for part in parts)
                tree = number_apply(op, [part.tree for part in parts], plain=numbers)
                if tree is not None and numbers and op in (Op.TDIV, Op.TREM) and not self._is_settled(expr):
                    tree = self.numbers.total_quotient(tree, parts[1].tree)
            case Ite(cond, then, other):
                return self._choice(self.spell(cond), self._side(then), self._side(other))
        if tree is None:
            raise CannotSpell(f"{expr.op.value} on computed values has no spelling; the driver needs an operator for it")
        return Spelled(self._total(expr, tree) if numbers else tree, number=numbers)

    def _side(self, side: Expr) -> Spelled:
        """What a choice takes one of: nothing of it is computed before."""
        outside, self._chosen = self._chosen, True
        try:
            return self.spell(side)
        finally:
            self._chosen = outside

    def _choice(self, test: Spelled, then: Spelled, other: Spelled) -> Spelled:
        """One of two values, the other of which is not computed: as numbers, where one is a number."""
        numbers = then.number or other.number or self.step_by_step
        if not (test.number and then.number and other.number) and (self._bound or not self.target.loops):
            raise CannotSpell("a choice on computed values has no spelling; the driver needs an operator for it")
        one, two = (self._as_number(side, "") if numbers else side.tree for side in (then, other))
        match one, two:
            case _, ast.Constant(value=False):
                return Spelled(ast.BoolOp(ast.And(), [test.tree, one]), numbers)
            case ast.Constant(value=True), _:
                return Spelled(ast.BoolOp(ast.Or(), [test.tree, two]), numbers)
            case _:
                aliases = frozenset[str]() if numbers else then.aliases | other.aliases
                return Spelled(ast.IfExp(test=test.tree, body=one, orelse=two), numbers, aliases)

    def _total(self, expr: Expr, tree: ast.expr) -> ast.expr:
        """An operation on plain numbers as text that does not raise.

        In functions of elements it is computed only where the source does it, too; there floats can be infinite all the same.
        """
        quotient = isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div)
        if self._is_settled(expr) and not quotient:
            return tree
        return tree if self._is_assumed(expr, tree) else self.numbers.total(tree)

    def _is_assumed(self, expr: Expr, tree: ast.expr) -> bool:
        """Whether that an operation on plain numbers has a value is taken for granted, which is noted: of parameters alone."""
        if self.assumed is None or self.numbers.guarding or self._bound or self._chosen:
            return False
        found, needed = domain(tree), has_value(expand(expr, self.driver))
        if found is None or needed is None or not {var.name for var in free_vars(needed)} <= self.given:
            return False
        if not self.numbers.is_safe(tree):
            self.assumed[text(fill_template(found.condition, found.operands))] = needed
        return True

    def _is_settled(self, expr: Expr) -> bool:
        """Whether the source computes it wherever the text does."""
        return expr in self.decisive or bool(self._bound)

    def _fits(self, arg: Expr, target: Type) -> bool:
        """Whether an integer is one of the target type, too."""
        if self.step_by_step and isinstance(arg, Select) and type_of(arg) == INT and target == INT64:
            return True  # an element, as arrays hold it
        both = is_integer(type_of(arg)) and is_integer(target)
        return both and interval(expand(arg, self.driver), self._known_ranges).within(type_range(target))

    def _holds(self, arg: Expr, target: Type) -> bool:
        """Whether an exact integer in a column, which has 64 bits, is one of the target type, too."""
        if self.target.layout is None or not self.layout.columns or type_of(arg) != INT or not is_integer(target):
            return False
        values = interval(expand(arg, self.driver), self._known_ranges)
        return values.nonnegative if target == UINT64 else values.within(type_range(target))

    def _size(self, value: Spelled) -> Spelled:
        """An integer as a plain number."""
        tree = value.tree if value.number else fill_template(self.layout.size, {"x": value.tree})
        return Spelled(tree, number=True)

    def _convert(self, value: Spelled, source: Type, target: Type) -> Spelled:
        if source == target or (is_integer(source) and target == INT):
            return value
        if not value.number and self.target.converts_nothing(source, target):
            return value
        if not value.number and source == INT and target == INT64 and self.target.holds_alike(source, target):
            return value
        if value.number and isinstance(target, MachineInt) and is_integer(source) and self.numbers.fits(value.tree, target):
            return value
        if value.number:
            convert = partial(number_cast, source=source, target=target)
            rounds = isinstance(source, RealType) and is_integer(target)
            return Spelled(self.numbers.as_integer(value.tree, convert) if rounds else convert(value.tree), number=True)
        if isinstance(target, RealType) and isinstance(source, RealType) and not target.bits:
            return value
        if self.layout.low_bits and is_integer(source) and target in NATURAL:
            assert isinstance(target, MachineInt)
            tree = fill_template(self.layout.low_bits, {"x": value.tree, "bits": constant(target.bits)})
            return Spelled(tree, lengths=value.lengths)
        template = self.layout.cast or (self.layout.to_real if isinstance(target, RealType) and is_integer(source) else "")
        if not template:
            raise CannotSpell(f"the target {self.target.name} has no conversion to {show_type(target)}")
        tree = fill_template(template, {"x": value.tree, "dtype": self.dtype(target)})
        return Spelled(tree, lengths=value.lengths)
