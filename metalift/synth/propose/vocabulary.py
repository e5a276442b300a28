"""Names and types as a model sees them: parameters, operators and element types in Python."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from metalift.driver import Driver, Operator
from metalift.driver.meaning.language import TypeVariable
from metalift.ir.expr.nodes import Expr, Var
from metalift.ir.expr.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    REAL,
    BoolType,
    FunctionType,
    IntType,
    MachineInt,
    RealType,
    ScalarType,
    TensorType,
    TupleType,
    Type,
)
from metalift.ir.expr.walk import fresh_name, substitute
from metalift.ir.program.fragment import Fragment
from metalift.ir.text import show
from metalift.run.inputs.inputs import Input

ELEMENTS: Mapping[str, ScalarType] = {
    "Bool": BOOL,
    "Size": INT,
    **{f"Int{bits}": MachineInt(bits, True) for bits in (8, 16, 32, 64)},
    **{f"UInt{bits}": MachineInt(bits, False) for bits in (8, 16, 32, 64)},
    "Float": FLOAT,
    "Double": DOUBLE,
    "Exact": REAL,
}
CONTAINERS = ("", "Vec", "Matrix", "Tensor3")
FUNCTIONS = frozenset(
    "len size sum any all max min abs range zip enumerate exact convert round_half_away trunc_div trunc_rem math".split()
)


def element_name(type_: ScalarType) -> str:
    """`Float`, `UInt8`, ...; a machine integer of an odd width by its width."""
    for name, known in ELEMENTS.items():
        if known == type_:
            return name
    match type_:
        case MachineInt(bits, signed):
            return f"{'Int' if signed else 'UInt'}{bits}"
        case RealType(bits):
            return f"Float{bits}"
        case BoolType() | IntType():
            return "Bool" if isinstance(type_, BoolType) else "Size"


def in_container(element: str, rank: int) -> str:
    """`Vec[Float]` for one axis, and so on."""
    container = CONTAINERS[rank] if rank < len(CONTAINERS) else f"Tensor{rank}"
    return f"{container}[{element}]" if rank else element


def type_name(type_: Type | None) -> str:
    """A type as an annotation; None where nothing is returned."""
    match type_:
        case None:
            return "None"
        case TensorType(element, rank):
            return in_container(element_name(element), rank)
        case TupleType(items):
            return f"tuple[{', '.join(map(type_name, items))}]"
        case FunctionType(params, result):
            return f"Fn[{', '.join(map(element_name, (*params, result)))}]"
        case _:
            return element_name(type_)


def called(operator: Operator, driver: Driver) -> str:
    """The name by which answers call the operator."""
    return operator.name.removeprefix(f"{driver.name}.")


def result_only(operator: Operator) -> bool:
    """Whether no argument decides the result's element type, so that answers have to say it."""
    element = operator.result.element
    return isinstance(element, TypeVariable) and all(param.pattern.element != element for param in operator.params)


def spelled_for(driver: Driver, target: str) -> dict[str, Operator]:
    """The operators that the target has, by the names that answers use."""
    every = driver.operators.values()  # a template may be empty, where the driver's writer has its own code for the operator
    found = (op for op in every if any(op.spelling(target, on_numbers=plain) is not None for plain in (False, True)))
    return {called(operator, driver): operator for operator in found}


@dataclass(frozen=True, slots=True)
class Names:
    """What the parameters are called in prompts and answers, both ways."""

    by_name: Mapping[str, Var]

    def of(self, var: Var) -> str:
        """The name of a parameter in Python."""
        return next(name for name, known in self.by_name.items() if known == var)

    def called(self, name: str) -> str:
        """What a parameter of that name in the source is called in Python; another name stays."""
        return next((mine for mine, known in self.by_name.items() if known.name == name), name)

    def formula(self, expr: Expr) -> str:
        """A formula over parameters, by these names."""
        return show(substitute(expr, {var: Var(name, var.type) for name, var in self.by_name.items()}))

    def input(self, found: Input) -> str:
        """An input, by these names."""
        values = tuple((self.called(name), value) for name, value in found.values)
        return replace(found, values=values, shared=tuple((self.called(a), self.called(b)) for a, b in found.shared)).text()


def python_names(variables: Iterable[Var], taken: Iterable[str]) -> Names:
    """Names that Python does not reserve and that mean nothing else in an answer (`taken`: the operators)."""
    forbidden = {*taken, *FUNCTIONS, *ELEMENTS}
    found: dict[str, Var] = {}
    for var in variables:
        wanted = re.sub(r"\W", "_", var.name, flags=re.ASCII)
        wanted = f"v{wanted}" if not wanted or wanted[0].isdigit() else wanted
        if keyword.iskeyword(wanted) or wanted in forbidden:
            wanted = f"{wanted}_"
        found[fresh_name(wanted, forbidden | found.keys())] = var
    return Names(found)


def parameter_names(fragment: Fragment, operators: Mapping[str, Operator]) -> Names:
    """The parameters of the source."""
    return python_names((param.var for param in fragment.params), operators)
