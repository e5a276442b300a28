"""Tokens of the text of expressions, names and types."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metalift.ir.expr.types import BOOL, INT, REAL, FunctionType, MachineInt, RealType, ScalarType, TensorType, TupleType, Type
from metalift.ir.text.printer import KEYWORDS, is_type_name

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?(?![A-Za-z0-9_.@]))"
    r"|`(?P<quoted>[^`]*)`|(?P<name>[A-Za-z_@][A-Za-z0-9_.@]*)"
    r"|(?P<symbol>->|<<|>>|<=|>=|==|!=|//|[-+*/%&|^<>()\[\],:=]))"
)
LONGEST = 999  # digits of a number


class ParseError(Exception):
    """The text is no well-formed expression; `position` is where in it."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the text and where it stands."""

    kind: str
    text: str
    position: int


def tokenize(source: str) -> list[Token]:
    """The tokens, the last of which is the end. Raises ParseError."""
    tokens: list[Token] = []
    position = 0
    end = len(source.rstrip())
    while position < end:
        match = _TOKEN.match(source, position)
        if match is None:
            raise ParseError(f"cannot read {source[position : position + 20]!r}", position)
        kind = match.lastgroup or ""
        tokens.append(Token(kind, match.group(kind), match.start(kind)))
        position = match.end()
    tokens.append(Token("end", "", end))
    return tokens


class Reader:
    """A position among tokens; each method reads one construct and leaves the position behind it."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.place = 0

    @property
    def next(self) -> Token:
        """The token that is read next."""
        return self.tokens[self.place]

    def fail(self, wanted: str) -> ParseError:
        """The error that something else stands here."""
        found = self.next.text or "the end"
        return ParseError(f"expected {wanted}, found {found}", self.next.position)

    def advance(self) -> Token:
        """Reads whatever is next."""
        token = self.next
        self.place += 1
        return token

    def at(self, symbol: str) -> bool:
        """Whether this symbol or keyword is next."""
        return self.next.text == symbol and self.next.kind in ("symbol", "name")

    def take(self, symbol: str) -> bool:
        """Reads the symbol or keyword if it is next."""
        found = self.at(symbol)
        self.place += found
        return found

    def expect(self, symbol: str) -> None:
        """Reads the symbol or keyword."""
        if not self.take(symbol):
            raise self.fail(symbol)

    def expect_end(self) -> None:
        """Nothing may follow."""
        if self.next.kind != "end":
            raise self.fail("the end")

    def name(self) -> str:
        """Reads a name that is no keyword."""
        token = self.next
        if token.kind == "quoted" or (token.kind == "name" and token.text not in KEYWORDS):
            self.place += 1
            return token.text
        raise self.fail("a name")

    def whole(self) -> int:
        """Reads a whole number without a sign."""
        token = self.next
        if token.kind != "number" or not token.text.isdigit() or len(token.text) > LONGEST:
            raise self.fail("a whole number")
        self.place += 1
        return int(token.text)

    def type_(self) -> Type:
        """Reads a type."""
        if self.take("("):
            items: list[Type] = []
            while not self.take(")"):
                items.append(self.type_())
                if not self.at(")"):
                    self.expect(",")
            return self._function(items) if self.take("->") else TupleType(tuple(items))
        scalar = self.scalar_type()
        if not self.take("["):
            return scalar
        rank = 1
        while self.take(","):
            rank += 1
        self.expect("]")
        return TensorType(scalar, rank)

    def _function(self, params: list[Type]) -> FunctionType:
        """Reads what follows the arrow of a function's type."""
        if not all(isinstance(param, ScalarType) for param in params):
            raise self.fail("scalars as parameters of a function")
        return FunctionType(tuple(param for param in params if isinstance(param, ScalarType)), self.scalar_type())

    def scalar_type(self) -> ScalarType:
        """Reads the name of a scalar type."""
        name = self.next.text
        if self.next.kind != "name" or not is_type_name(name):
            raise self.fail("a type")
        self.place += 1
        return scalar_type(name)


def scalar_type(name: str) -> ScalarType:
    """The scalar type of that name, which `is_type_name` accepts."""
    match name:
        case "int":
            return INT
        case "real":
            return REAL
        case "bool":
            return BOOL
        case _:
            bits = int(name[1:])
            return RealType(bits) if name[0] == "f" else MachineInt(bits, name[0] == "i")
