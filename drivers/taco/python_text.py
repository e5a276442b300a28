"""Programs as Python that evaluates index notation with tensora."""

from __future__ import annotations

import textwrap

from metalift.driver import CannotWrite, Request, Written
from metalift.ir.nodes import Build, Call, Const, Expr, Select, Var
from metalift.ir.polynomial import Polynomial
from metalift.ir.summary import Write
from metalift.ir.types import TensorType

from .guards import PREAMBLE, STORED, NoGuard, guard, spelled
from .notation import Statement, Tensor, View, statement

HEAD = '''\
import numpy as np
from tensora import Tensor, tensor_method
from tensora.compile import allocate_taco_structure, tensor_cdefs


def _tensor(modes, shape, order, levels, values):
    """A tensor over these arrays: `pos` and `crd` of each compressed level, and the values."""
    made = allocate_taco_structure(tuple("ds".index(mode) for mode in modes), tuple(shape), tuple(order))
    indices = tensor_cdefs.cast("int32_t***", made.indices)
    kept = []
    for level, arrays in levels.items():
        for place, array in enumerate(arrays):
            kept.append(np.ascontiguousarray(array, np.int32))
            indices[level][place] = tensor_cdefs.cast("int32_t*", tensor_cdefs.from_buffer(kept[-1]))
    kept.append(np.ascontiguousarray(values, np.float64))
    made.vals = tensor_cdefs.cast("double*", tensor_cdefs.from_buffer(kept[-1]))
    tensor = Tensor(made)
    tensor.arrays = kept  # as long as the tensor
    return tensor


def _dense(values):
    """An array, or a number, as a tensor."""
    values = np.asarray(values, np.float64)
    return _tensor("d" * values.ndim, values.shape, range(values.ndim), {}, values)


def _evaluate(statement, **tensors):
    """The result of a statement, which is dense, as an array."""
    name, indices = statement.partition(")")[0].split("(")
    formats = {name: "d" * len(indices.replace(",", "")), **{each: tensor.format.deparse() for each, tensor in tensors.items()}}
    result = tensor_method(statement, formats)(**tensors)
    size = int(np.prod(result.dimensions, dtype=np.int64))
    values = tensor_cdefs.buffer(tensor_cdefs.cast("double*", result.cffi_tensor.vals), 8 * size) if size else b""
    return np.frombuffer(values, np.float64).reshape(result.dimensions).copy()
'''
VIEW = '''\
def _view(array, offset, shape, strides):
    """The elements of a vector at an offset and steps along each axis."""
    last = [(size - 1) * step for size, step in zip(shape, strides)]
    first, end = offset + sum(min(each, 0) for each in last), offset + sum(max(each, 0) for each in last)
    if min(shape) > 0 and not 0 <= first <= end < len(array):
        raise ValueError("an index is outside of an array")
    step = array.strides[0]
    return np.lib.stride_tricks.as_strided(array[offset if min(shape) > 0 else 0 :], shape, [each * step for each in strides])
'''


def write(request: Request) -> Written:
    """The file. Raises CannotWrite."""
    return _Writer(request).written()


class _Writer:
    def __init__(self, request: Request) -> None:
        self.request = request
        self.params = [param.var for param in request.fragment.params]
        self.checked = [False] * len(request.stated)
        self.lines: list[str] = []
        self.statements: list[Statement] = []

    def written(self) -> Written:
        """The whole text."""
        self.guards()
        taken = {var.name for var in self.params}
        results = []
        for write in self.request.program.writes:
            made = self.statement(write.array.name, write.window, write.value, set())
            self.lines += [f"{write.array.name}_new = {self.evaluation(made)}"]
            results.append((write, f"{write.array.name}_new"))
        returned = []
        if self.request.program.result is not None:
            made = self.statement("result", None, self.request.program.result, taken)
            self.lines.append(f"result = float({self.evaluation(made)})")
            returned.append("result")
        for write, name in results:
            self.lines.append(self.assignment(write, name))
        changed = {write.array.name for write in self.request.program.writes}
        returned += [var.name for var in self.params if var.name in changed]
        self.lines.append(f"return {', '.join(returned)}")
        signature = f"def {self.request.fragment.name}({', '.join(var.name for var in self.params)}):"
        body = textwrap.indent("\n".join([*self.docstring(), *self.lines]), "    ")
        parts = [HEAD]
        for name, text in (("_all(", PREAMBLE), ("_all_stored(", STORED), ("_view(", VIEW)):
            if name in body:
                parts.append(text)
        return Written("\n\n".join([*parts, f"{signature}\n{body}\n"]), tuple(self.checked))

    # Parts

    def docstring(self) -> list[str]:
        """What is computed, of which tensors, under which assumptions."""
        lines = [f'"""{made.text}' if not position else made.text for position, made in enumerate(self.statements)]
        lines.append("")
        for tensor in dict.fromkeys(tensor for made in self.statements for tensor in made.tensors):
            if isinstance(tensor.source, Call) and isinstance(tensor.source.type, TensorType):
                shape = " x ".join(map(spelled, tensor.shape))
                arrays = [arg.name for arg in tensor.source.args if isinstance(arg, Var) and isinstance(arg.type, TensorType)]
                lines.append(f"{tensor.name} is {shape}, {tensor.source.function.upper()}, of {', '.join(arrays)}.")
        lines += ["", "Assumes:"]
        for text, checked in zip(self.request.stated, self.checked, strict=True):
            told = text + " (checked)" * checked
            lines += textwrap.wrap(told, 116, initial_indent="    ", subsequent_indent="        ")
        place = self.request.fragment.location
        lines += ["", f"From {place.file.rpartition('/')[2]}:{place.line}: {self.request.verdict}.", '"""']
        return lines

    def guards(self) -> None:
        """What can be checked of the assumptions: first what is about numbers and lengths."""
        made: list[tuple[int, str, int]] = []
        for position, formula in enumerate(self.request.formulas):
            if formula is None:
                continue
            try:
                text = guard(formula)
            except NoGuard:
                continue
            order = 2 if text.startswith("_all") else 1 if "[" in text or "//" in text else 0
            made.append((order, text, position))
        for _, text, position in sorted(made, key=lambda each: (each[0], each[2])):
            self.checked[position] = True
            self.lines += [f"if not ({text}):" if not text.startswith("_all") else f"if not {text}:"]
            self.lines += [f"    raise ValueError({self.request.stated[position] + ' is required'!r})"]

    def statement(self, result: str, window: Expr | None, value: Expr, taken: set[str]) -> Statement:
        """A value as a statement."""
        indices: tuple[Var, ...] = ()
        extents: tuple[Expr, ...] = ()
        if isinstance(window, Build):
            indices, extents = window.binders, window.extents
            assert isinstance(value, Build)
            value = value.body
        self.statements.append(statement(result, indices, extents, value, taken))
        return self.statements[-1]

    def evaluation(self, made: Statement) -> str:
        """The call that evaluates it."""
        tensors = "".join(f",\n    {tensor.name}={self.tensor(tensor)}" for tensor in made.tensors)
        return f'_evaluate(\n    "{made.text}"{tensors},\n)'

    def tensor(self, tensor: Tensor) -> str:
        """A tensor of the parameters."""
        match tensor.source:
            case View(array, offset, strides):
                return f"_dense({self.view(array, offset, tensor.shape, strides)})"
            case Const() if tensor.shape:
                return f"_dense(np.ones({shape_text(tensor.shape)}))"
            case Call("csr" | "csc" as format, (rows, cols, pos, crd, vals)):
                outer, order = (rows, "01") if format == "csr" else (cols, "10")
                last = f"{spelled(pos)}[{spelled(outer)}]"
                levels = f"{{1: ({spelled(pos)}[: {spelled(outer)} + 1], {spelled(crd)}[:{last}])}}"
                return f'_tensor("ds", {shape_text((rows, cols))}, ({order[0]}, {order[1]}), {levels}, {spelled(vals)}[:{last}])'
            case Call("coo", (rows, cols, count, row, col, vals)):
                n = spelled(count)
                starts = f"np.searchsorted({spelled(row)}[:{n}], np.arange({spelled(rows)} + 1))"
                levels = f"{{1: ({starts}, {spelled(col)}[:{n}])}}"
                return f'_tensor("ds", {shape_text((rows, cols))}, (0, 1), {levels}, {spelled(vals)}[:{n}])'
            case Call("csf", (rows, cols, depth, pos, crd, pos_2, crd_2, vals)):
                cells = f"{spelled(pos)}[{spelled(rows)}]"
                end = f"{spelled(pos_2)}[{cells}]"
                outer_level = f"1: ({spelled(pos)}[: {spelled(rows)} + 1], {spelled(crd)}[:{cells}])"
                inner_level = f"2: ({spelled(pos_2)}[: {cells} + 1], {spelled(crd_2)}[:{end}])"
                shape = shape_text((rows, cols, depth))
                return f'_tensor("dss", {shape}, (0, 1, 2), {{{outer_level}, {inner_level}}}, {spelled(vals)}[:{end}])'
            case number if not tensor.shape:
                return f"_dense({spelled(number)})"
            case other:
                raise CannotWrite(f"no tensor of {other}")

    def view(self, array: Var, offset: Polynomial, shape: tuple[Expr, ...], strides: tuple[Polynomial, ...]) -> str:
        """Cells of a vector: a slice, in rows where they follow each other."""
        wanted = Polynomial.constant(1)
        tight = True
        for extent, stride in reversed(list(zip(shape, strides, strict=True))):
            tight = tight and stride == wanted
            wanted = wanted * Polynomial.of(extent)
        if tight and shape and not offset.terms:
            part = f"{array.name}[:{spelled(wanted.to_expr())}]" if " " not in spelled(wanted.to_expr()) else (
                f"{array.name}[: {spelled(wanted.to_expr())}]"
            )
            return part if len(shape) == 1 else f"{part}.reshape{shape_text(shape)}"
        if not shape:
            return f"{array.name}[{spelled(offset.to_expr())}]"
        steps = shape_text(tuple(stride.to_expr() for stride in strides))
        return f"_view({array.name}, {spelled(offset.to_expr())}, {shape_text(shape)}, {steps})"

    def assignment(self, write: Write, value: str) -> str:
        """The statement that writes the window."""
        assert isinstance(write.window, Build) and isinstance(write.window.body, Select)
        (index,) = write.window.body.indices
        parts = Polynomial.of(index).affine_in(write.window.binders)
        if parts is None:
            raise CannotWrite("a window that is not affine")
        strides = tuple(parts[0][binder] for binder in write.window.binders)
        place = self.view(write.array, parts[1], write.window.extents, strides)
        if not write.window.binders:
            return f"{place} = {value}"
        head, reshaped, _ = place.partition(".reshape")
        if reshaped:
            return f"{head} = {value}.reshape(-1)"
        return f"{place} = {value}" if place.endswith("]") else f"{place}[...] = {value}"


def shape_text(shape: tuple[Expr, ...]) -> str:
    """A tuple of sizes."""
    return f"({', '.join(map(spelled, shape))}{',' if len(shape) == 1 else ''})"
