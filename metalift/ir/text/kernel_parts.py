"""Parts of the text of kernels on tiles: how each is written and read, and what a place in a kernel may speak of.

Names are defined before they are used, once, and have the types of their places. Numbers are computed outside of the kernel: of
parameters, counters and named intermediates, never of elements of arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Const, Expr, Ite, Length, Operator, Select, Var, type_of
from metalift.ir.expr.types import INT, ScalarType, Type, show_type
from metalift.ir.expr.walk import subexpressions
from metalift.ir.interp.functions import FUNCTIONS
from metalift.ir.program.kernel import COLUMN, ROW, Idiom, Output, Space, Tile
from metalift.ir.text.parser import ExpressionReader
from metalift.ir.text.printer import show, show_name
from metalift.ir.text.tokens import ParseError, tokenize
from metalift.ir.wellformed.check import IllTyped, check

Word = TypeVar("Word")
OWN = re.compile(r"(?!tile\.|fold\.)[A-Za-z_][A-Za-z0-9_.]*(?<!\.unknown)")  # obligations have names like these of their own
PLACE: Mapping[str, Type] = {ROW.name: INT, COLUMN.name: INT}
REDUCTIONS = {Operator.ADD: "sum", Operator.MAX: "maximum"}
SPACES = {space.value: space for space in Space}


@dataclass(frozen=True, slots=True)
class Scope:
    """What is known at a place: scalars and arrays by name, intermediates that have no value yet, and tiles.

    `around` are the loops and conditions there, `made` those around each tile. `taken` are all names so far.
    """

    scalars: dict[str, Type]
    arrays: dict[str, Type]
    lets: dict[str, Type]
    taken: set[str]
    outputs: tuple[Output, ...] = ()
    idioms: tuple[Idiom, ...] = ()
    tiles: dict[str, Tile] = field(default_factory=dict)
    made: dict[str, tuple[str, ...]] = field(default_factory=dict)
    around: tuple[str, ...] = ()

    def below(self, kind: str) -> Scope:
        """That of a body, whose tiles and counters nothing behind it sees."""
        own = replace(self, scalars=dict(self.scalars), lets=dict(self.lets), tiles=dict(self.tiles), made=dict(self.made))
        return replace(own, around=(*self.around, kind))


class Line(ExpressionReader):
    """One line of a kernel's text, in the scope of those before it."""

    def __init__(self, text: str, scope: Scope) -> None:
        super().__init__(tokenize(text))
        self.scope = scope

    def require(self, condition: bool, message: str) -> None:
        """Raises ParseError, at what was read last, unless the condition holds."""
        if not condition:
            raise ParseError(message, self.tokens[max(0, self.place - 1)].position)

    def values(self, wanted: Type | None, more: Mapping[str, Type] = PLACE) -> Expr:
        """Reads what may be said of elements of arrays, at a place of a tile: an expression, of a type if one is wanted."""
        term = self.expression()
        try:
            made = term.make({**self.scope.scalars, **self.scope.arrays, **more}, wanted)
            check(made)
        except IllTyped as problem:
            raise ParseError(str(problem), self.tokens[max(0, self.place - 1)].position) from None
        self.require(wanted is None or type_of(made) == wanted, f"a value of type {show_type(wanted or INT)} is wanted here")
        return made

    def numbers(self, wanted: Type | None = INT, more: Mapping[str, Type] | None = None) -> Expr:
        """Reads a number that is computed outside of the kernel, by other names too."""
        made = self.values(wanted, more or {})
        for part in subexpressions(made):
            known = isinstance(part, Const | Apply | Cast | Ite | Var) or isinstance(part, Call) and part.function in FUNCTIONS
            sized = isinstance(part, Length) and isinstance(part.tensor, Var)
            self.require(known or sized, f"{show(part)[:60]} is no number outside of the kernel")
        self.require(isinstance(type_of(made), ScalarType), "a number is wanted here")
        return made

    def fresh(self, kind: str = "") -> str:
        """Reads a name that nothing of a kind has yet: tiles are never in expressions, and have names of their own."""
        name = self.name()
        self.require(OWN.fullmatch(name) is not None, f"{name!r:.60} is no name for something of a kernel")
        self.require(kind + name not in self.scope.taken, f"{name} is already the name of something else")
        self.scope.taken.add(kind + name)
        return name

    def tile(self) -> Tile:
        """Reads the name of a tile."""
        name = self.name()
        self.require(name in self.scope.tiles, f"there is no tile {name} here")
        return self.scope.tiles[name]

    def integer(self) -> int:
        """Reads a whole number."""
        return -self.whole() if self.take("-") else self.whole()

    def one_of(self, words: Mapping[str, Word]) -> Word:
        """Reads one of some words, and gives what it stands for."""
        if self.next.text not in words:
            raise self.fail(" or ".join(words))
        return words[self.advance().text]

    def entry(self, table: tuple[Any, ...], what: str) -> int:
        """Reads the number of one of several."""
        number = self.whole()
        self.require(number < len(table), f"there is no {what} {number}")
        return number


@dataclass(frozen=True, slots=True)
class Part:
    """How something is written, and read."""

    show: Callable[[Any], str]
    read: Callable[[Line], Any]


def listed(one: Part, opens: str = "[", ends: str = "]") -> Part:
    """Some of them, between brackets."""

    def read(line: Line) -> tuple[Any, ...]:
        found: list[Any] = []
        line.expect(opens)
        while not line.take(ends):
            found.append(one.read(line))
            if not line.at(ends):
                line.expect(",")
        return tuple(found)

    return Part(lambda items: f"{opens}{', '.join(map(one.show, items))}{ends}", read)


def optional(word: str, one: Part) -> Part:
    """One behind a word, or nothing."""
    return Part(
        lambda value: "" if value is None else f"{word} {one.show(value)}",
        lambda line: one.read(line) if line.take(word) else None,
    )


def flag(word: str) -> Part:
    """A word that stands there or not."""
    return Part(lambda value: word if value else "", lambda line: line.take(word))


def _view(line: Line) -> Expr:
    made = line.values(None, {})
    if not (isinstance(made, Build) and isinstance(made.body, Select) and isinstance(made.body.tensor, Var)):
        raise ParseError("what is loaded is a view of an array", 0)
    inside = (part for at in (*made.body.indices, *made.extents) for part in subexpressions(at))
    line.require(not any(isinstance(part, Select) for part in inside), "where a view looks does not depend on elements")
    return made


def _operand(line: Line) -> str | Expr:
    behind = line.tokens[min(line.place + 1, len(line.tokens) - 1)]
    if line.next.text in line.scope.tiles and behind.text in (",", ")"):
        return line.name()
    return line.numbers(None)


def _show_operand(operand: str | Expr) -> str:
    """A tile by its name; a number is no bare name."""
    if isinstance(operand, str):
        return show_name(operand)
    return f"({show(operand)})" if isinstance(operand, Var) else show(operand)


def _let(line: Line) -> Var:
    name = line.name()
    once = name in line.scope.lets and "for" not in line.scope.around
    line.require(once, f"{name} is no intermediate that gets its value here, once")
    line.scope.scalars[name] = line.scope.lets.pop(name)
    return Var(name, line.scope.scalars[name])


def _tile(line: Line) -> Tile:
    name = line.fresh("tile ")
    line.expect(":")
    type_ = line.scalar_type()
    line.expect("[")
    rows = line.numbers()
    line.expect(",")
    columns = line.numbers()
    line.expect("]")
    line.expect("in")
    line.scope.made[name] = line.scope.around
    return line.scope.tiles.setdefault(name, Tile(name, rows, columns, type_, line.one_of(SPACES)))


def _show_tile(tile: Tile) -> str:
    shape = f"{show(tile.rows, INT)}, {show(tile.columns, INT)}"
    return f"{show_name(tile.name)}: {show_type(tile.type)}[{shape}] in {tile.space.value}"


def _inverse(line: Line) -> tuple[Var, Expr]:
    """Which counter or coordinate it is, by the places of the output that was named first."""
    name = line.name()
    line.require(line.scope.scalars.get(name) == INT or name in PLACE, f"{name} is no counter")
    line.expect("=")
    return Var(name, INT), line.numbers(INT, places_of(line))


def places_of(line: Line) -> dict[str, Type]:
    """The places of the output that a line is about: its number is the first word behind the statement's."""
    number = int(line.tokens[1].text)
    return {var.name: var.type for var in line.scope.outputs[number].places}


def typed(type_: Type) -> Part:
    """A number of a type."""
    return Part(lambda expr: show(expr, type_), lambda line: line.numbers(type_))


TILE = Part(show_name, lambda line: line.tile().name)
MADE = Part(_show_tile, _tile)
LET = Part(lambda let: show_name(let.name), _let)
NAME = Part(show_name, Line.name)
INTEGER = Part(str, Line.integer)
NUMBER = Part(show, lambda line: line.numbers(None))
AT = Part(lambda expr: show(expr, INT), lambda line: line.numbers(INT, PLACE))
VALUE = Part(show, lambda line: line.values(None))
VIEW = Part(show, _view)
OPERANDS = listed(Part(_show_operand, _operand), "(", ")")
REDUCTION = Part(lambda op: REDUCTIONS[op], lambda line: line.one_of({name: op for op, name in REDUCTIONS.items()}))
OUTPUT = Part(str, lambda line: line.entry(line.scope.outputs, "output"))
INVERSE = listed(Part(lambda pair: f"{show_name(pair[0].name)} = {show(pair[1], INT)}", _inverse))
