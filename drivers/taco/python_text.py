"""Programs as Python that evaluates index notation with tensora."""

from __future__ import annotations

import builtins
import keyword
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace

from metalift.driver import CannotWrite, Request, Written
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Build, Call, Const, Expr, Select, Var, integer, type_of
from metalift.ir.expr.types import REAL, TensorType, Type, is_integer
from metalift.ir.expr.walk import substitute
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Write

from .guards import PREAMBLE, STORED, NoGuard, guard, spelled
from .integers import says_exact
from .notation import Statement, Tensor, View, statement, view_of

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
    kept.append(np.array(values, np.float64, order="C"))
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
EXACTLY = '''\
def _exactly(statement, **tensors):
    """What a statement gives of integers. Raises ValueError where one on the way may be too large for a double."""
    result = _evaluate(statement, **tensors)
    for tensor in tensors.values():
        np.abs(tensor.arrays[-1], out=tensor.arrays[-1])
    if np.any(_evaluate(statement.replace(" - ", " + "), **tensors) >= 2**53):
        raise ValueError("sums of products of integers have to stay below 2**53")
    return result
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
CELLS = '''\
def _cells(shape, row, col, deep, values):
    """A tensor of cells at coordinates that are in order."""
    other = (row[1:] != row[:-1]) | (col[1:] != col[:-1])
    first = np.flatnonzero(np.append(True, other)[: len(row)])
    rows = np.searchsorted(row[first], np.arange(shape[0] + 1))
    return _tensor("dss", shape, (0, 1, 2), {1: (rows, col[first]), 2: (np.append(first, len(row)), deep)}, values)
'''
DEFINED = re.findall(r"^def (\w+)", HEAD + EXACTLY + CELLS + VIEW + PREAMBLE + STORED, re.MULTILINE)
IMPORTED = ("np", "Tensor", "tensor_method", "tensor_cdefs", "allocate_taco_structure")
RESERVED = frozenset({*keyword.kwlist, *dir(builtins), *DEFINED, *IMPORTED})


def write(request: Request) -> Written:
    """The file. Raises CannotWrite."""
    try:
        return _Writer(request).written()
    except NoGuard as problem:
        raise CannotWrite(f"NumPy has no {problem} of a number") from problem


class _Writer:
    def __init__(self, request: Request) -> None:
        self.request = request
        self.named = python_names(request.fragment)
        self.params = [self.named[param.var] for param in request.fragment.params]
        self.checked = [False] * len(request.stated)
        self.lines: list[str] = []
        self.statements: list[Statement] = []

    def written(self) -> Written:
        """The whole text."""
        self.guards()
        taken = {var.name for var in self.params}
        results: list[tuple[Write, str]] = []
        for write in map(self.renamed, self.request.program.writes):
            name = free_name(f"{write.array.name}_new", {*taken, "result", *(name for _, name in results)})
            made = self.statement(write.array.name, write.window, write.value, set())
            element = write.array.type.element if isinstance(write.array.type, TensorType) else write.array.type
            self.lines += [f"{name} = {self.evaluation(made, element)}"]
            results.append((write, name))
        returned = []
        if self.request.program.result is not None:
            value = substitute(self.request.program.result, dict(self.named))
            made = self.statement("result", None, value, set())
            kind = "int" if is_integer(type_of(value)) else "float"
            self.lines.append(f"result = {kind}({self.evaluation(made, type_of(value))})")
            returned.append("result")
        for write, name in results:
            self.lines.append(self.assignment(write, name))
        changed = {write.array.name for write, _ in results}
        returned += [var.name for var in self.params if var.name in changed]
        self.lines.append(f"return {', '.join(returned)}")
        signature = f"def {self.request.fragment.name}({', '.join(var.name for var in self.params)}):"
        body = textwrap.indent("\n".join([*self.docstring(), *self.lines]), "    ")
        parts = [HEAD]
        helpers = {"_exactly(": EXACTLY, "_cells(": CELLS, "_all(": PREAMBLE, "_all_stored(": STORED, "_view(": VIEW}
        for name, text in helpers.items():
            if name in body:
                parts.append(text)
        name = self.request.fragment.name
        used = re.compile(rf"(?<![\w.]){name}\(")
        if name in dir(builtins) and any(map(used.search, parts)):
            parts = [f"from builtins import {name} as _{name}", *(used.sub(f"_{name}(", part) for part in parts)]
        return Written("\n\n".join([*parts, f"{signature}\n{body}\n"]), tuple(self.checked))

    # Parts

    def renamed(self, write: Write) -> Write:
        """The write with parameters as they are called in Python."""
        window, value = (substitute(each, dict(self.named)) for each in (write.window, write.value))
        return replace(write, array=self.named[write.array], window=window, value=value)

    def docstring(self) -> list[str]:
        """What is computed, of which tensors, under which assumptions."""
        lines = [f'"""{made.text}' if not position else made.text for position, made in enumerate(self.statements)]
        lines.append("")
        for tensor in dict.fromkeys(tensor for made in self.statements for tensor in made.all_tensors):
            if isinstance(tensor.source, Call) and isinstance(tensor.source.type, TensorType):
                shape = " x ".join(map(spelled, tensor.shape))
                arrays = [arg.name for arg in tensor.source.args if isinstance(arg, Var) and isinstance(arg.type, TensorType)]
                format = tensor.source.function.upper().removesuffix("3")
                lines.append(f"{tensor.name} is {shape}, {format}, of {', '.join(arrays)}.")
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
            if says_exact(formula):
                self.checked[position] = True  # where integers are evaluated
                continue
            try:
                text = guard(substitute(formula, dict(self.named)))
            except NoGuard:
                continue
            if text.startswith("_all") and not self.request.thorough:
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

    def evaluation(self, made: Statement, element: Type) -> str:
        """The call that evaluates it."""
        function = "_exactly" if is_integer(element) else "_evaluate"
        tensors = "".join(f",\n    {tensor.name}={self.tensor(tensor)}" for tensor in made.tensors)
        return f'{function}(\n    "{made.text}"{tensors},\n)'

    def tensor(self, tensor: Tensor) -> str:
        """A tensor of the parameters."""
        match tensor.source:
            case Statement() as inner:
                return f"_dense({self.evaluation(inner, REAL)})"
            case View() as view:
                return f"_dense({self.view(view, tensor.shape)})"
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
            case Call("coo3", (rows, cols, depth, count, *arrays)):
                parts = ", ".join(f"{spelled(array)}[:{spelled(count)}]" for array in arrays)
                return f"_cells({shape_text((rows, cols, depth))}, {parts})"
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

    def view(self, view: View, shape: tuple[Expr, ...]) -> str:
        """Cells of an array: a slice, of a vector in rows where they follow each other."""
        name = view.array.name
        if len(view.offset) > 1:
            return f"{name}[{', '.join(self.slices(view, shape))}]"
        (offset,), strides = view.offset, [steps for (steps,) in view.strides]
        wanted = Polynomial.constant(1)
        tight = True
        for extent, stride in reversed(list(zip(shape, strides, strict=True))):
            tight = tight and stride == wanted
            wanted = wanted * Polynomial.of(extent)
        if tight and shape and not offset.terms:
            end = spelled(wanted.to_expr())
            part = f"{name}[: {end}]" if " " in end else f"{name}[:{end}]"
            return part if len(shape) == 1 else f"{part}.reshape{shape_text(shape)}"
        if not shape:
            return f"{name}[{spelled(offset.to_expr())}]"
        steps = shape_text(tuple(stride.to_expr() for stride in strides))
        return f"_view({name}, {spelled(offset.to_expr())}, {shape_text(shape)}, {steps})"

    def slices(self, view: View, shape: tuple[Expr, ...]) -> Iterator[str]:
        """Along each axis of an array of several, a range or an index."""
        for axis, offset in enumerate(view.offset):
            moving = [position for position, steps in enumerate(view.strides) if steps[axis].terms]
            if any(sum(bool(step.terms) for step in view.strides[position]) > 1 for position in moving) or len(moving) > 1:
                raise CannotWrite(f"{view.array.name} is read along a diagonal, or by two indices along one axis")
            if not moving:
                yield spelled(offset.to_expr())
                continue
            (step,) = {view.strides[position][axis] for position in moving}
            end = offset + (Polynomial.of(shape[moving[0]]) - 1) * step + 1
            first = spelled(offset.to_expr()) if offset.terms else ""
            by = "" if step.constant_value == 1 else f":{spelled(step.to_expr())}"
            yield f"{first}:{spelled(end.to_expr())}{by}"

    def assignment(self, write: Write, value: str) -> str:
        """The statement that writes the window."""
        assert isinstance(write.window, Build) and isinstance(write.window.body, Select)
        index = tuple(map(Polynomial.of, write.window.body.indices))
        view, order = view_of(write.array, index, write.window.binders)
        shape = dict(zip(write.window.binders, write.window.extents, strict=True))
        if set(order) != set(write.window.binders):
            raise CannotWrite("a cell that is written more than once")
        place = self.view(view, tuple(shape[var] for var in order))
        if order != write.window.binders:
            value += f".transpose{shape_text(tuple(integer(write.window.binders.index(var)) for var in order))}"
        if not order:
            return f"{place} = {value}"
        head, reshaped, _ = place.partition(".reshape")
        if reshaped:
            return f"{head} = {value}.reshape(-1)"
        return f"{place} = {value}" if place.endswith("]") else f"{place}[...] = {value}"


def python_names(fragment: Fragment) -> dict[Var, Var]:
    """The parameters as they are called in Python."""
    taken = {param.var.name for param in fragment.params}
    return {param.var: Var(free_name(param.var.name, taken - {param.var.name}), param.var.type) for param in fragment.params}


def free_name(wanted: str, taken: set[str]) -> str:
    """The name, with underscores behind it where it means something else."""
    while wanted in RESERVED | taken:
        wanted += "_"
    return wanted


def shape_text(shape: tuple[Expr, ...]) -> str:
    """A tuple of sizes."""
    return f"({', '.join(map(spelled, shape))}{',' if len(shape) == 1 else ''})"
