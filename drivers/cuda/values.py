"""Values in a kernel's text: parameters, loads, indices, conditions, and the operators on numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from metalift.driver import CannotWrite
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, Fold, Ite, Operator, Select, Var, type_of
from metalift.ir.expr.types import BOOL, FLOAT, INT, MachineInt, ScalarType, TensorType, Type, is_integer
from metalift.ir.expr.walk import free_vars, fresh_name

from ..triton.writer import Launch, Settings
from .operators import NAME
from .text import RESERVED, bracketed, host, literal, name, pointer, word

COMPARED = {Operator.LT: "<", Operator.LE: "<=", Operator.EQ: "=="}
INFIX = {Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*", Operator.TDIV: "/", Operator.TREM: "%"}
CHOSEN = {"minimum": "<", "maximum": ">"}


@dataclass
class Values:
    """Writes values where the text of a kernel stands; `params` are its parameters: their types, and what is passed for them."""

    settings: Settings
    launch: Launch
    held: dict[str, str]  # arrays that are passed under another name
    params: dict[str, tuple[str, str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    known: list[dict[object, str]] = field(default_factory=lambda: [{}])
    true: list[frozenset[Expr]] = field(default_factory=lambda: [frozenset()])  # what holds where the text stands
    taken: set[str] = field(default_factory=set)
    shown: dict[Var, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.taken |= {*RESERVED, *(block.name for block in self.settings.blocks), *map(name, self.settings.names)}

    # Text

    def say(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def fresh(self, wanted: str) -> str:
        shown = fresh_name(name(wanted), self.taken)
        self.taken.add(shown)
        return shown

    def declare(self, wanted: str, value: str, type_: Type) -> str:
        """A new name for a value."""
        shown = self.fresh(wanted)
        self.say(f"const {word(type_)} {shown} = {value};")
        return shown

    def named(self, key: Expr, wanted: str, value: str) -> str:
        """A value that is computed once where it is known."""
        for scope in self.known:
            if key in scope:
                return scope[key]
        self.known[-1][key] = shown = self.declare(wanted, value, type_of(key))
        return shown

    @contextmanager
    def block(self, head: str, *holds: Expr) -> Iterator[None]:
        """Statements in braces, where something more holds."""
        self.say(head)
        self.depth += 1
        self.known.append({})
        self.true.append(self.true[-1] | frozenset(holds))
        yield
        self.true.pop()
        self.known.pop()
        self.depth -= 1
        self.say("}")

    def parameter(self, wanted: str, declared: str, passed: str) -> str:
        """A parameter of the kernel."""
        for shown, known in self.params.items():
            if known == (declared, passed):
                return shown
        own = wanted in map(name, self.settings.names) and wanted not in self.params
        shown = wanted if own else self.fresh(wanted)
        self.params[shown] = (declared, passed)
        return shown

    # Values

    def value(self, expr: Expr) -> str:
        """A value."""
        match expr:
            case Var() if expr in self.shown:
                return self.shown[expr]
            case Var(text, type_) if not isinstance(type_, TensorType):
                if text not in self.settings.names:
                    raise CannotWrite(f"{text} is not known in a kernel")
                return self.parameter(name(text), f"{word(type_)} ", name(text))
            case Const():
                return literal(expr)
            case Ite(_, Select() as read, Const()) | (Select() as read):
                return self.read(read, expr)
            case Fold():
                return self.fold(expr)
            case Call():
                return self.call(expr)
            case _:
                return self.mask(expr) if type_of(expr) == BOOL else self.index(expr)

    def fold(self, fold: Fold) -> str:
        """A loop, before what uses its value."""
        raise NotImplementedError

    def read(self, read: Select, expr: Expr) -> str:
        """An element of an array, which may have a mask and another value where that does not hold."""
        array = read.tensor
        assert isinstance(array, Var)
        if isinstance(expr, Ite) and self.holds(expr.cond):
            expr = read
        text = self.address(array, read.indices, written=False)
        if isinstance(expr, Ite):
            assert isinstance(expr.other, Const)
            text = f"{self.mask(expr.cond)} ? {text} : {literal(expr.other)}"
        return self.named(expr, array.name, text)

    def address(self, array: Var, indices: tuple[Expr, ...], *, written: bool) -> str:
        """An element."""
        assert isinstance(array.type, TensorType)
        passed = name(array.name) if written else self.held.get(array.name, name(array.name))
        constant = not written and (array != self.launch.array or passed != name(array.name))
        shown = self.parameter(passed, pointer(array.type, constant=constant), passed)
        return shown + "".join(f"[{self.index(index)}]" for index in indices)

    def call(self, call: Call) -> str:
        """An operator on numbers; results of narrow integers are made so again."""
        operator, type_ = self.settings.driver.operators[call.function], call.type
        args = [self.value(arg) for arg in call.args]
        if call.function in CHOSEN and is_integer(type_):
            one, two = (self.simple(arg, text) for arg, text in zip(call.args, args, strict=True))
            return f"{one} {CHOSEN[call.function]} {two} ? {one} : {two}"
        if call.function == "absolute" and is_integer(type_):
            one = self.simple(call.args[0], args[0])
            return f"{one} < 0 ? -{one} : {one}"
        if call.function == "cast" and type_ == BOOL:
            return f"{bracketed(args[0])} != 0"
        spelled = operator.spellings[NAME]
        function = re.match(r"(\w+)\(", spelled)
        parts = {param.name: text if function else bracketed(text) for param, text in zip(operator.params, args, strict=True)}
        assert isinstance(type_, ScalarType)
        parts["dtype"] = word(type_)
        text = re.sub(r"\{(\w+)\}", lambda found: parts[found[1]], spelled)
        if function and type_ == FLOAT:
            return f"{function[1]}f{text[len(function[1]) :]}"
        narrow = isinstance(type_, MachineInt) and type_.bits < 32 and call.function not in ("cast", "where")
        return f"({word(type_)})({text})" if narrow else text

    def simple(self, arg: Expr, text: str) -> str:
        """A value that is used more than once, by a name."""
        return text if re.fullmatch(r"\w+", text) else self.named(arg, "value", text)

    # Indices and conditions

    def holds(self, condition: Expr) -> bool:
        """Whether it is known to, where the text stands."""
        return all(each in self.true[-1] for each in conjuncts(condition))

    def mask(self, expr: Expr) -> str:
        """A condition on indices; without what is known to."""
        left = [each for each in conjuncts(expr) if each not in self.true[-1]]
        return " && ".join(map(self.compared, left)) if left else "true"

    def compared(self, expr: Expr) -> str:
        match expr:
            case Apply(op, (left, right)) if op in COMPARED and type_of(left) == INT:
                return f"{bracketed(self.index(left))} {COMPARED[op]} {bracketed(self.index(right))}"
        raise CannotWrite("a condition on indices that kernels have no text for")

    def index(self, expr: Expr) -> str:
        """An index or a size, of 64 bits."""
        own = all(var not in self.shown and var.name in self.settings.names for var in free_vars(expr))
        match expr:
            case Var() if expr in self.shown:
                return self.shown[expr]
            case Const():
                return literal(expr)
            case Cast(Var() as var, _) | (Var() as var) if own and not isinstance(var.type, TensorType):
                return self.parameter(self.size_name(var), "int64_t ", name(var.name))
            case Apply(op, (left, right)) if op in INFIX and (op in (Operator.ADD, Operator.SUB, Operator.MUL) or not own):
                return f"{bracketed(self.index(left))} {INFIX[op]} {bracketed(self.index(right))}"
            case Apply(Operator.NEG, (arg,)):
                return f"-{bracketed(self.index(arg))}"
            case Apply(Operator.MIN | Operator.MAX as op, (left, right)) if not own:
                one, two = (self.simple(arg, self.index(arg)) for arg in (left, right))
                return f"{one} {'<' if op is Operator.MIN else '>'} {two} ? {one} : {two}"
            case Cast(arg, _) if is_integer(type_of(arg)):
                return f"(int64_t){bracketed(self.value(arg))}"
            case _ if own:
                return self.parameter("size", "int64_t ", host(expr))
        raise CannotWrite(f"an index that kernels have no text for: {type(expr).__name__.lower()}")

    def size_name(self, var: Var) -> str:
        """What a parameter of the source is called as a size: its own name, unless the kernel has it as a number too."""
        shown = name(var.name)
        known = self.params.get(shown)
        return shown if known in (None, ("int64_t ", shown)) else f"{shown}_size"
