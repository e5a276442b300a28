"""The host's part of a text: tensors of the source's arrays, the call of the kernel, its results where the source has them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metalift.driver import CannotWrite, Kernel, Request
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Build, Expr, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import FLOAT, INT, MachineInt, ScalarType, TensorType, Type, is_integer
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.program.kernel import Output
from metalift.ir.program.summary import Write

from .tensors import Tensors, View
from .text import base, name, size, word


class Host:
    """Writes it for one kernel, which has the given numbers as its last parameters."""

    def __init__(self, request: Request, kernel: Kernel, tensors: Tensors, scalars: list[Var]) -> None:
        self.request = request
        self.kernel = kernel
        self.tensors = tensors
        self.scalars = scalars
        self.written = {each.array.name for each in request.program.writes}

    def lines(self, counts: list[Expr]) -> Iterator[str]:
        """The function; `counts` are the extents of the index space, the first axis last."""
        fragment, result = self.request.fragment, self.request.program.result
        params = ", ".join(self.declared(param.var) for param in fragment.params)
        returned = "void" if result is None else word(scalar(result))
        yield "#ifndef __TPC__ /* what the host does: tensors, the index space, and the function as the source has it */"
        yield '#include "tpc_host.h"'
        yield ""
        yield f"{returned} {name(fragment.name)}({params}) {{"
        yield from (f"    {line}" for line in self.body(counts, result))
        yield "}"
        yield "#endif"

    def body(self, counts: list[Expr], result: Expr | None) -> Iterator[str]:
        for view, called in self.tensors.views.items():
            yield f"tensor {called} = {self.input(view)};"
        outputs = [f"result_{number}" for number in range(len(self.kernel.outputs))]
        for called, output in zip(outputs, self.kernel.outputs, strict=True):
            yield f"tensor {called} = {self.output(output)};"
        numbers = [name(var.name) if var.type == FLOAT else f"tpc_int({name(var.name)})" for var in self.scalars]
        columns, rows = [*map(wide, reversed(counts)), "1", "1"][:2]
        yield f"TPC_RUN({columns}, {rows}, main({', '.join([*self.tensors.names(), *outputs, *numbers])}))"
        if result is not None:
            kind = word(element(self.kernel.outputs[-1]))
            yield f"{word(scalar(result))} tpc_returned = *(const {kind} *)tpc_result({outputs[-1]});"
        for write, called, output in zip(self.request.program.writes, outputs, self.kernel.outputs, strict=False):
            yield from self.put(write, called, output)
        yield "tpc_end();"
        if result is not None:
            yield "return tpc_returned;"

    def declared(self, var: Var) -> str:
        """A parameter, as the source has it."""
        if not isinstance(var.type, TensorType):
            if is_double(var.type):
                raise CannotWrite("doubles: the chip computes in fp32 at most")
            return f"{word(var.type)} {name(var.name)}"
        constant = "" if var.name in self.written else "const "
        if var.type.rank > 2:
            raise CannotWrite(f"{var.name} has {var.type.rank} axes")
        return f"{constant}{word(var.type.element)} *{'const *' if var.type.rank == 2 else ''}{name(var.name)}"

    def input(self, view: View) -> str:
        array, kind = name(view.array.name), view.kind
        sizes = [wide(each.to_expr()) for each in view.sizes]
        if not view.strides:
            return f'tpc_input_rows("{kind}", (const void *const *){array}, {sizes[1]}, {sizes[0]})'
        listed, steps = ", ".join(sizes), ", ".join(wide(each.to_expr()) for each in view.strides)
        start = wide(view.start.to_expr())
        return f'tpc_input("{kind}", {array}, {start}, {len(sizes)}, (int64_t[]){{{listed}}}, (int64_t[]){{{steps}}})'

    def output(self, output: Output) -> str:
        sizes = [wide(each) for each in reversed(output.extents)] or ["1"]
        return f'tpc_output("{base(element(output))}", {len(sizes)}, (int64_t[]){{{", ".join(sizes)}}})'

    def put(self, write: Write, called: str, output: Output) -> Iterator[str]:
        """Loops that overwrite the window of an array."""
        window = write.window
        assert isinstance(window, Build) and isinstance(window.body, Select)
        taken = {param.var.name for param in self.request.fragment.params}
        shown = [Var(free(var.name, taken), INT) for var in window.binders]
        inner = dict(zip(window.binders, shown, strict=True))
        at = "".join(f"[{wide(substitute(each, inner))}]" for each in window.body.indices)
        flat = name(shown[0].name)
        for var, extent in zip(shown[1:], output.extents[1:], strict=True):
            flat = f"({flat}) * ({wide(extent)}) + {name(var.name)}"
        yield f"const {word(element(output))} *{called}_at = tpc_result({called});"
        for depth, (var, extent) in enumerate(zip(shown, output.extents, strict=True)):
            yield f"{'    ' * depth}for (int64_t {name(var.name)} = 0; {name(var.name)} < {wide(extent)}; {name(var.name)}++)"
        yield f"{'    ' * len(shown)}{name(write.array.name)}{at} = {called}_at[{flat}];"


def free(stem: str, taken: set[str]) -> str:
    """A name that no parameter has."""
    plain = stem.replace(".", "_")
    return plain if plain not in taken else free(f"{plain}_at", taken)


def wide(expr: Expr) -> str:
    """A size in 64 bits. What is below 0 is 0 to those that are told it."""
    simple = Polynomial.of(expr).to_expr()
    if isinstance(simple, Apply) and simple.op is Operator.MAX and simple.args[0] == integer(0):
        return wide(simple.args[1])
    text = size(simple)
    names = [name(var.name) for var in free_vars(simple)]
    narrow = all(isinstance(var.type, MachineInt) and var.type.signed or var.type == INT for var in free_vars(simple))
    if narrow and " " not in text:
        return text
    return re.sub(rf"\b({'|'.join(map(re.escape, names))})\b", r"(int64_t)\1", text) if names else text


def element(output: Output) -> ScalarType:
    """The type of an output's elements."""
    return scalar(output.value)


def scalar(expr: Expr) -> ScalarType:
    """The type of a number, or of an array's elements."""
    type_ = type_of(expr)
    found = type_.element if isinstance(type_, TensorType) else type_
    assert isinstance(found, ScalarType)
    return found


def is_double(type_: Type) -> bool:
    """Whether a number has more digits than the chip."""
    return not is_integer(type_) and word(type_) == "double"

