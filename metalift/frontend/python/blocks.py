"""Blocks under construction: statements, and the branches between them, with what each name stands for."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field

from metalift.frontend.lower.shape import is_plain
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.sharing import Sharing
from metalift.frontend.python.stands_for import Env, Known, ListObject
from metalift.ir.arith.bounds import Rooms, learned, not_negative
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Expr, Length, Select, Var, type_of
from metalift.ir.expr.types import INT, Type
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.fragment import Assign, Assume, Block, Branch, Edge, Ground, Location, Statement, Terminator


@dataclass(slots=True)
class Point:
    """A block that is not finished, with the names and facts that hold at its end."""

    label: str
    args: tuple[Var, ...]
    body: list[Statement]
    env: Env
    facts: Rooms
    sharing: Sharing = Sharing()


@dataclass(slots=True)
class Blocks:
    """The blocks of one function."""

    module: PythonModule
    known: Known
    taken: set[str] = field(default_factory=set)
    blocks: list[Block] = field(default_factory=list)
    locals: list[ListObject] = field(default_factory=list)
    at: Point | None = None
    location: Location = Location("", 0)
    pinned: Location | None = None  # the call of a library's function that is read as the code that it stands for
    counters: Counter[str] = field(default_factory=Counter)
    nesting: int = 0  # loops around the current place
    written: int = 0  # how many statements and blocks have been made
    born: dict[Var, int] = field(default_factory=dict)
    either: set[Expr] = field(default_factory=set)  # numbers that are Python's or NumPy's, as control came
    carried: dict[Var, str] = field(default_factory=dict)  # of names that loops set: the keys of their types
    sums: dict[Expr, Polynomial] = field(default_factory=dict)  # what integers with a name of their own are equal to

    # Names and places

    def here(self, node: ast.AST) -> Location:
        """The place of a node, which becomes the current one."""
        if self.pinned is not None:
            self.location = self.pinned
        elif hasattr(node, "lineno"):
            self.location = self.module.place.of(node)
        return self.location

    def fresh(self, base: str) -> str:
        """A name for an SSA value."""
        while True:
            self.counters[base] += 1
            name = f"{base}.{self.counters[base]}"
            if name not in self.taken:
                self.taken.add(name)
                return name

    def array_name(self, base: str) -> str:
        """A name for an array: the base itself where it is free."""
        name, number = base, 1
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken.add(name)
        return name

    def variable(self, base: str, type_: Type) -> Var:
        """A new SSA value."""
        var = Var(self.fresh(base), type_)
        self.written += 1
        self.born[var] = self.written
        return var

    def label(self, stem: str) -> str:
        """A name for a block."""
        self.counters[f" {stem}"] += 1
        number = self.counters[f" {stem}"]
        return stem if number == 1 else f"{stem}{number}"

    # Statements

    @property
    def point(self) -> Point:
        """The block that is being filled."""
        assert self.at is not None, "nothing is read where control never comes"
        return self.at

    @property
    def env(self) -> Env:
        """What names stand for here."""
        return self.point.env

    def emit(self, statement: Statement) -> None:
        """Append a statement."""
        self.written += 1
        self.point.body.append(statement)

    def named(self, expr: Expr, base: str = "t") -> Expr:
        """The expression by a name, unless it is so simple that it needs none."""
        if is_plain(expr) or isinstance(expr, Length):
            return expr
        var = self.variable(base, type_of(expr))
        self.emit(Assign(var, expr, self.location))
        if self.is_either(expr):
            self.either.add(var)
        if var.type == INT and not _reads(expr):
            self.sums[var] = self.polynomial(expr)
        return var

    def is_either(self, expr: Expr) -> bool:
        """Whether a number is Python's or NumPy's, as control came."""
        of_list = isinstance(expr, Select) and expr.tensor in self.known.either_lists
        return of_list or expr in self.either

    def frozen(self, expr: Expr, base: str = "t") -> Expr:
        """The expression as it is now: one that reads an array gets a name."""
        return self.named(expr, base) if _reads(expr) else expr

    def learn(self, *facts: Polynomial) -> None:
        """Integers that are not negative from here on."""
        self.point.facts = (*self.point.facts, *(fact.substitute(self.sums) for fact in facts))

    def learned(self, cond: Expr, holds: bool) -> Rooms:
        """What a condition says where it holds, or where it does not."""
        return () if _reads(cond) else tuple(fact.substitute(self.sums) for fact in learned(cond, holds))

    def restrict(self, cond: Expr, text: str, node: ast.AST) -> None:
        """Go on where a condition holds: elsewhere nothing is modelled."""
        self.emit(Assume(cond, text, self.here(node), Ground.RESTRICTION))
        self.learn(*self.learned(cond, True))

    def polynomial(self, expr: Expr) -> Polynomial:
        """The integer as a sum; names that stand for sums are put in."""
        return Polynomial.of(expr).substitute(self.sums)

    def is_natural(self, expr: Expr) -> bool:
        """Whether an integer is certainly 0 or more here."""
        return not_negative(self.polynomial(expr), self.point.facts)

    def same(self, one: Expr, other: Expr) -> bool:
        """Whether two integers are certainly equal here."""
        first, second = self.polynomial(one), self.polynomial(other)
        return first == second or (
            not_negative(first - second, self.point.facts) and not_negative(second - first, self.point.facts)
        )

    # Control

    def finish(self, end: Terminator) -> None:
        """End the block; control goes nowhere from here."""
        point = self.point
        self.blocks.append(Block(point.label, point.args, tuple(point.body), end))
        self.at = None
        self.written += 1

    def start(
        self, env: Env, facts: Rooms, sharing: Sharing, stem: str, args: tuple[Var, ...] = (), label: str = ""
    ) -> None:
        """Begin a block."""
        self.at = Point(label or self.label(stem), args, [], dict(env), facts, sharing)
        self.written += 1

    def branch(self, cond: Expr, stem: str) -> tuple[Point, Point]:
        """Two blocks, for where the condition holds and where it does not."""
        point = self.point
        labels = [self.label(f"{stem}.then"), self.label(f"{stem}.else")]
        then, other = (
            Point(label, (), [], dict(point.env), (*point.facts, *self.learned(cond, holds)), point.sharing)
            for label, holds in zip(labels, (True, False), strict=True)
        )
        self.finish(Branch(cond, Edge(labels[0], ()), Edge(labels[1], ()), self.location))
        return then, other


def _reads(expr: Expr) -> bool:
    """Whether the value depends on the elements of an array."""
    return any(isinstance(part, Select) for part in subexpressions(expr))
