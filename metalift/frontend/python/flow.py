"""Blocks under construction, and what each name stands for: SSA form made while a structured program is read.

Where paths meet, a name with different scalars becomes a block argument; what is not a scalar has to be the same on all paths. A
loop's header has an argument for every name that its body sets. Types of these arguments, and whether a name that is not always
bound is used at all, are found out by reading the function again (`Again`) until nothing changes.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from metalift.frontend.lower.shape import is_plain
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.not_negative import Facts, learned, not_negative
from metalift.frontend.python.numbers import convert, joined
from metalift.frontend.python.stands_for import Again, Clash, Env, Items, Known, ListObject, NoneValue, Partial, Value
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Const, Expr, Length, Select, Var, type_of
from metalift.ir.expr.types import INT, ScalarType, Type
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.fragment import (
    Assign,
    Block,
    Branch,
    Diagnostic,
    Edge,
    Jump,
    Location,
    Statement,
    Terminator,
    Undefined,
    Unsupported,
)


@dataclass(slots=True)
class Point:
    """A block that is not finished, with the names and facts that hold at its end."""

    label: str
    args: tuple[Var, ...]
    body: list[Statement]
    env: Env
    facts: Facts


@dataclass(slots=True)
class Header:
    """A loop's header: its label, and the names that are arguments of it, with the facts that its body has to keep."""

    label: str
    names: list[tuple[str, Var]]
    kept: list[tuple[str, Var, Expr]]
    entry: Env
    location: Location


@dataclass(slots=True)
class Flow:
    """Reads one function; see the module's text."""

    module: PythonModule
    known: Known
    taken: set[str] = field(default_factory=set)
    blocks: list[Block] = field(default_factory=list)
    locals: list[ListObject] = field(default_factory=list)
    at: Point | None = None
    location: Location = Location("", 0)
    counters: Counter[str] = field(default_factory=Counter)
    nesting: int = 0  # loops around the current place
    written: int = 0  # how many statements and blocks have been made
    born: dict[Var, int] = field(default_factory=dict)
    sums: dict[Expr, Polynomial] = field(default_factory=dict)  # what integers with a name of their own are equal to

    # Names and places

    def here(self, node: ast.AST) -> Location:
        """The place of a node, which becomes the current one."""
        if hasattr(node, "lineno"):
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
        if var.type == INT and not _reads(expr):
            self.sums[var] = self.polynomial(expr)
        return var

    def frozen(self, expr: Expr, base: str = "t") -> Expr:
        """The expression as it is now: one that reads an array gets a name."""
        return self.named(expr, base) if _reads(expr) else expr

    def learn(self, *facts: Polynomial) -> None:
        """Integers that are not negative from here on."""
        self.point.facts = (*self.point.facts, *(fact.substitute(self.sums) for fact in facts))

    def learned(self, cond: Expr, holds: bool) -> Facts:
        """What a condition says where it holds, or where it does not."""
        return () if _reads(cond) else tuple(fact.substitute(self.sums) for fact in learned(cond, holds))

    def polynomial(self, expr: Expr) -> Polynomial:
        """The integer as a sum; names that stand for sums are put in."""
        return Polynomial.of(expr).substitute(self.sums)

    def is_natural(self, expr: Expr) -> bool:
        """Whether an integer is certainly 0 or more here."""
        return not_negative(self.polynomial(expr), self.point.facts)

    # Control

    def finish(self, end: Terminator) -> None:
        """End the block; control goes nowhere from here."""
        point = self.point
        self.blocks.append(Block(point.label, point.args, tuple(point.body), end))
        self.at = None
        self.written += 1

    def start(self, env: Env, facts: Facts, stem: str, args: tuple[Var, ...] = (), label: str = "") -> None:
        """Begin a block."""
        self.at = Point(label or self.label(stem), args, [], dict(env), facts)
        self.written += 1

    def branch(self, cond: Expr, stem: str) -> tuple[Point, Point]:
        """Two blocks, for where the condition holds and where it does not."""
        point = self.point
        labels = [self.label(f"{stem}.then"), self.label(f"{stem}.else")]
        then, other = (
            Point(label, (), [], dict(point.env), (*point.facts, *self.learned(cond, holds)))
            for label, holds in zip(labels, (True, False), strict=True)
        )
        self.finish(Branch(cond, Edge(labels[0], ()), Edge(labels[1], ()), self.location))
        return then, other

    def join(self, points: Iterable[Point | None], stem: str, key: str) -> None:
        """Go on where several paths meet; nowhere if there are none."""
        live = [point for point in points if point is not None]
        if len(live) <= 1:
            self.at = live[0] if live else None
            return
        label = self.label(stem)
        args: list[Var] = []
        passed: list[list[Expr]] = [[] for _ in live]
        env: Env = {}
        for name in dict.fromkeys(name for point in live for name in point.env):
            values = [point.env.get(name) for point in live]
            env[name] = self._merged(f"{key}:{name}", name, values, live, args, passed)
        for point, values_passed in zip(live, passed, strict=True):
            end = Jump(Edge(label, tuple(values_passed)), self.location)
            self.blocks.append(Block(point.label, point.args, tuple(point.body), end))
        common = [fact for fact in live[0].facts if all(fact in point.facts for point in live[1:])]
        self.start(env, tuple(common), stem, tuple(args), label)

    def _merged(
        self,
        key: str,
        name: str,
        values: Sequence[Value | None],
        points: Sequence[Point],
        args: list[Var],
        passed: list[list[Expr]],
    ) -> Value:
        first = values[0]
        if first is not None and all(value == first for value in values):
            return first
        if all(isinstance(value, Items) for value in values):
            tuples = [value.items for value in values if isinstance(value, Items)]
            if len({len(items) for items in tuples}) == 1:
                parts = [
                    self._merged(f"{key}.{at}", name, list(column), points, args, passed)
                    for at, column in enumerate(zip(*tuples, strict=True))
                ]
                return Items(tuple(parts))
            return Clash(name)
        bound = [value for value in values if isinstance(value, Expr)]
        if any(value is not None and not isinstance(value, Expr | Partial) for value in values):
            return Clash(name, any(isinstance(value, NoneValue) or (isinstance(value, Clash) and value.none) for value in values))
        if len(bound) < len(values) and key not in self.known.needed:
            return Partial(key, name)
        type_ = self._joined(bound) if bound else self.known.types.get(key, INT)
        var = self.variable(plain(name), type_)
        args.append(var)
        for value, point, list_ in zip(values, points, passed, strict=True):
            list_.append(convert(value, type_) if isinstance(value, Expr) else self._undefined(point, name, type_))
        return var

    def _undefined(self, point: Point, name: str, type_: ScalarType) -> Var:
        var = self.variable(plain(name), type_)
        point.body.append(Undefined(var, plain(name), self.location))
        return var

    def _joined(self, values: Sequence[Expr]) -> ScalarType:
        types = [type_of(value) for value in values]
        result = types[0]
        for type_ in types[1:]:
            both = joined(result, type_)
            if both is None:
                message = "a name whose value has one type on one path and another on the other; give them one type"
                raise Unsupported(Diagnostic(self.location, message))
            result = both
        assert isinstance(result, ScalarType)
        return result

    # Loops

    def open_loop(self, stem: str, names: Iterable[str], key: str) -> Header:
        """Go on in a loop's header, which has arguments for these names."""
        point = self.point
        self.nesting += 1
        label = self.label(stem)
        header = Header(label, [], [], dict(point.env), self.location)
        env = dict(point.env)
        passed: list[Expr] = []
        more = [name for name in point.env if f"{key}:{name}" in self.known.carried]
        for name in dict.fromkeys([*names, *more]):
            env[name] = self._carried(f"{key}:{name}", name, point, header, passed)
        for name in env.keys() - {name for name, _ in header.names}:
            if f"{key}:{name}" in self.known.clashes and not isinstance(env[name], Items | Clash):
                env[name] = Clash(name, isinstance(env[name], NoneValue))
        self.finish(Jump(Edge(label, tuple(passed)), self.location))
        self.start(env, point.facts, stem, tuple(var for _, var in header.names), label)
        for name, var, least in list(header.kept):
            if f"{key}:{name}" in self.known.unbounded:
                header.kept.remove((name, var, least))
            else:
                self.learn(Polynomial.of(var) - Polynomial.of(least))
        return header

    def _carried(self, key: str, name: str, point: Point, header: Header, passed: list[Expr]) -> Value:
        """What a name that the loop sets stands for in the header."""
        value = point.env.get(name)
        if isinstance(value, Items):
            parts = []
            for at, item in enumerate(value.items):
                part = f"{name}\0{at}"
                point.env[part] = item
                parts.append(self._carried(f"{key}.{at}", part, point, header, passed))
            return Items(tuple(parts))
        if isinstance(value, Expr):
            found = type_of(value)
            assert isinstance(found, ScalarType)
            type_ = self.known.types.get(key, found)
            given = convert(value, type_)
        elif value is None or isinstance(value, Partial):
            if key in self.known.clashes:
                return Clash(name)
            if key not in self.known.needed:
                return Partial(key, name)
            type_ = self.known.types.get(key, INT)
            given = self._undefined(point, name, type_)
        else:
            return Clash(name, isinstance(value, NoneValue)) if key in self.known.clashes else value
        var = self.variable(plain(name), type_)
        header.names.append((name, var))
        passed.append(given)
        if isinstance(value, Expr) and type_ == INT:
            least = value if isinstance(value, Const) else Const(0, INT)
            if not_negative(self.polynomial(value) - self.polynomial(least), point.facts):
                header.kept.append((name, var, least))
        return var

    def close_loop(self, header: Header, points: Iterable[Point | None], key: str) -> None:
        """Lead the ends of a loop's body back to its header; what does not fit there is found out for the next pass."""
        self.nesting -= 1
        again = False
        for point in points:
            if point is None:
                continue
            passed = []
            for name, var in header.names:
                value = _lookup(point.env, name)
                again |= self._fits(f"{key}:{_dotted(name)}", name, header, value, var)
                given = value if isinstance(value, Expr) else var
                if not again:
                    passed.append(convert(given, _scalar_of(var)))
            again |= self._same_lists(header, point, key)
            for name, _, least in header.kept:
                value = _lookup(point.env, name)
                if not isinstance(value, Expr) or (not again and not self._stays(value, least, point)):
                    self.known.unbounded.add(f"{key}:{name}")
                    again = True
            self.blocks.append(
                Block(point.label, point.args, tuple(point.body), Jump(Edge(header.label, tuple(passed)), header.location))
            )
        if again:
            raise Again

    def _stays(self, value: Expr, least: Expr, point: Point) -> bool:
        return not_negative(self.polynomial(value) - self.polynomial(least), point.facts)

    def _fits(self, key: str, name: str, header: Header, value: Value | None, var: Var) -> bool:
        """Whether another pass is needed, because the value that comes back has another type."""
        if isinstance(value, Partial):
            self.known.needed.add(value.key)
            return True
        entered = isinstance(_lookup(header.entry, name), Expr)
        if not isinstance(value, Expr) and not entered:
            self.known.clashes.add(key)
            return True
        if not isinstance(value, Expr):
            message = f"'{plain(name)}' is a number when this loop begins and something else when it comes back; use two names"
            raise Unsupported(Diagnostic(header.location, message))
        type_ = self._joined([var, value]) if entered or key in self.known.types else _scalar_of(value)
        if type_ == var.type:
            return False
        self.known.types[key] = type_
        return True

    def _same_lists(self, header: Header, point: Point, key: str) -> bool:
        """Lists have to be what they were; a name that stands for another one afterwards has no meaning before it is set."""
        again = False
        for name in point.env.keys() - header.entry.keys():
            lengths = f"{name.removeprefix('#moved:')}:#len"
            if name.startswith("#moved:") and any(other.startswith(lengths) for other in header.entry):
                message = "one list that every round of a loop puts into another; make a new one in each"
                raise Unsupported(Diagnostic(header.location, message))
        for name, value in header.entry.items():
            now = point.env.get(name)
            if isinstance(value, Expr) and now != value and name not in dict(header.names):
                self.known.carried.add(f"{key}:{name}")
                again = True
            if name in dict(header.names) or isinstance(value, Expr | Partial | Clash | Items):
                continue
            if now != value and f"{key}:{name}" not in self.known.clashes:
                self.known.clashes.add(f"{key}:{name}")
                again = True
        return again


def _reads(expr: Expr) -> bool:
    """Whether the value depends on the elements of an array."""
    return any(isinstance(part, Select) for part in subexpressions(expr))


def plain(name: str) -> str:
    """The name as it stands in the source, for names of values: without what marks hidden names and parts."""
    return name.split("\0")[0].split(":")[-1].lstrip("# ") or "t"


def _dotted(name: str) -> str:
    return name.replace("\0", ".")


def _lookup(env: Env, name: str) -> Value | None:
    """The value of a name or of a part of one."""
    base, *parts = name.split("\0")
    value = env.get(base)
    for part in parts:
        value = value.items[int(part)] if isinstance(value, Items) and int(part) < len(value.items) else None
    return value


def _scalar_of(value: Expr) -> ScalarType:
    type_ = type_of(value)
    assert isinstance(type_, ScalarType)
    return type_
