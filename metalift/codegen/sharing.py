"""Subexpressions that occur more than once get a name, as a person would give them one."""

from __future__ import annotations

from dataclasses import replace

from metalift.codegen.names import stem
from metalift.driver import Driver
from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Fold,
    Ite,
    Lambda,
    Length,
    Operator,
    Select,
    Var,
    type_of,
)
from metalift.ir.expr.types import BOOL, TensorType, is_integer
from metalift.ir.expr.walk import alpha_key, children, fresh_name, map_children, names, subexpressions
from metalift.ir.program.summary import Let, TargetProgram


def share(program: TargetProgram, driver: Driver, *, counted: bool) -> TargetProgram:
    """The program with a Let for each operator application that occurs in several places, largest first.

    `counted`: lengths take long, and what is computed of nothing else is an application, too.
    """
    while (shared := _repeated(program, counted)) is not None:
        program = _with_let(program, shared, _Names(program, driver))
    return program


def _repeated(program: TargetProgram, counted: bool) -> Expr | None:
    """The largest operator application that occurs more than once."""
    counts: dict[Expr, int] = {}
    found: dict[Expr, Expr] = {}
    for value in program.values:
        for call, always in _applications(value, counted):
            key = alpha_key(call)
            counts[key] = counts.get(key, 0) + 1
            if always:
                found.setdefault(key, call)
    several = [call for key, call in found.items() if counts[key] > 1]
    return max(several, key=lambda call: sum(1 for _ in subexpressions(call)), default=None)


def _applications(value: Expr, counted: bool, always: bool = True) -> list[tuple[Expr, bool]]:
    """The operator applications outside of element functions that are worth a name: of a tensor, or of several operations; and
    whether each is computed `always`, which one side of a choice is not.
    """
    if counted and is_integer(type_of(value)) and _is_counted(value):
        return [(value, always)]
    found: list[tuple[Expr, bool]] = []
    for position, part in enumerate(() if isinstance(value, Build | Lambda) else children(value)):
        found += _applications(part, counted, always and not (isinstance(value, Ite) and position > 0))
    if isinstance(value, Call) and (_takes_tensor(value) or any(isinstance(arg, Call | Apply) for arg in value.args)):
        found.append((value, always))
    if isinstance(value, Build) and isinstance(value.body, Select):
        found += _applications(value.body.tensor, counted, always)
    return found


def _is_counted(value: Expr) -> bool:
    """Whether it is computed of lengths of variables."""
    match value:
        case Length(Var(), _):
            return True
        case Cast(arg, _):
            return _is_counted(arg)
        case Apply(_, args):
            return any(map(_is_counted, args)) and all(_is_counted(arg) or isinstance(arg, Const) for arg in args)
        case _:
            return False


def _with_let(program: TargetProgram, shared: Expr, called: _Names) -> TargetProgram:
    """The application is evaluated just before its first use."""
    taken = {name for value in program.values for name in names(value)} | {let.var.name for let in program.lets}
    var = Var(fresh_name(called.wanted(shared), taken), type_of(shared))
    key = alpha_key(shared)

    def replaced(expr: Expr) -> Expr:
        if isinstance(expr, type(shared)) and alpha_key(expr) == key:
            return var
        if isinstance(expr, Build) and isinstance(expr.body, Select):
            return Build(expr.extents, expr.binders, Select(replaced(expr.body.tensor), expr.body.indices))
        return expr if isinstance(expr, Build | Lambda) else map_children(replaced, expr)

    lets: list[Let] = []
    waiting: Let | None = Let(var, shared)
    for let in program.lets:
        value = replaced(let.value)
        if waiting is not None and value != let.value:
            lets.append(waiting)
            waiting = None
        lets.append(Let(let.var, value))
    lets += [] if waiting is None else [waiting]
    return replace(program.map(replaced), lets=tuple(lets))


NOUNS = {
    Operator.ADD: "total",
    Operator.SUB: "difference",
    Operator.MUL: "product",
    Operator.DIV: "quotient",
    Operator.FDIV: "quotient",
    Operator.TDIV: "quotient",
    Operator.FMOD: "remainder",
    Operator.TREM: "remainder",
    Operator.NEG: "negated",
    Operator.MIN: "smaller",
    Operator.MAX: "larger",
}


class _Names:
    """How values of a program are called that the source has no names for."""

    def __init__(self, program: TargetProgram, driver: Driver) -> None:
        self.program = program
        self.driver = driver

    def wanted(self, shared: Expr) -> str:
        """A name after the array that becomes the value, after the one that it is made of, or after what is computed."""
        if not isinstance(shared, Call):
            return "length"
        key = alpha_key(shared)
        written = [write.array.name for write in self.program.writes if alpha_key(write.value) == key]
        if len(written) == 1:
            return f"new_{written[0]}"
        type_ = type_of(shared)
        if isinstance(type_, TensorType) and type_.element == BOOL:
            return "mask"
        sources = {sub.name for arg in shared.args for sub in subexpressions(arg) if isinstance(sub, Var) and _is_tensor(sub)}
        given = [type_of(arg) for arg in shared.args]
        short = shared.function.rpartition(".")[2].partition("_")[0]
        if len(sources) == len(given) == 1 and isinstance(given[0], TensorType):
            (source,) = sources
            converted = isinstance(type_, TensorType) and given[0].element != type_.element
            return f"{source}.1" if converted else f"{short}_{stem(source)}"  # such as exp_x
        return self._computed(shared) or ("value.1" if len(sources) != 1 else f"{next(iter(sources))}.1")

    def _computed(self, call: Call) -> str:
        """What the operator computes of each element, in a word; empty where that is no single step."""
        operator = self.driver.operators.get(call.function)
        if operator is None:
            return ""
        body = operator.instantiate(tuple(type_of(arg) for arg in call.args), call.type).body
        match body.body if isinstance(body, Build) else body:
            case Apply(op, args) if op in NOUNS and not any(isinstance(arg, Apply | Call | Fold) for arg in args):
                return NOUNS[op]
            case Ite():
                return "masked" if any(isinstance(type_of(arg), TensorType) for arg in call.args) else ""
            case Call(function, args) if not any(isinstance(arg, Apply | Call | Fold) for arg in args):
                return function
            case _:
                return ""


def _takes_tensor(call: Call) -> bool:
    return any(isinstance(type_of(arg), TensorType) for arg in call.args)


def _is_tensor(var: Var) -> bool:
    return isinstance(var.type, TensorType)
