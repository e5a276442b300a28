"""Strings that are read character by character: lists of code points, and characters, which are such numbers by themselves.

What Python's methods say of a character is read for ASCII alone: a run on others does not count where one is asked.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from metalift.frontend.lower.c_scalars import choose, connect
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.reader.context import Context
from metalift.frontend.python.stands_for import Again, Char, Value
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import FALSE, Apply, Const, Expr, Operator, Var, integer, type_of
from metalift.ir.expr.types import STRING
from metalift.ir.interp.identities import content
from metalift.ir.program.fragment import Assume, Ground

_RANGES = {
    "isdigit": ("09",),
    "isdecimal": ("09",),
    "isnumeric": ("09",),
    "isupper": ("AZ",),
    "islower": ("az",),
    "isalpha": ("AZ", "az"),
    "isalnum": ("09", "AZ", "az"),
    "isspace": ("\t\r", "\x1c "),
}
_CASES = {"lower": ("AZ", 32), "upper": ("az", -32), "casefold": ("AZ", 32)}
_SUPPORTED = "supported are comparisons with characters, `in` literals, ord, int, isdigit, isalpha, lower and the like"


def text_of(value: Value) -> str | None:
    """The text of a string that is known."""
    meant = content(int(value.value)) if isinstance(value, Const) and value.type == STRING else None
    return meant if isinstance(meant, str) else None


@dataclass(slots=True)
class Characters:
    """Reads what is asked of characters."""

    context: Context

    def character(self, value: Value) -> Value:
        """A literal of one character, or a parameter that is compared with one, as a character."""
        text = text_of(value)
        if text is not None and len(text) == 1:
            return Char(integer(ord(text)))
        if isinstance(value, Var) and type_of(value) == STRING and any(value == var for var, _ in self.context.params):
            self.context.known.characters.add(value.name)
            raise Again
        return value

    def compared(self, relation: str, left: Value, right: Value, node: ast.AST) -> Expr:
        """A comparison of a character with another value."""
        one, other = self.character(left), self.character(right)
        if isinstance(one, Char) and isinstance(other, Char):
            return scalars.compare(relation, one.code, other.code)
        if relation in ("eq", "ne") and any(text_of(each) is not None for each in (one, other)):
            return FALSE if relation == "eq" else neg(FALSE)  # one of another length
        self.context.refuse(node, f"a character compared with something else; {_SUPPORTED}")

    def inside(self, value: Char, text: str) -> Expr:
        """Whether a string that is known has the character."""
        result: Expr = FALSE
        for each in dict.fromkeys(text):
            result = connect("or", result, scalars.compare("eq", value.code, integer(ord(each))))
        return result

    def digit(self, value: Char, node: ast.AST) -> Expr:
        """int(c): other digits than those of ASCII are not read, what is no digit raises."""
        self._only(self._between(value.code, "09"), f"{ast.unparse(node)} is of a digit from 0 to 9", node)
        return scalars.add(Operator.SUB, value.code, integer(ord("0")))

    def method(self, value: Char, name: str, node: ast.Call) -> Value:
        """A method of a character."""
        if node.args or node.keywords or name not in {*_RANGES, *_CASES}:
            self.context.refuse(node, f"the method {name!r} of a character; {_SUPPORTED}")
        self._only(Apply(Operator.LT, (value.code, integer(128))), f"{ast.unparse(node)} is of an ASCII character", node)
        if name in _CASES:
            range_, more = _CASES[name]
            moved = scalars.add(Operator.ADD, value.code, integer(more))
            return Char(choose(self._between(value.code, range_), moved, value.code))
        result: Expr = FALSE
        for each in _RANGES[name]:
            result = connect("or", result, self._between(value.code, each))
        return result

    def _between(self, code: Expr, ends: str) -> Expr:
        low, high = (integer(ord(each)) for each in ends)
        return connect("and", scalars.compare("le", low, code), scalars.compare("le", code, high))

    def _only(self, cond: Expr, text: str, node: ast.AST) -> None:
        self.context.emit(Assume(cond, text, self.context.here(node), Ground.RESTRICTION))
