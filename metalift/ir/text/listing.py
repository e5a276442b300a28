"""Fragments, summaries and programs as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from metalift.ir.expr.nodes import TRUE, Expr, Select, Var, type_of
from metalift.ir.expr.types import show_type
from metalift.ir.program.fragment import (
    Assign,
    Assume,
    Block,
    Branch,
    Check,
    Edge,
    Fragment,
    Jump,
    Location,
    Param,
    ParamKind,
    Return,
    Statement,
    Store,
    Terminator,
    Undefined,
    Unreachable,
)
from metalift.ir.program.summary import (
    Aids,
    Choice,
    Repeat,
    Stage,
    StagedProgram,
    StagedSummary,
    Stretch,
    Summary,
    TargetProgram,
)
from metalift.ir.text.printer import show, show_name


def _typed(var: Var) -> str:
    return f"{show_name(var.name)}: {show_type(var.type)}"


def _param(param: Param) -> str:
    kind = "" if param.kind is ParamKind.VALUE else f" {param.kind.value}"
    return f"{_typed(param.var)}{kind}{' noalias' if param.noalias else ''}"


def show_fragment(fragment: Fragment) -> str:
    """The control-flow graph, a block at a time; behind # the line and column of the source."""
    result = f" -> {show_type(fragment.result)}" if fragment.result else ""
    lines = [f"fragment {fragment.name}({', '.join(_param(param) for param in fragment.params)}){result}"]
    rooms = {name: f" of {show(extent)}" for name, extent in fragment.rooms}
    lines.extend(f"local {_typed(var)}{rooms.get(var.name, '')}" for var in fragment.locals)
    types = {block.label: block.args for block in fragment.blocks}
    for block in fragment.blocks:
        lines.extend(_block(block, types))
    return "\n".join(lines) + "\n"


def _block(block: Block, args: dict[str, tuple[Var, ...]]) -> list[str]:
    heading = f"({', '.join(_typed(arg) for arg in block.args)})" if block.args else ""
    body = [_noted(_statement(statement), statement.location) for statement in block.body]
    return [f"{block.label}{heading}:", *body, _noted(_end(block.end, args), block.end.location)]


def _noted(text: str, location: Location) -> str:
    """An indented line with its place in the source."""
    place = f"{location.line}:{location.column}" if location.column else f"{location.line}"
    return f"  {text:<70}  # {place}" if location.line else f"  {text}"


def _statement(statement: Statement) -> str:
    match statement:
        case Assign(target, value, _):
            return f"{_typed(target)} = {show(value, target.type)}"
        case Store(array, indices, value, _):
            cell = Select(array, indices)
            return f"{show(cell)} = {show(value, type_of(cell))}"
        case Assume(cond, origin, _):
            return f"assume {show(cond)}  ({origin})"
        case Check(cond, message, _):
            return f"check {show(cond)}  ({message})"
        case Undefined(target, variable, _):
            return f"{_typed(target)} = the uninitialised variable {variable}"
        case _:
            assert_never(statement)


def _end(end: Terminator, args: dict[str, tuple[Var, ...]]) -> str:
    match end:
        case Jump(edge, _):
            return f"jump {_edge(edge, args)}"
        case Branch(cond, then, other, _):
            return f"if {show(cond)} jump {_edge(then, args)} else {_edge(other, args)}"
        case Return(value, _):
            return "return" if value is None else f"return {show(value)}"
        case Unreachable():
            return "unreachable"
        case _:
            assert_never(end)


def _edge(edge: Edge, args: dict[str, tuple[Var, ...]]) -> str:
    if not edge.args:
        return edge.block
    targets = args[edge.block]
    return f"{edge.block}({', '.join(show(value, target.type) for value, target in zip(edge.args, targets, strict=True))})"


def show_summary(summary: Summary) -> str:
    """What the function computes, a definition in each line."""
    lines = [f"{show_name(b.var.name)} = {show(b.value, b.var.type)}" for b in summary.bindings]
    lines.extend(_output(name, value) for name, value in summary.outputs)
    lines += _accessed(summary.requires, summary.extents)
    return "\n".join([*lines, *(f"known {show(fact)}" for fact in summary.facts), *_aids(summary.aids)])


def _aids(aids: Aids) -> list[str]:
    """What obligations are proved with."""
    lines = []
    for lemma in aids.lemmas:
        how = "" if lemma.count is None else f", by induction on {lemma.count.name}"
        of = ", ".join(f"{show_name(var.name)}: {show_type(var.type)}" for var in lemma.free)
        lines.append(f"lemma for all ({of}) {show(lemma.formula)}{how}")
    return lines + [f"split {show(split)}" for split in aids.splits]


def show_staged(staged: StagedSummary) -> str:
    """The stages, what is repeated indented under its loop; then what is required, and how much is accessed."""
    lines = _stages(staged.stages)
    lines += _accessed(staged.requires, staged.extents)
    return "\n".join(lines)


def _stages(stages: Sequence[Stage]) -> list[str]:
    lines: list[str] = []
    for stage in stages:
        match stage:
            case Stretch(start, way, stop, summary):
                lines += [f"from {' '.join(filter(None, (start, way)))} to {stop or 'the end'}:", *_indented(summary)]
            case Choice(block, test, then, other):
                lines += [f"at {block} if:", *_indented(test), "then:", *_indented(then), "otherwise:", *_indented(other)]
            case Repeat(header, holds, test, body, after, leaving):
                lines += [f"repeat {header}:" if test is None else f"repeat {header} while:"]
                lines += [] if test is None else _indented(test)
                lines += [f"    holds {show(formula)}" for formula in holds]
                lines += _indented(body)
                lines += [] if after is None else [f"to {after}, where it does not leave, by:", *_indented(leaving)]
    return lines


def _indented(inner: Summary | Sequence[Stage]) -> list[str]:
    lines = show_summary(inner).splitlines() if isinstance(inner, Summary) else _stages(inner)
    return [f"    {line}" for line in lines]


def _accessed(requires: Sequence[Expr], extents: Sequence[tuple[str, tuple[Expr, ...]]]) -> list[str]:
    lines = [f"requires {show(condition)}" for condition in requires]
    return lines + [f"accesses {name}[{', '.join(f'0 .. {show(each)} - 1' for each in shape)}]" for name, shape in extents]


def _output(name: str, value: Expr) -> str:
    return f"return {show(value)}" if name == "return" else f"{show_name(name)} := {show(value)}"


def show_program(program: TargetProgram | StagedProgram) -> str:
    """A program, one statement a line; the parts of a staged one by their numbers."""
    if isinstance(program, StagedProgram):
        parts = [f"part {number}:\n{show_program(part)}".rstrip() for number, part in enumerate(program.programs, 1)]
        return "\n\n".join(parts)
    lines = [f"for all {parameter.name} >= 1" for parameter in program.parameters]
    lines += [f"require {show(formula)}" for formula in program.requires]
    lines += [f"{let.var.name} = {show(let.value)}" for let in program.lets]
    lines += [f"{show(write.window)} := {show(write.value)}{_where(write.guard)}" for write in program.writes]
    if program.result is not None:
        lines.append(f"return {show(program.result)}")
    return "\n".join([*lines, *_aids(program.aids)])


def _where(guard: Expr) -> str:
    """Which cells of a window are written, if not all."""
    return "" if guard == TRUE else f" where {show(guard)}"
