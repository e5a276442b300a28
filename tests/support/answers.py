"""Programs in operators as a model would answer them: Python text."""

from __future__ import annotations

from metalift.driver import Driver
from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Ite,
    Item,
    Length,
    MakeTuple,
    Operator,
    Select,
    Var,
    type_of,
)
from metalift.ir.expr.types import INT, TensorType, is_integer
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import TargetProgram
from metalift.synth.propose.vocabulary import (
    Names,
    called,
    element_name,
    parameter_names,
    result_only,
    spelled_for,
)

INFIX = {
    Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*", Operator.DIV: "/", Operator.FDIV: "//", Operator.FMOD: "%",
    Operator.SHL: "<<", Operator.SHR: ">>", Operator.BITAND: "&", Operator.BITOR: "|", Operator.BITXOR: "^",
    Operator.LT: "<", Operator.LE: "<=", Operator.EQ: "==", Operator.AND: "and", Operator.OR: "or",
}  # fmt: skip
CALLS = {
    Operator.MIN: "min", Operator.MAX: "max", Operator.ABS: "abs", Operator.TDIV: "trunc_div", Operator.TREM: "trunc_rem",
}  # fmt: skip


def as_answer(program: TargetProgram, fragment: Fragment, driver: Driver, target: str) -> str:
    """The program as the Python text of an answer."""
    return _Printer(fragment, driver, target).function(program)


class _Printer:
    def __init__(self, fragment: Fragment, driver: Driver, target: str) -> None:
        self.fragment = fragment
        self.driver = driver
        self.params: Names = parameter_names(fragment, spelled_for(driver, target))
        self.named: dict[str, str] = {}

    def function(self, program: TargetProgram) -> str:
        lines = [f"def {self.fragment.name}({', '.join(self.params.by_name)}):"]
        for number, let in enumerate(program.lets):
            value = self.show(let.value)
            self.named[let.var.name] = f"t{number}"
            lines.append(f"    t{number} = {value}")
        for number, write in enumerate(program.writes):
            if not isinstance(write.value, Var):
                lines.append(f"    w{number} = {self.show(write.value)}")
        for number, write in enumerate(program.writes):
            assert isinstance(write.window, Build)
            indent = "    "
            for binder, extent in zip(write.window.binders, write.window.extents, strict=True):
                lines.append(f"{indent}for {self.name(binder)} in range({self.show(extent)}):")
                indent += "    "
            source = self.show(write.value) if isinstance(write.value, Var) else f"w{number}"
            index = ", ".join(map(self.name, write.window.binders))
            lines.append(f"{indent}{self.show(write.window.body)} = {source}[{index}]")
        if program.result is not None:
            lines.append(f"    return {self.show(program.result)}")
        return "\n".join([*lines, *([] if len(lines) > 1 else ["    return None"])]) + "\n"

    def name(self, var: Var) -> str:
        if var in self.params.by_name.values():
            return self.params.of(var)
        return self.named.get(var.name, "".join(c if c.isalnum() else "_" for c in f"b_{var.name}"))

    def show(self, expr: Expr) -> str:  # noqa: C901 (one case for each node)
        match expr:
            case Var():
                return self.name(expr)
            case Const(value, type_):
                text = f"({value})" if not isinstance(value, bool) and value.denominator != 1 else str(value)
                return text if type_ == INT or isinstance(value, bool) else f"{element_name(type_)}({text})"  # type: ignore[arg-type]
            case Apply(Operator.NOT, (arg,)):
                return f"(not {self.show(arg)})"
            case Apply(Operator.NEG, (arg,)):
                return f"(-{self.show(arg)})"
            case Apply(op, args) if op in CALLS:
                return f"{CALLS[op]}({', '.join(map(self.show, args))})"
            case Apply(op, args):
                return "(" + f" {INFIX[op]} ".join(map(self.show, args)) + ")"
            case Cast(arg, type_) if type_ == INT and is_integer(type_of(arg)):
                return f"exact({self.show(arg)})"
            case Cast(arg, type_):
                assert not isinstance(type_, TensorType)
                return f"{element_name(type_)}({self.show(arg)})"  # type: ignore[arg-type]
            case Ite(cond, then, other):
                return f"({self.show(then)} if {self.show(cond)} else {self.show(other)})"
            case Select(tensor, indices):
                return f"{self.show(tensor)}[{', '.join(map(self.show, indices))}]"
            case Length(tensor, axis):
                return f"size({self.show(tensor)}, {axis})"
            case Call(function, args, type_):
                operator = self.driver.operators.get(function)
                if operator is None:
                    return f"math.{function}({', '.join(map(self.show, args))})"
                shown = [self.show(arg) for arg in args]
                element = type_.element if isinstance(type_, TensorType) else type_
                if result_only(operator):
                    shown.append(element_name(element))  # type: ignore[arg-type]
                return f"{called(operator, self.driver)}({', '.join(shown)})"
            case MakeTuple(items):
                return f"({', '.join(map(self.show, items))},)"
            case Build(extents, binders, body):
                text = self.show(body)
                for binder, extent in reversed(list(zip(binders, extents, strict=True))):
                    text = f"[{text} for {self.name(binder)} in range({self.show(extent)})]"
                return text
            case Item():
                raise ValueError("items of tuples")
            case _:
                raise ValueError(f"{type(expr).__name__} in a program")
