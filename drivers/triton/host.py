"""The text of a program with tiles: a kernel for each write and each result, and the lines that launch them.

The text is read back before it is given away: if it does not mean the program that was proved, there is no text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace

from metalift.driver import CannotWrite, Driver, Kernels, Request
from metalift.ir.expr.build import tuple_items
from metalift.ir.expr.nodes import (
    TRUE,
    Apply,
    Build,
    Cast,
    Const,
    Expr,
    Length,
    Operator,
    Select,
    Update,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import ScalarType, TensorType
from metalift.ir.expr.walk import alpha_equal, fresh_name, subexpressions, substitute
from metalift.ir.program.summary import TargetProgram

from .base import TRITON
from .reader import KernelReader
from .reading import Context, Pointer, Read, Value, assigned, host_size, refuse
from .spelling import DTYPES
from .writer import KernelWriter, Launch, Settings

NOTE = """\
# Kernels for GPUs. What ran them so far is Triton's interpreter, on the CPU: no GPU did. What they take there was neither
# modelled nor measured.


"""
APART = '''def _apart(array, *written):
    """The array, or a copy where it is one that kernels write."""
    return array.clone() if any(array.data_ptr() == other.data_ptr() for other in written) else array
'''
WIDTH = 100
SIZES = {"BLOCK": 1024, "BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32}
SIGNS = {Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*", Operator.FDIV: "//", Operator.FMOD: "%"}


def written(request: Request, names: Mapping[str, str], driver: Driver) -> Kernels:
    """The text. Raises CannotWrite where there is none for a part of the program, or where what was written means another."""
    made = _Host(request, names, driver)
    text = made.text()
    check(text, made)
    return text


class _Host:
    def __init__(self, request: Request, names: Mapping[str, str], driver: Driver) -> None:
        self.program = request.program
        self.fragment = request.fragment
        self.names = names
        self.driver = driver
        self.lets = {let.var: let.value for let in self.program.lets}
        self.blocks = self.program.parameters
        self.settings = Settings(driver, self.blocks, self.lets, names, self.host)
        self.launches = launches(self.program)
        self.taken = {*names.values(), *(block.name for block in self.blocks), "torch", "triton", "tl"}

    def text(self) -> Kernels:
        """Kernels, launches, and what is returned."""
        lines, results, definitions = [], [], []
        held = self.held()
        for name, shown in held.items():
            alike = [self.names[each.name] for each in self.written() if each.type == self.array(name).type]
            lines.append(f"{shown} = _apart({self.names[name]}, {', '.join(alike)})")
        near = next((shown for name, shown in self.names.items() if isinstance(self.array(name).type, TensorType)), "")
        for number, launch in enumerate(self.launches, 1):
            called = self.fresh(f"_{self.fragment.name}_kernel" + (f"_{number}" if len(self.launches) > 1 else ""))
            writer = KernelWriter(self.settings, launch, called, held)
            writer.write()
            passed = [given for _, given in writer.params.values()]
            if launch.array is None:
                result = self.fresh("result")
                lines.append(f"{result} = {made_result(launch.value, near)}")
                passed[list(writer.params).index("result_ptr")] = result
                results.append(f"{result}.item()")
            words = set(re.findall(r"\w+", " ".join((*writer.lines, *writer.grid))))
            used = [block for block in self.blocks if block.name in words]
            arguments = [*passed, *(f"{block.name}={block.name}" for block in used)]
            lines.append(wrapped(f"{called}[({', '.join(writer.grid)},)](", arguments, ")"))
            definitions.append(kernel_text(writer, used))
        apart = [APART] if held else []
        parameters = tuple((block.name, str(SIZES.get(block.name.rstrip("_0123456789"), 32))) for block in self.blocks)
        return Kernels(NOTE + "\n\n".join([*apart, *definitions]), tuple(lines), tuple(results), parameters)

    def fresh(self, wanted: str) -> str:
        shown = fresh_name(wanted, self.taken)
        self.taken.add(shown)
        return shown

    def array(self, name: str) -> Var:
        return next(param.var for param in self.fragment.params if param.var.name == name)

    def written(self) -> list[Var]:
        return list(dict.fromkeys(write.array for write in self.program.writes))

    def held(self) -> dict[str, str]:
        """The arrays of which kernels read what was there before any of them wrote."""
        found: dict[str, str] = {}
        for position, launch in enumerate(self.launches):
            earlier = [one.array for one in self.launches[:position] if one.array is not None]
            for read in reads(launch, self.lets):
                if read.array.name not in found and may_be_changed(read, launch, earlier):
                    found[read.array.name] = self.fresh(f"{self.names[read.array.name]}_before")
        return found

    def host(self, expr: Expr) -> str:
        """A size as Python computes it."""
        match expr:
            case Const(value):
                return str(value)
            case Var(name) | Cast(Var(name), _) if name in self.names:
                return self.names[name]
            case Length(Var(name), axis):
                return f"{self.names[name]}.shape[{axis}]"
            case Apply(op, (left, right)) if op in SIGNS:
                return ast.unparse(ast.parse(f"({self.host(left)}) {SIGNS[op]} ({self.host(right)})", mode="eval"))
            case Apply(Operator.MIN | Operator.MAX as op, (left, right)):
                return f"{op.value}({self.host(left)}, {self.host(right)})"
            case _:
                raise CannotWrite(f"a size that has no text: {type(expr).__name__.lower()}")


def launches(program: TargetProgram) -> list[Launch]:
    """What is launched: results first, because they are of what the arrays hold before anything is written."""
    found = []
    if program.result is not None:
        items = tuple_items(program.result)
        found += [Launch(None, (), (), (integer(0),), item, TRUE) for item in items]
    for write in program.writes:
        window, value = write.window, write.value
        assert isinstance(window, Build) and isinstance(window.body, Select) and isinstance(value, Build)
        body = substitute(value.body, dict(zip(value.binders, window.binders, strict=True)))
        found.append(Launch(write.array, window.binders, window.extents, window.body.indices, body, write.guard))
    return found


def reads(launch: Launch, lets: Mapping[Var, Expr]) -> list[Read]:
    """The reads of arrays in a launch."""
    parts = subexpressions(inlined(launch.value, lets))
    return [Read(part.tensor, part.indices) for part in parts if isinstance(part, Select) and isinstance(part.tensor, Var)]


def may_be_changed(read: Read, launch: Launch, earlier: list[Var]) -> bool:
    """Whether what is read may be written before: by an earlier launch, or by another lane of this one.

    Arrays of one element type may be the same array; a lane may read the cell that it writes.
    """
    if any(element(array) == element(read.array) for array in earlier):
        return True
    return launch.array is not None and element(launch.array) == element(read.array) and read.indices != launch.indices


def element(array: Var) -> object:
    """The type of an array's elements."""
    assert isinstance(array.type, TensorType)
    return array.type.element


def inlined(expr: Expr, lets: Mapping[Var, Expr]) -> Expr:
    """The expression without names of intermediates."""
    for var, value in reversed(list(lets.items())):
        expr = substitute(expr, {var: value})
    return expr


def kernel_text(writer: KernelWriter, used: list[Var]) -> str:
    """The definition of a kernel."""
    params = [f"{shown}: {annotation}" if annotation else shown for shown, (annotation, _) in writer.params.items()]
    params += [f"{block.name}: tl.constexpr" for block in used]
    return "\n".join(["@triton.jit", wrapped(f"def {writer.called}(", params, "):"), *writer.lines]) + "\n"


def wrapped(start: str, parts: list[str], end: str) -> str:
    """A call or a definition, with its arguments on lines of their own where it is long."""
    flat = start + ", ".join(parts) + end
    return flat if len(flat) <= WIDTH else start + "".join(f"\n    {part}," for part in parts) + "\n" + end


# Reading back


def check(text: Kernels, host: _Host) -> None:
    """Raises CannotWrite unless the text computes the program."""
    params = {shown: next(p.var for p in host.fragment.params if p.var.name == name) for name, shown in host.names.items()}
    context = Context(host.driver, params, {block.name: block for block in host.blocks})
    found = read_back(text, context)
    if len(found) != len(host.launches) or not all(
        same(mine, wanted, host.lets) for mine, wanted in zip(found, host.launches, strict=True)
    ):
        raise CannotWrite("what was written does not mean the program that was proved")


def same(mine: Launch, wanted: Launch, lets: Mapping[Var, Expr]) -> bool:
    """Whether two launches do the same, as terms."""
    return mine.array == wanted.array and alpha_equal(as_update(mine), as_update(wanted, lets))


def as_update(launch: Launch, lets: Mapping[Var, Expr] | None = None) -> Expr:
    """A launch as a term."""
    value = launch.value if lets is None else inlined(launch.value, lets)
    array = launch.array or Var("result!", TensorType(type_of(value)))  # type: ignore[arg-type]
    return Update(array, launch.binders, launch.extents, launch.indices, value, launch.guard)


def read_back(text: Kernels, context: Context) -> list[Launch]:
    """What a text of kernels and launches does. Raises CannotWrite where it is not understood."""
    tree = ast.parse(text.definitions)
    kernels = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if set(dict(text.parameters)) != set(context.blocks):
        raise CannotWrite("the function has other parameters than the program")
    reader = _Lines(kernels, context)
    for line in text.lines:
        reader.line(ast.parse(line).body[0])
    reader.end(text.results)
    return reader.found


class _Lines:
    """Reads the lines that make copies, make places for results and launch kernels; `found` are the launches."""

    def __init__(self, kernels: Mapping[str, ast.FunctionDef], context: Context) -> None:
        self.kernels = kernels
        self.context = context
        self.pointers = {shown: Pointer(var) for shown, var in context.params.items() if isinstance(var.type, TensorType)}
        self.copies: dict[str, tuple[str, ...]] = {}
        self.results: dict[str, str] = {}  # how the place of each is made
        self.found: list[Launch] = []

    def line(self, node: ast.stmt) -> None:
        known = {*self.pointers, *self.results, *self.kernels, *self.context.params, *self.context.blocks}
        if not known.isdisjoint(assigned([node])):
            raise refuse(node, "binds a name that has a meaning already")
        match node:
            case ast.Assign([ast.Name(shown)], ast.Call(ast.Name("_apart"), [of, *others], [])) if not self.found:
                self.copy(shown, [ast.unparse(each) for each in (of, *others)])
            case ast.Assign([ast.Name(shown)], ast.Call(ast.Attribute(ast.Name("torch"), "empty")) as made):
                if self.unstored():
                    raise refuse(node, "makes the place of a result before another one is stored")
                self.results[shown] = ast.unparse(made)
                self.pointers[shown] = Pointer(None)
            case ast.Expr(ast.Call(ast.Subscript(ast.Name(called), ast.Tuple(grid)), args, keywords)) if called in self.kernels:
                launch = one_launch(self.kernels[called], grid, args, keywords, self.context, self.pointers, self.found)
                self.found.append(launch)
                if launch.array is None:
                    (stored,) = self.unstored()
                    del self.pointers[stored]
                    is_result(launch, self.results[stored], self.pointers)
            case other:
                raise CannotWrite(f"the line {ast.unparse(other)!r} is not read as a launch")

    def unstored(self) -> list[str]:
        """The place that was made and has no result yet."""
        return [shown for shown, pointer in self.pointers.items() if pointer.array is None]

    def copy(self, shown: str, names: list[str]) -> None:
        """A copy of an array where it is one of others."""
        apart = self.kernels.get("_apart")
        if apart is None or ast.unparse(apart) != ast.unparse(ast.parse(APART)) or not self.pointers.keys() >= set(names):
            raise CannotWrite("copies are made in another way than they are read")
        self.copies[shown] = tuple(names[1:])
        self.pointers[shown] = Pointer(self.pointers[names[0]].array, copied=True)

    def end(self, results: tuple[str, ...]) -> None:
        """Raises CannotWrite unless copies are of what is written, and the results are what was stored."""
        changed = {each.array for each in self.found if each.array is not None}
        shown_of = {var: shown for shown, var in self.context.params.items()}
        for copy, beside in self.copies.items():
            array = self.pointers[copy].array
            assert array is not None
            wanted = {shown_of[each] for each in changed if element(each) == element(array)}
            if not wanted <= set(beside):
                raise CannotWrite(f"{array.name} is read as it was before, after it was written; write to another array")
        if self.unstored() or list(results) != [f"{name}.item()" for name in self.results]:
            raise CannotWrite("what is returned is not what kernels stored")


def is_result(launch: Launch, made: str, pointers: Mapping[str, Pointer]) -> None:
    """Raises CannotWrite unless a launch stores one number, whatever the sizes are, in the place that was made for it."""
    if launch.binders or launch.indices != (integer(0),) or launch.guard != TRUE:
        raise CannotWrite("a result is not stored once, as one number")
    placed = (made_result(launch.value, name) for name in ("", *pointers))
    if made not in placed:
        raise CannotWrite(f"{made} is no place of a result of the type {type_of(launch.value)}")


def made_result(value: Expr, near: str) -> str:
    """How the place of a result is made, where an array lies if there is one."""
    type_ = type_of(value)
    if not isinstance(type_, ScalarType) or type_ not in TRITON.dtypes:
        raise CannotWrite("a result that is an integer without bound; an annotation such as np.int64 gives it one")
    return f"torch.empty(1, dtype={TRITON.dtypes[type_]}{f', device={near}.device' if near else ''})"


def one_launch(
    kernel: ast.FunctionDef,
    grid: list[ast.expr],
    args: list[ast.expr],
    keywords: list[ast.keyword],
    context: Context,
    pointers: Mapping[str, Pointer],
    earlier: list[Launch],
) -> Launch:
    """What one launch stores."""
    values: dict[str, Value | Pointer] = {}
    if [ast.unparse(each) for each in kernel.decorator_list] != ["triton.jit"]:
        raise CannotWrite(f"{kernel.name} is no kernel")
    for param, arg in zip(kernel.args.args, args, strict=False):
        spelled = "" if param.annotation is None else ast.unparse(param.annotation)
        values[param.arg] = passed(arg, spelled, context, pointers)
    blocks = [param.arg for param in kernel.args.args[len(args) :]]
    if blocks != [keyword.arg for keyword in keywords] or any(ast.unparse(each.value) != each.arg for each in keywords):
        raise CannotWrite(f"{kernel.name} is launched with other parameters than it has")
    if not set(blocks) <= set(context.blocks):
        raise CannotWrite(f"{kernel.name} has blocks of a size that is not known")
    if not context.blocks.keys().isdisjoint({*values, *assigned(kernel.body)}):
        raise CannotWrite(f"{kernel.name} gives the size of a block another meaning")
    reader = KernelReader(replace(context, blocks={name: context.blocks[name] for name in blocks}), grid, values)
    made = reader.launch(kernel.body)
    before = [one.array for one in earlier if one.array is not None]
    for read in reader.reads:
        if may_be_changed(read, made, before):
            raise CannotWrite(f"{read.array.name} is read where it may have been written")
    return made


def passed(arg: ast.expr, spelled: str, context: Context, pointers: Mapping[str, Pointer]) -> Value | Pointer:
    """What a kernel's parameter stands for."""
    if not spelled:
        if not isinstance(arg, ast.Name) or arg.id not in pointers:
            raise CannotWrite(f"{ast.unparse(arg)} is passed for an array")
        return pointers[arg.id]
    var = context.params.get(ast.unparse(arg))
    if var is not None and DTYPES.get(spelled) == var.type:
        return Value(var)
    if spelled != "tl.int64":
        raise CannotWrite(f"{ast.unparse(arg)} is passed for a {spelled}")
    size = host_size(arg, context)
    return Value(size)
