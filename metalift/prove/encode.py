"""Ground expressions as SMT-LIB: integers are Int, reals are Real, arrays and folds are uninterpreted functions.

C's integer semantics are spelled out: truncating division over SMT's Euclidean one, wrap-around as `mod 2^bits`. A promise
of the source (machine arithmetic does not overflow) is used by reading such arithmetic as exact. Nonlinear arithmetic
(products of two unknowns, with commutativity stated for each, quotients, shifts by unknown amounts, wrap-around out of range) can
be left opaque, as uninterpreted functions: less is then provable, nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import assert_never

from metalift.ir.arith.intervals import LONGEST
from metalift.ir.arith.masks import without_low_bits
from metalift.ir.arith.polynomial import Monomial, Polynomial, widens
from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Exists,
    Expr,
    Filter,
    Fold,
    Forall,
    Invoke,
    Ite,
    Item,
    Lambda,
    Length,
    MakeTuple,
    Operator,
    Select,
    Update,
    Var,
    type_of,
)
from metalift.ir.expr.types import (
    BoolType,
    FunctionType,
    IntType,
    MachineInt,
    RealType,
    TensorType,
    TupleType,
    Type,
    is_integer,
    show_type,
)
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.interp.functions import EXTERNAL
from metalift.prove.bits import BITWISE, is_bitwise, natural_width, signed_width, with_low_bits, wrapped
from metalift.prove.folds import ClosedFold, closed

LOGICAL = "!"  # marks names that are not the source's
VERSION = "@"  # marks what a variable or an array is in a loop
NAME_LIMIT = 48  # longer texts get a name of their own, so that shared subterms are written once


class NotEncodable(Exception):
    """The expression has no ground first-order form here."""


def sort(type_: Type) -> str:
    """The SMT sort of a scalar type."""
    match type_:
        case BoolType():
            return "Bool"
        case IntType() | MachineInt():
            return "Int"
        case RealType():
            return "Real"
        case TupleType() | TensorType() | FunctionType():
            raise NotEncodable(f"no sort for {type_}")
        case _:
            assert_never(type_)


def symbol(name: str) -> str:
    """A quoted SMT symbol that is no symbol of SMT-LIB and none of the script's own: names of the source get a `$`.

    The names of the language hold neither bars nor backslashes.
    """
    if set(name) & set("|\\\n"):  # a command is a line
        raise NotEncodable(f"the name {name!r} cannot be an SMT symbol")
    return f"|{name}|" if LOGICAL in name else f"|${name}|"


def numeral(value: int) -> str:
    """An integer literal."""
    return str(value) if value >= 0 else f"(- {-value})"


def rational(value: Fraction) -> str:
    """A real literal, exact."""
    top = f"{abs(value.numerator)}.0"
    text = top if value.denominator == 1 else f"(/ {top} {value.denominator}.0)"
    return text if value >= 0 else f"(- {text})"


def _has_no_elements(expr: Expr) -> bool:
    """Whether a number is made of sizes and other parameters: of elements, what is rounded stays an unknown function of them, as
    solvers are slow where whole and real numbers are mixed.
    """
    return not any(isinstance(part, Select | Fold) for part in subexpressions(expr))


@dataclass(slots=True)
class Encoder:
    """Collects declarations, definitions and facts while it turns expressions into text."""

    opaque: bool = False
    by_constants: bool = False  # divisions by constants are native even so
    declarations: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    texts: dict[Expr, str] = field(default_factory=dict)
    folds: dict[Expr, str] = field(default_factory=dict)
    facts: set[str] = field(default_factory=set)

    def script(self, formulas: Iterable[Expr]) -> str:
        """A self-contained SMT-LIB file that asserts all formulas and asks whether they are satisfiable."""
        asserted = [f"(assert {self.encode(formula)})" for formula in formulas]
        body = [*self.declarations.values(), *self.lines]
        return "\n".join(["(set-logic ALL)", *order(body), *asserted, "(check-sat)", ""])

    def encode(self, expr: Expr) -> str:
        """The SMT-LIB term of a ground expression."""
        text = self.texts.get(expr)
        if text is None:
            text = self.shared(self.term(expr), type_of(expr))
            self.texts[expr] = text
            self.range_fact(expr, text)
        return text

    def shared(self, text: str, type_: Type) -> str:
        """A name for a long text."""
        if len(text) <= NAME_LIMIT:
            return text
        name = f"e{len(self.lines)}"
        self.lines.append(f"(define-fun {name} () {sort(type_)} {text})")
        return name

    def declare(self, name: str, arguments: list[str], result: str) -> str:
        """An uninterpreted function or constant."""
        quoted = symbol(name)
        line = f"(declare-fun {quoted} ({' '.join(arguments)}) {result})"
        if self.declarations.setdefault(name, line) != line:
            raise NotEncodable(f"{name} is used with two types")
        return quoted

    def fact(self, text: str) -> None:
        """Assert what holds of a term by its meaning, once."""
        line = f"(assert {text})"
        if line not in self.facts:
            self.facts.add(line)
            self.lines.append(line)

    def range_fact(self, expr: Expr, text: str) -> None:
        """What the source holds in a variable or an element of a machine type, or what a function of its own returns, is in the
        type's range.

        Names with "!" are not the source's (defined versions of arrays, witnesses); of those nothing is known.
        """
        type_ = type_of(expr)
        held = expr.tensor if isinstance(expr, Select) else expr
        returned = isinstance(expr, Call) and expr.function.startswith(EXTERNAL)
        if isinstance(type_, MachineInt) and (returned or (isinstance(held, Var) and LOGICAL not in held.name)):
            self.lines.append(f"(assert (<= {numeral(type_.low)} {text} {numeral(type_.high)}))")
        if isinstance(expr, Length):
            self.lines.append(f"(assert (<= 0 {text} {LONGEST}))")

    def term(self, expr: Expr) -> str:  # noqa: C901 (one case for each node)
        """The text of one node."""
        match expr:
            case Var(name, type_):
                return self.declare(name, [], sort(type_))
            case Const(value, type_):
                return self.constant(value, type_)
            case Apply():
                return self.apply(expr)
            case Cast(arg, type_):
                return self.cast(arg, type_)
            case Ite(cond, then, other):
                return f"(ite {self.encode(cond)} {self.encode(then)} {self.encode(other)})"
            case Select(Var(name, TensorType(element, rank)), cell):
                function = self.declare(name, ["Int"] * rank, sort(element))
                return f"({function} {' '.join(map(self.encode, cell))})"
            case Length(Var(name, _), axis):
                return self.declare(f"{name}!len{axis}", [], "Int")
            case Call("floor", (arg,), _) if _has_no_elements(arg):
                return f"(to_real (to_int {self.encode(arg)}))"
            case Call("ceil", (arg,), _) if _has_no_elements(arg):
                return f"(- (to_real (to_int (- {self.encode(arg)}))))"
            case Call(function, args, type_):
                if not args:
                    return self.declare(f"{function}!fn", [], sort(type_))
                named = self.declare(f"{function}!fn", [sort(type_of(arg)) for arg in args], sort(type_))
                return f"({named} {' '.join(map(self.encode, args))})"
            case Fold():
                return self.fold(closed(expr), None)
            case Item(Fold() as fold, position):
                return self.fold(closed(fold), position)
            case Item(MakeTuple(items), position):
                return self.encode(items[position])
            case Item(Ite(cond, then, other), position):
                return self.encode(Ite(cond, Item(then, position), Item(other, position)))
            case Select() | Length() | Item() | MakeTuple() | Build() | Filter() | Update() | Forall() | Exists():
                raise NotEncodable(f"{type(expr).__name__} in a place that has no ground form")
            case Lambda() | Invoke():
                raise AssertionError("functions are applied before anything is proved")
            case _:
                assert_never(expr)

    def constant(self, value: bool | int | Fraction, type_: Type) -> str:
        if isinstance(type_, BoolType):
            return "true" if value else "false"
        return rational(Fraction(value)) if isinstance(type_, RealType) else numeral(int(value))

    # Folds

    def fold(self, fold: ClosedFold, position: int | None) -> str:
        """A fold is a function of its extent and of what its body captures; equal bodies share the function."""
        base = self.folds.setdefault(fold.key, f"{len(self.folds)}!fold")
        result = fold.type if position is None else fold.component(position)
        name = base if position is None else f"{base}.{position}"
        arguments = (fold.extent, *fold.captured)
        function = self.declare(name, [sort(type_of(arg)) for arg in arguments], sort(result))
        return f"({function} {' '.join(map(self.encode, arguments))})"

    # Operators

    def apply(self, expr: Apply) -> str:  # noqa: C901 (one case for each kind of operator)
        """An operator; integer sums and products go through their polynomial, so equal ones are equal texts."""
        op, args = expr.op, expr.args
        integers = is_integer(type_of(args[0]))
        if integers and op in (Operator.ADD, Operator.SUB, Operator.MUL, Operator.NEG):
            return self.polynomial(Polynomial.of(expr))
        if integers and op in (Operator.EQ, Operator.LE, Operator.LT):
            return self.comparison(op, args[0], args[1])
        texts = [self.encode(arg) for arg in args]
        if op in SIMPLE:
            return f"({SIMPLE[op]} {' '.join(texts)})"
        match op:
            case Operator.MUL:
                return self.product(args, texts, "Real")
            case Operator.DIV:
                return self.quotient(args, texts)
            case Operator.MIN | Operator.MAX:
                a, b = texts
                return f"(ite ({'<=' if op is Operator.MIN else '>='} {a} {b}) {a} {b})"
            case Operator.ABS:
                zero = "0" if integers else "0.0"
                return f"(ite (>= {texts[0]} {zero}) {texts[0]} (- {texts[0]}))"
            case Operator.FMOD if isinstance(args[1], Const) and (size := int(args[1].value)) & (size - 1) == 0 < size:
                return self.low_bits(args[0], size.bit_length() - 1)
            case Operator.TDIV | Operator.TREM | Operator.FDIV | Operator.FMOD:
                linear = isinstance(args[1], Const) and args[1].value > 0 and (self.by_constants or not self.opaque)
                return self.division(op, texts[0], texts[1], linear=linear)
            case Operator.SHL | Operator.SHR:
                return self.shift(op, args, texts)
            case Operator.BITAND | Operator.BITOR | Operator.BITXOR:
                return self.bitwise(op, args, type_of(args[0]))
            case _:
                raise NotEncodable(f"operator {op.value} has no encoding")

    def polynomial(self, poly: Polynomial) -> str:
        """A sum of monomials."""
        terms = [self.monomial(atoms, factor) for atoms, factor in poly.terms]
        if not terms:
            return "0"
        return terms[0] if len(terms) == 1 else f"(+ {' '.join(terms)})"

    def monomial(self, atoms: Monomial, factor: int) -> str:
        if not atoms:
            return numeral(factor)
        atoms = tuple(sorted(atoms, key=is_changing))  # opaque ones are equal where these are, without a fact on their order
        text = self.product(atoms, [self.encode(atom) for atom in atoms], "Int")
        if factor == 1:
            return text
        return f"(- {text})" if factor == -1 else f"(* {numeral(factor)} {text})"

    def comparison(self, op: Operator, left: Expr, right: Expr) -> str:
        """left op right with everything that cancels gone."""
        positive, negative = compared(left, right)
        return f"({SIMPLE[op]} {self.polynomial(positive)} {self.polynomial(negative)})"

    def product(self, args: tuple[Expr, ...], texts: list[str], kind: str) -> str:
        """Native where at most one factor is not a constant; otherwise native or opaque."""
        if len(texts) == 1:
            return texts[0]
        if not self.opaque or sum(not isinstance(arg, Const) for arg in args) <= 1:
            return f"(* {' '.join(texts)})"
        function = self.declare(f"product!{kind}", [kind, kind], kind)
        result = texts[0]
        for text in texts[1:]:
            here = f"({function} {result} {text})"
            self.fact(f"(= {here} ({function} {text} {result}))")
            result = here
        return result

    def quotient(self, args: tuple[Expr, ...], texts: list[str]) -> str:
        """A product with the divisor's inverse. The inverse of 0 is any number: a division by it is outside every claim."""
        if isinstance(args[1], Const) and args[1].value != 0:
            return f"(/ {texts[0]} {texts[1]})"
        inverse = f"({self.declare('inverse!Real', ['Real'], 'Real')} {texts[1]})"
        if not self.opaque:
            self.fact(f"(or (= {texts[1]} 0.0) (= (* {texts[1]} {inverse}) 1.0))")
        if isinstance(args[0], Const):
            return f"(* {texts[0]} {inverse})"
        return self.product((args[0], args[1]), [texts[0], inverse], "Real")

    def division(self, op: Operator, a: str, b: str, *, linear: bool = False) -> str:
        """Rounding and sign of the remainder on top of Euclidean division; by a positive constant it is linear, and native."""
        if linear and op in (Operator.FDIV, Operator.FMOD):
            return f"({'div' if op is Operator.FDIV else 'mod'} {a} {b})"
        if self.opaque and not linear:
            return f"({self.declare(f'{op.name}!Int', ['Int', 'Int'], 'Int')} {a} {b})"
        if op is Operator.FDIV:
            return f"(ite (> {b} 0) (div {a} {b}) (div (- {a}) (- {b})))"
        if op is Operator.FMOD:
            return f"(ite (> {b} 0) (mod {a} {b}) (- (mod (- {a}) {b})))"
        if op is Operator.TDIV:
            return f"(ite (>= {a} 0) (div {a} {b}) (- (div (- {a}) {b})))"
        return f"(ite (>= {a} 0) (mod {a} {b}) (- (mod (- {a}) {b})))"

    def shift(self, op: Operator, args: tuple[Expr, ...], texts: list[str]) -> str:
        """A product with a power of two, or a quotient by one."""
        amount = args[1]
        if isinstance(amount, Const) and 0 <= amount.value < 64:
            power = str(1 << int(amount.value))
        elif self.opaque:
            return self.opaque_shift(op, args, texts)
        else:
            power = f"({self.declare('power!2', ['Int'], 'Int')} {texts[1]})"
            for exponent in reversed(range(64)):
                power = f"(ite (= {texts[1]} {exponent}) {1 << exponent} {power})"
            power = self.shared(power, IntType())
        return f"(* {texts[0]} {power})" if op is Operator.SHL else f"(div {texts[0]} {power})"

    def opaque_shift(self, op: Operator, args: tuple[Expr, ...], texts: list[str]) -> str:
        """By an unknown amount: to the right, the result is between the value and 0, or -1 where the value is negative."""
        value, amount = texts
        if op is Operator.SHL:
            power = f"({self.declare('power!2', ['Int'], 'Int')} {amount})"
            self.fact(f"(=> (<= 0 {amount}) (<= 1 {power}))")
            return self.product(args, [value, power], "Int")
        result = f"({self.declare('SHR!Int', ['Int', 'Int'], 'Int')} {value} {amount})"
        self.fact(f"(=> (<= 0 {amount}) (ite (<= 0 {value}) (<= 0 {result} {value}) (<= {value} {result} (- 1))))")
        return result

    def bitwise(self, op: Operator, args: tuple[Expr, ...], type_: Type) -> str:
        """The bits of the type, by bit vectors of its width; of unbounded integers only masks of low bits, or of the others, are.

        Conversions of the operands that keep these bits are no part of the text, so that equal ones are equal texts.
        """
        for mask, other in (args, args[::-1]):
            if op is not Operator.BITAND or not isinstance(mask, Const):
                continue
            value = type_.wrap(int(mask.value)) if isinstance(type_, MachineInt) else int(mask.value)
            low = with_low_bits(other, type_)
            if value & (value + 1) == 0 <= value:
                return self.low_bits(low, value.bit_length())
            step = without_low_bits(value, type_)
            if step is not None:
                text = self.encode(Cast(low, type_))
                return f"(- {text} (mod {text} {step}))"
        if not isinstance(type_, MachineInt):
            texts = " ".join(map(self.encode, args))
            return f"({self.declare(f'{BITWISE[op]}!Int', ['Int', 'Int'], 'Int')} {texts})"
        width = natural_width(Apply(op, args))
        if width is not None and 0 < width < type_.bits:  # the bits above are 0 in all operands
            return f"(bv2nat {self.vector(Apply(op, args), MachineInt(width, signed=False))})"
        width = signed_width(Apply(op, args)) if type_.signed else None
        if width is not None and width < type_.bits:  # the bits above are those of the sign in all operands
            type_ = MachineInt(width, signed=True)
        bits = f"(bv2nat {self.vector(Apply(op, args), type_)})"
        return wrapped(bits, type_) if type_.signed else bits

    def low_bits(self, expr: Expr, number: int) -> str:
        """The integer of so many low bits, those of a bitwise operator without the others."""
        type_ = MachineInt(number, signed=False)
        if number and is_bitwise(with_low_bits(expr, type_)):
            return f"(bv2nat {self.vector(expr, type_)})"
        return f"(mod {self.encode(expr)} {1 << number})"

    def vector(self, expr: Expr, type_: MachineInt) -> str:
        """The low bits of an integer. Those of a bitwise operator come from its operands' low bits."""
        low = with_low_bits(expr, type_)
        if is_bitwise(low):
            return f"({BITWISE[low.op]} {' '.join(self.vector(arg, type_) for arg in low.args)})"
        return f"((_ int2bv {type_.bits}) {self.encode(low)})"

    def wrap(self, text: str, target: MachineInt) -> str:
        """Conversion to a narrower type; opaque where the value does not fit."""
        if not self.opaque:
            return wrapped(text, target)
        function = self.declare(f"{show_type(target)}!wrap", ["Int"], "Int")
        bounds = f"{numeral(target.low)} {{}} {numeral(target.high)}"
        self.fact(f"(<= {bounds.format(f'({function} {text})')})")
        return f"(ite (<= {bounds.format(text)}) {text} ({function} {text}))"

    def cast(self, arg: Expr, target: Type) -> str:
        """Conversions as `metalift.ir.expr.nodes.Cast` defines them."""
        source, low = type_of(arg), with_low_bits(arg, target)
        if isinstance(target, MachineInt) and is_bitwise(low):
            return self.bitwise(low.op, low.args, target)
        text = self.encode(arg)
        match target:
            case RealType():
                if isinstance(source, BoolType):
                    return f"(ite {text} 1.0 0.0)"
                return text if isinstance(source, RealType) else f"(to_real {text})"
            case IntType() | MachineInt():
                if isinstance(source, BoolType):
                    return f"(ite {text} 1 0)"
                if isinstance(source, RealType):
                    return f"(ite (>= {text} 0.0) (to_int {text}) (- (to_int (- {text}))))"
                return text if widens(source, target) or isinstance(target, IntType) else self.wrap(text, target)
            case _:
                raise NotEncodable(f"a cast to {target}")


SIMPLE = {
    Operator.ADD: "+",
    Operator.SUB: "-",
    Operator.NEG: "-",
    Operator.LT: "<",
    Operator.LE: "<=",
    Operator.EQ: "=",
    Operator.AND: "and",
    Operator.OR: "or",
    Operator.NOT: "not",
}


@lru_cache(maxsize=1 << 14)
def compared(left: Expr, right: Expr) -> tuple[Polynomial, Polynomial]:
    """The two sides of a comparison without what is on both."""
    return (Polynomial.of(left) - Polynomial.of(right)).signs


def order(lines: list[str]) -> list[str]:
    """Declarations first; definitions and facts keep the order in which they were made, which is that of their use."""
    declared = [line for line in lines if line.startswith("(declare")]
    return declared + [line for line in lines if not line.startswith("(declare")]


def is_changing(atom: Expr) -> bool:
    """Whether it is about a version of a variable in a loop, or a constant in place of a binder: not the same in all of it."""
    return any(VERSION in var.name or LOGICAL in var.name for var in free_vars(atom))
