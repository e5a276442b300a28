"""Plain numbers that are floats in the source: where the text has to convert an integer, and to which width it rounds.

Python mixes integers and floats, so that most conversions need no text. Where all operands are integers it would compute exactly,
and without an end: there one of them is converted. A number that only results depend on is of the source's own width, 32 bits
too, if the target has such numbers; beside tensors it is one of Python's, which every library takes, and rounds itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from metalift.codegen.spelled import spelled_as
from metalift.driver import Driver, Target
from metalift.driver.expansion import expand
from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.expr.build import tuple_items
from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Const, Expr, Ite, Lambda, Length, Operator, Var, type_of
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT64, RealType, TensorType, Type, is_integer
from metalift.ir.expr.walk import binders_of, children, free_vars, map_children, rebuild
from metalift.ir.program.summary import Let, TargetProgram

FLOAT_TEXT = "float({a})"
ARITHMETIC = frozenset({Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV})
DIGITS = {32: 24, 64: 53, 0: 53}  # binary digits up to which a type has all integers


class Kind(Enum):
    """What a real number is in the text."""

    INTEGER = "an integer, which Python converts where it meets a float"
    PYTHON = "a float of Python's"
    NARROW = "a float of 32 bits"


@dataclass
class Rounding:
    """Writes conversions into the values of a program.

    `kinds` are those of its intermediates that are plain numbers, and of these `apart` are the ones on which only results depend.
    """

    driver: Driver
    target: Target
    parameters: frozenset[Var]
    kinds: dict[Var, Kind] = field(default_factory=dict)
    apart: set[Var] = field(default_factory=set)

    def learn(self, program: TargetProgram) -> None:
        """Which of the program's intermediates are plain numbers, and what depends on them."""
        for let in program.lets:
            if self.is_number(let.value):
                self.kinds[let.var] = Kind.PYTHON
        beside = frozenset(var for write in program.writes for var in free_vars(write.value))
        if program.result is not None and not self._are_numbers(program.result):
            beside |= free_vars(program.result)
        for let in reversed(program.lets):
            if let.var in self.kinds and let.var not in beside:
                self.apart.add(let.var)
            else:
                beside |= free_vars(let.value)

    def _are_numbers(self, result: Expr) -> bool:
        return all(map(self.is_number, tuple_items(result)))

    def intermediate(self, let: Let) -> Expr:
        """The value of an intermediate with its conversions."""
        made = self._settled(let.value, alone=let.var in self.apart)
        if let.var in self.kinds:
            self.kinds[let.var] = self.kind(made)
        return made

    def result(self, expr: Expr) -> Expr:
        """A result with its conversions: a float is none of Python's integers."""
        number = self.is_number(expr)
        made = self._settled(expr, alone=number)
        return self._converted(made) if number and isinstance(type_of(expr), RealType) else made

    def written(self, expr: Expr) -> Expr:
        """What becomes elements of an array, with its conversions."""
        made = self._settled(expr, alone=False)
        return self._converted(made, narrow=False) if self._is_long(made, frozenset()) else made

    def is_number(self, expr: Expr, bound: frozenset[Var] = frozenset()) -> bool:
        """Whether the text computes it as a plain number; `bound` are variables that stand for elements of tensors."""
        if isinstance(type_of(expr), TensorType):
            return False
        if self.target.lists:
            return free_vars(expr).isdisjoint(bound)
        match expr:
            case Var():
                return expr not in bound and (expr in self.parameters or expr in self.kinds)
            case Const() | Length():
                return True
            case Apply() | Cast() | Ite():
                return all(self.is_number(child, bound) for child in children(expr))
            case Call(function, args):
                operator = self.driver.operators.get(function)
                spelled = operator is None or operator.spelling(self.target.name, on_numbers=True) is not None
                return spelled and all(self.is_number(arg, bound) for arg in args)
            case _:
                return False

    def kind(self, expr: Expr) -> Kind:
        """What a plain number is in the text."""
        match expr:
            case Var():
                return self.kinds.get(expr, Kind.PYTHON)
            case Cast(arg, RealType()) if not isinstance(type_of(arg), RealType):
                return Kind.INTEGER if is_integer(type_of(arg)) else Kind.PYTHON
            case Cast(arg, RealType()):
                return self.kind(arg)
            case Call(function) if function == self._narrow:
                return Kind.NARROW
            case Apply() | Ite() | Call() if (self.operator(expr) or isinstance(expr, Ite)) and type_of(expr) == FLOAT:
                narrow = any(self.kind(child) is Kind.NARROW for child in children(expr))
                return Kind.NARROW if narrow else Kind.PYTHON
            case _:
                return Kind.PYTHON

    @property
    def _narrow(self) -> str:
        """The function that makes a number of 32 bits; one of 64 where the target has no others."""
        layout = self.target.layout
        return spelled_as(layout.narrow if layout is not None and layout.narrow else FLOAT_TEXT, "a")

    def _settled(self, expr: Expr, *, alone: bool, bound: frozenset[Var] = frozenset()) -> Expr:
        """The expression with conversions in all of its parts, but not of itself."""
        if isinstance(expr, Lambda) and self.target.layout is not None and self.target.layout.columns:
            return expr
        inner = bound if isinstance(expr, Lambda) else bound.union(binders_of(expr))
        made = map_children(lambda child: self._settled(child, alone=alone, bound=inner), expr)
        return self._with_operands(made, alone=alone) if self.is_number(expr, bound) else self._beside(made, inner)

    def _beside(self, expr: Expr, bound: frozenset[Var]) -> Expr:
        """What is no plain number, with those operands converted that are integers of more than 64 bits."""
        parts = [self._converted(each, narrow=False) if self._is_long(each, bound) else each for each in children(expr)]
        return rebuild(expr, tuple(parts)) if isinstance(expr, Call | Build) else expr

    def _is_long(self, expr: Expr, bound: frozenset[Var]) -> bool:
        """Whether it is a plain integer that a library may not take."""
        long = isinstance(expr, Cast) and isinstance(expr.type, RealType) and is_integer(type_of(expr.arg))
        return long and self.is_number(expr, bound) and not self._within(expr, Interval(INT64.low, INT64.high))

    def _with_operands(self, expr: Expr, *, alone: bool) -> Expr:
        """A plain number whose operands are floats where they have to be."""
        parts = list(children(expr))
        real = [at for at, part in enumerate(parts) if isinstance(type_of(part), RealType)]
        if not real or isinstance(expr, Cast):
            return self._between(expr, alone=alone) if isinstance(expr, Cast) else expr
        operator = self.operator(expr)
        if operator in ARITHMETIC:
            chosen = self._of_arithmetic(parts, operator, alone=alone)
        elif type_of(expr) == BOOL:
            chosen = [at for at in real if alone and not self._is_left(parts[at])]
        elif isinstance(expr, Call) and operator is None:
            chosen = []  # functions of Python convert what they are given
        else:
            chosen = real
        for at in chosen:
            parts[at] = self._converted(parts[at], narrow=alone, weak=operator is Operator.DIV)
        return rebuild(expr, tuple(parts))

    def _of_arithmetic(self, parts: list[Expr], operator: Operator, *, alone: bool) -> list[int]:
        """Which operand is converted so that Python converts the other one."""
        kinds = [self.kind(part) for part in parts]
        integers = [at for at, kind in enumerate(kinds) if kind is Kind.INTEGER]
        if alone and self._is_narrow(type_of(parts[0])):
            needed = bool(integers) and Kind.NARROW not in kinds
        elif operator is Operator.DIV:
            needed = alone and len(integers) == 2 and not all(map(self._is_left, parts))
        else:
            needed = len(integers) == len(parts)
        first = 0 if operator is Operator.DIV else min(integers, default=0)
        return [first] if needed else []

    def _between(self, expr: Cast, *, alone: bool) -> Expr:
        """A conversion of a plain number that is a float already."""
        arg, source = expr.arg, type_of(expr.arg)
        if not isinstance(source, RealType) or not alone:
            return expr
        if is_integer(expr.type):
            return expr if self._is_exact(arg, source) else replace(expr, arg=self._converted(arg))
        if self._is_narrow(expr.type) and not self._is_narrow(source):
            return Call(self._narrow, (arg,), expr.type)
        if self._is_narrow(source) and not self._is_narrow(expr.type):
            arg = arg if self._is_exact(arg, source) else self._converted(arg)
            if self.kind(arg) is Kind.NARROW and isinstance(expr.type, RealType):
                return Call(spelled_as(FLOAT_TEXT, "a"), (arg,), expr.type)
            return replace(expr, arg=arg)
        return expr

    def _is_narrow(self, type_: Type) -> bool:
        """Whether the target has numbers of the type, of 32 bits."""
        return type_ == FLOAT and self._narrow != spelled_as(FLOAT_TEXT, "a")

    def _converted(self, expr: Expr, *, narrow: bool = True, weak: bool = False) -> Expr:
        """The number as a float, if it is an integer in the text; `weak`: one of 32 bits, if it is one of Python's."""
        type_ = type_of(expr)
        kind = self.kind(expr)
        if kind is not Kind.INTEGER and not (weak and narrow and kind is Kind.PYTHON and self._is_narrow(type_)):
            return expr
        assert isinstance(type_, RealType)
        function = self._narrow if narrow and self._is_narrow(type_) else spelled_as(FLOAT_TEXT, "a")
        return Call(function, (expr,), type_)

    def operator(self, expr: Expr) -> Operator | None:
        """The scalar operator that it applies, if it is one of the driver's that does no more."""
        match expr:
            case Apply(op):
                return op
            case Call(function, args, type_) if function in self.driver.operators:
                instance = self.driver.operators[function].instantiate(tuple(type_of(arg) for arg in args), type_)
                body = instance.body
                return body.op if isinstance(body, Apply) and body.args == tuple(instance.params) else None
            case _:
                return None

    def _is_left(self, expr: Expr) -> bool:
        """Whether a comparison or a quotient needs no conversion: of Python's own integers the source's are exact, too."""
        own = isinstance(expr, Cast) and type_of(expr.arg) == INT
        return own or self._is_exact(expr, type_of(expr))

    def _is_exact(self, expr: Expr, type_: Type) -> bool:
        """Whether it is no integer in the text, or one that the type has."""
        assert isinstance(type_, RealType)
        most = 1 << DIGITS[type_.bits]
        return self.kind(expr) is not Kind.INTEGER or self._within(expr, Interval(-most, most))

    def _within(self, expr: Expr, limits: Interval) -> bool:
        """Whether an integer that is meant as a float lies between the limits."""
        while isinstance(expr, Cast) and isinstance(expr.type, RealType):
            expr = expr.arg
        return is_integer(type_of(expr)) and interval(expand(expr, self.driver)).within(limits)
