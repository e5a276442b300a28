"""Reads the text of expressions that `metalift.ir.text.printer` writes; what people write by hand may be a little freer.

Precedence climbing: each method reads one construct, the ones of lower precedence call those of higher.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from metalift.ir.expr.nodes import Expr, Operator, Var
from metalift.ir.expr.types import INT, Type
from metalift.ir.interp.functions import FUNCTIONS
from metalift.ir.text import typed_parts as terms
from metalift.ir.text.printer import BINARY_LEVEL, BITOR, COMPARE, FUNCTION_OPERATORS, is_type_name
from metalift.ir.text.tokens import ParseError, Reader, Token, scalar_type, tokenize
from metalift.ir.text.typed_parts import Names, Ranges, Term
from metalift.ir.wellformed.check import IllTyped, check

LARGE = re.compile(r"[0-9]{1000}|[eE][+-]?[0-9]{4}")  # a number that would take long to make, or that Python does not print
_OPERATORS = {op.value: op for op in Operator}
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_BINARY = {op.value: level for op, level in BINARY_LEVEL.items() if level != COMPARE}
_FUNCTIONS = {op.value: op for op in FUNCTION_OPERATORS}


def parse(source: str, env: Names, expected: Type | None = None) -> Expr:
    """The expression that the text stands for; `env` gives the types of its free names. Raises ParseError."""
    try:
        parser = ExpressionReader(tokenize(source))
        term = parser.expression()
        parser.expect_end()
        result = term.make(env, expected)
        check(result)
    except IllTyped as error:
        raise ParseError(str(error), 0) from None
    except RecursionError:
        raise ParseError("the expression is nested too deeply", 0) from None
    return result


def parse_type(source: str) -> Type:
    """The type that `show_type` writes like this. Raises ParseError."""
    reader = Reader(tokenize(source))
    result = reader.type_()
    reader.expect_end()
    return result


class ExpressionReader(Reader):
    """The grammar of expressions."""

    def expression(self) -> Term:
        """Reads an expression of the lowest precedence: a if c else b."""
        then = self.disjunction()
        if not self.take("if"):
            return then
        cond = self.disjunction()
        self.expect("else")
        return terms.choice(cond, then, self.expression())

    def expressions(self, end: str) -> list[Term]:
        """Reads expressions between commas up to and including `end`."""
        found: list[Term] = []
        while not self.take(end):
            found.append(self.expression())
            if not self.at(end):
                self.expect(",")
        return found

    def disjunction(self) -> Term:
        """Reads a or b or ..."""
        return self._joined("or", Operator.OR, self.conjunction)

    def conjunction(self) -> Term:
        """Reads a and b and ..."""
        return self._joined("and", Operator.AND, self.negation)

    def _joined(self, keyword: str, op: Operator, operand: Callable[[], Term]) -> Term:
        found = [operand()]
        while self.take(keyword):
            found.append(operand())
        return found[0] if len(found) == 1 else terms.connective(op, found)

    def negation(self) -> Term:
        """Reads not a."""
        return terms.connective(Operator.NOT, [self.negation()]) if self.take("not") else self.comparison()

    def comparison(self) -> Term:
        """Reads a < b; a chain a <= b < c means what it means in Python."""
        left = self.arithmetic(BITOR)
        links: list[Term] = []
        while self.next.kind == "symbol" and self.next.text in _COMPARISONS:
            symbol = self.advance().text
            right = self.arithmetic(BITOR)
            links.append(terms.comparison(symbol, left, right))
            left = right
        if not links:
            return left
        return links[0] if len(links) == 1 else terms.connective(Operator.AND, links)

    def arithmetic(self, lowest: int) -> Term:
        """Reads operators of at least that level, which associate to the left."""
        left = self.sign()
        while self.next.kind == "symbol" and _BINARY.get(self.next.text, 0) >= lowest:
            symbol = self.advance().text
            left = terms.operator(_OPERATORS[symbol], [left, self.arithmetic(_BINARY[symbol] + 1)])
        return left

    def sign(self) -> Term:
        """Reads -a; a minus before a number belongs to the number."""
        if not self.take("-"):
            return self.postfix()
        if self.next.kind == "number":
            return self.number(negative=True)
        return terms.operator(Operator.NEG, [self.sign()])

    def number(self, negative: bool) -> Term:
        """Reads a number and the type that may stand behind it."""
        token = self.advance()
        if LARGE.search(token.text):
            raise ParseError("the number has too many digits", token.position)
        value = Fraction(token.text)
        return self.literal(-value if negative else value, token, token.text.isdigit())

    def literal(self, value: Fraction, token: Token, is_whole: bool) -> Term:
        """A number that was read, followed or not by its type: 255:i32."""
        type_: Type | None = None
        if self.at(":"):
            after = self.tokens[self.place + 1]
            if after.kind == "name" and is_type_name(after.text) and after.position == self.next.position + 1:
                self.advance()
                type_ = self.scalar_type()
        return terms.literal(value, type_, terms.default_type(is_whole), token.position)

    def postfix(self) -> Term:
        """Reads an atom and the indices behind it."""
        term = self.atom()
        while self.at("["):
            position = self.advance().position
            term = terms.indexed(term, self.expressions("]"), position)
        return term

    def atom(self) -> Term:
        """Reads a number, a name, a call, a tensor, or something in parentheses."""
        token = self.next
        if token.kind == "number":
            return self.number(negative=False)
        if self.take("("):
            return self.parenthesis()
        if self.take("["):
            return self.build(token.position)
        if token.kind == "name" and token.text in ("True", "False"):
            return terms.truth(self.advance().text == "True")
        name = self.name()
        if self.at(":") and self._typed_call_follows():
            self.expect(":")
            type_ = self.type_()
            self.expect("(")
            return terms.typed_call(name, type_, self.expressions(")"))
        if token.kind == "name" and self.take("("):
            return self.call(name, token)
        return terms.variable(name, token.position)

    def _typed_call_follows(self) -> bool:
        """Whether `:type(` is next, without a space behind the colon."""
        start = self.place
        try:
            colon = self.advance()
            glued = self.next.position == colon.position + 1
            self.type_()
            return glued and self.at("(")
        except ParseError:
            return False
        finally:
            self.place = start

    def parenthesis(self) -> Term:
        """Reads what follows an opening parenthesis: (a) is a, (a,) and (a, b) and () are tuples."""
        if self.take(")"):
            return terms.tuple_of([])
        first = self.expression()
        if self.take(")"):
            return Term(first.make, first.typed)
        self.expect(",")
        return terms.tuple_of([first, *self.expressions(")")])

    def ranges(self) -> Ranges:
        """Reads i < n, j < m, ..."""
        binders: list[str] = []
        extents: list[Term] = []
        while True:
            binders.append(self.name())
            self.expect("<")
            extents.append(self.arithmetic(BITOR))
            if not self.take(","):
                return tuple(binders), extents

    def build(self, position: int) -> Term:
        """Reads what follows the bracket of [body for i < n] and [body for i < n where cond]."""
        body = self.expression()
        self.expect("for")
        ranges = self.ranges()
        cond = self.expression() if self.take("where") else None
        self.expect("]")
        return terms.build(body, ranges, position) if cond is None else terms.filter_(body, ranges, cond, position)

    def call(self, name: str, token: Token) -> Term:
        """Reads the arguments of a form, cast, operator or mathematical function."""
        match name:
            case "fold":
                return self.fold()
            case "update":
                return self.update()
            case "forall" | "exists":
                return self.quantifier(name == "forall")
            case "lambda":
                return terms.lambda_(*self.bound(), token.position)
            case "invoke":
                return terms.invoke(self.expressions(")"), token.position)
            case "ratio":
                return self.ratio(token)
            case _:
                return self._plain_call(name, token.position, self.expressions(")"))

    def _plain_call(self, name: str, position: int, args: list[Term]) -> Term:
        if is_type_name(name):
            return terms.cast(scalar_type(name), args, position)
        if name == "len":
            return terms.length(args, position)
        if name in FUNCTIONS:
            return terms.function(name, args, position)
        if name in _FUNCTIONS and args:
            return terms.operator(_FUNCTIONS[name], args)
        raise ParseError(f"{name} is no function known here; another function needs its type: {name}:f32(...)", position)

    def ratio(self, token: Token) -> Term:
        """Reads ratio(n, d), a real that is no decimal."""
        negative = self.take("-")
        numerator = self.whole()
        self.expect(",")
        denominator = self.whole()
        self.expect(")")
        if denominator == 0:
            raise ParseError("a ratio has no denominator 0", token.position)
        return self.literal(Fraction(-numerator if negative else numerator, denominator), token, is_whole=False)

    def fold(self) -> Term:
        """Reads fold(extent, init, acc, index: body)."""
        extent = self.expression()
        self.expect(",")
        init = self.expression()
        self.expect(",")
        acc = self.name()
        self.expect(",")
        index = self.name()
        self.expect(":")
        body = self.expression()
        self.expect(")")
        return terms.fold(extent, init, acc, index, body)

    def update(self) -> Term:
        """Reads update(base, [indices] = value for i < n where guard)."""
        base = self.expression()
        self.expect(",")
        self.expect("[")
        indices = self.expressions("]")
        self.expect("=")
        value = self.expression()
        ranges: Ranges = self.ranges() if self.take("for") else ((), [])
        guard = self.expression() if self.take("where") else None
        self.expect(")")
        return terms.update(base, indices, value, ranges, guard)

    def quantifier(self, universal: bool) -> Term:
        """Reads forall(i, f32 x: body)."""
        return terms.quantifier(universal, *self.bound())

    def bound(self) -> tuple[tuple[Var, ...], Term]:
        """Reads binders and what they are bound in: i, f32 x: body)."""
        binders = [self.binder()]
        while self.take(","):
            binders.append(self.binder())
        self.expect(":")
        body = self.expression()
        self.expect(")")
        return tuple(binders), body

    def binder(self) -> Var:
        """Reads a binder, with its type in front unless that is int."""
        start = self.place
        try:
            type_ = self.type_()
            return Var(self.name(), type_)
        except ParseError:
            self.place = start
            return Var(self.name(), INT)
