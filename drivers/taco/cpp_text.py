"""Programs as C++ that uses TACO's own interface. The text is not executed here."""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace

from metalift.driver import CannotWrite, Request
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Build, Call, Const, Expr, Select, Var
from metalift.ir.expr.types import DOUBLE, FLOAT, INT, MachineInt, RealType, TensorType, Type

from .guards import NoGuard, spelled
from .notation import Statement, Tensor, View, statement

FORMATS = {
    "csr": "{Dense, Sparse}",
    "csc": "{Dense, Sparse}, {1, 0}",
    "coo": "{Compressed(ModeFormat::NOT_UNIQUE), Singleton}",
    "coo3": "{Compressed(ModeFormat::NOT_UNIQUE), Singleton(ModeFormat::NOT_UNIQUE), Singleton}",
    "csf": "{Dense, Sparse, Sparse}",
}


def write(request: Request) -> str:
    """The file. Raises CannotWrite."""
    try:
        return _text(request)
    except NoGuard as problem:
        raise CannotWrite("a size that C++ has no text for") from problem


def _text(request: Request) -> str:
    place = request.fragment.location
    lines = [f"// From {place.file.rpartition('/')[2]}:{place.line}: {request.verdict}.", "// Assumes:"]
    for each in request.stated:
        lines += textwrap.wrap(each, 110, initial_indent="//   ", subsequent_indent="//     ")
    lines += ["", '#include "taco.h"', "", "using namespace taco;", ""]
    params = ", ".join(f"{declared(param.var.type)}{param.var.name}" for param in request.fragment.params)
    taken = {param.var.name for param in request.fragment.params}  # what a tensor may not be called
    result = request.program.result
    lines.append(f"{'void' if result is None else 'double'} {request.fragment.name}({params}) {{")
    body: list[str] = []
    for write_ in request.program.writes:
        assert isinstance(write_.window, Build) and isinstance(write_.value, Build)
        made = statement(f"{write_.array.name}_new", write_.window.binders, write_.window.extents, write_.value.body, taken)
        body += evaluation(made)
        assert isinstance(write_.window.body, Select)
        cell = "".join(f"[{spelled(index)}]" for index in write_.window.body.indices)
        inside = f"{write_.array.name}{cell} = {made.result}({{{names(made.indices)}}})"
        for var, extent in reversed(list(zip(made.indices, made.extents, strict=True))):
            inside = f"for (int {var.name} = 0; {var.name} < {sized(extent)}; {var.name}++) {inside}"
        body.append(f"{inside};")
    if result is not None:
        made = statement("result", (), (), result, taken)
        body += [*evaluation(made), "return result.getStorage().getValues().getValue<double>(0);"]
    return "\n".join([*lines, *(f"    {line}" for line in body), "}", ""])


def evaluation(made: Statement) -> list[str]:
    """Tensors, the statement, and its evaluation."""
    lines = [line for tensor in made.tensors for line in tensor_lines(tensor)]
    dense = ", ".join(["Dense"] * len(made.indices))
    shape = ", ".join(map(sized, made.extents))
    lines.append(f'Tensor<double> {made.result}("{made.result}", {{{shape}}}, Format({{{dense}}}));')
    indices = sorted({each for inside in re.findall(r"\(([a-z0-9,]*)\)", made.text) for each in inside.split(",") if each})
    if indices:
        lines.append("IndexVar " + ", ".join(indices) + ";")
    lines += [f"{made.text};", f"{made.result}.evaluate();"]
    return lines


def tensor_lines(tensor: Tensor) -> list[str]:
    """A tensor of the parameters: the arrays of a compressed format as they are, others cell by cell."""
    name, shape = tensor.name, ", ".join(map(sized, tensor.shape))
    match tensor.source:
        case Call("csr" | "csc" as format, (_, _, Var(pos), Var(crd), Var(vals))):
            maker = {"csr": "makeCSR", "csc": "makeCSC"}[format]
            return [f'Tensor<double> {name} = {maker}("{name}", {{{shape}}}, {pos}, {crd}, {vals});']
        case Call("coo" | "coo3" as format, args):
            count, *arrays, values = args[len(tensor.shape) :]
            head = f'Tensor<double> {name}("{name}", {{{shape}}}, Format({FORMATS[format]}));'
            place = ", ".join(f"{spelled(array)}[p]" for array in arrays)
            loop = f"for (int p = 0; p < {sized(count)}; p++) {name}.insert({{{place}}}, (double){spelled(values)}[p]);"
            return [head, loop, f"{name}.pack();"]
        case Call("csf", (rows, _, _, Var(pos), Var(crd), Var(pos_2), Var(crd_2), Var(vals))):
            head = f'Tensor<double> {name}("{name}", {{{shape}}}, Format({FORMATS["csf"]}));'
            loop = (
                f"for (int i = 0; i < {sized(rows)}; i++) for (int p = {pos}[i]; p < {pos}[i + 1]; p++) "
                f"for (int q = {pos_2}[p]; q < {pos_2}[p + 1]; q++) "
                f"{name}.insert({{i, {crd}[p], {crd_2}[q]}}, (double){vals}[q]);"
            )
            return [head, loop, f"{name}.pack();"]
        case Statement() as inner:
            return [*evaluation(replace(inner, result=name))]
        case View(array, offset, strides):
            cell = list(offset)
            for axis, steps in enumerate(strides):
                index = Polynomial.atom(Var(f"i{axis}", INT))
                cell = [at + index * step for at, step in zip(cell, steps, strict=True)]
            return filled(tensor, f"(double){array.name}" + "".join(f"[{spelled(at.to_expr())}]" for at in cell))
        case Const() if tensor.shape:
            return filled(tensor, "1.0")
        case number if not isinstance(number, View):
            return [f"Tensor<double> {name}({spelled(number)});"]
    raise CannotWrite("a tensor without a text")


def filled(tensor: Tensor, value: str) -> list[str]:
    """A dense tensor, cell by cell."""
    dense = ", ".join(["Dense"] * len(tensor.shape))
    shape = ", ".join(map(sized, tensor.shape))
    cell = ", ".join(f"i{axis}" for axis in range(len(tensor.shape)))
    loops = "".join(f"for (int i{axis} = 0; i{axis} < {sized(size)}; i{axis}++) " for axis, size in enumerate(tensor.shape))
    head = f'Tensor<double> {tensor.name}("{tensor.name}", {{{shape}}}, Format({{{dense}}}));'
    return [head, f"{loops}{tensor.name}.insert({{{cell}}}, {value});", f"{tensor.name}.pack();"]


def sized(size: Expr) -> str:
    """A size; the length of an array is a parameter of the text's own."""
    return spelled(size).replace("len(", "length(").replace("//", "/")


def names(variables: tuple[Var, ...]) -> str:
    """Names with commas."""
    return ", ".join(var.name for var in variables)


def declared(type_: Type) -> str:
    """A parameter's type with what follows it."""
    if isinstance(type_, TensorType):
        return f"{declared(type_.element).rstrip()} {'*' * type_.rank}"
    if isinstance(type_, MachineInt):
        return f"{'' if type_.signed else 'u'}int{type_.bits}_t "
    return "float " if type_ == FLOAT else "double " if type_ == DOUBLE or isinstance(type_, RealType) else "int64_t "
