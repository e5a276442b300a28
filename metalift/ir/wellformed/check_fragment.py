"""Whether fragments are well formed: what the front ends have to make, which tests look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from metalift.ir.expr.nodes import Expr, Select, type_of
from metalift.ir.expr.types import BOOL, INT, TensorType, Type, show_type
from metalift.ir.program.fragment import Assign, Assume, Block, Branch, Check, Edge, Fragment, ParamKind, Return, Store, Undefined
from metalift.ir.wellformed.check import NAME, defined_vars, free_types, require


def check_fragment(fragment: Fragment) -> None:
    """Raises IllTyped unless the fragment is well formed: types, edges, single assignment, definitions that dominate uses."""
    globals_ = {var.name: var.type for var in (*(param.var for param in fragment.params), *fragment.locals)}
    require(len(globals_) == len(fragment.params) + len(fragment.locals), "parameters and arrays have different names", fragment)
    for var in fragment.locals:
        require(isinstance(var.type, TensorType), "a local of a fragment is an array", var)
    lines = {var.name for var in fragment.locals if isinstance(var.type, TensorType) and var.type.rank == 1}
    for name, extent in fragment.rooms:
        require(name in lines, f"there is no local array {name!r} of one axis", fragment)
        _check_in(extent, {param.var.name: param.var.type for param in fragment.params}, fragment)
        require(type_of(extent) == INT, "a number of elements is an exact integer", extent)
    for param in fragment.params:
        is_array = isinstance(param.var.type, TensorType)
        by_value = param.kind in (ParamKind.VALUE, ParamKind.KEY)
        require(is_array != by_value, "what is passed by value is no array, all else is", param)
    blocks = {block.label: block for block in fragment.blocks}
    require(len(blocks) == len(fragment.blocks), "blocks have different labels", fragment)
    entry = fragment.blocks[0]
    require(not entry.args, "the entry has no arguments", entry)
    _check_single_assignment(fragment, globals_)
    for block in fragment.blocks:
        for edge in block.edges:
            require(edge.block in blocks, f"there is no block {edge.block}", block)
            require(edge.block != entry.label, "nothing leads to the entry", block)
            _check_edge(edge, blocks[edge.block])
    for label, known in _known_at(fragment, blocks).items():
        _check_block(blocks[label], {**globals_, **known}, fragment)


def _check_single_assignment(fragment: Fragment, globals_: Mapping[str, Type]) -> None:
    seen = set(globals_)
    for block in fragment.blocks:
        for var in defined_vars(block):
            require(var.name not in seen, f"{var.name} is defined twice", block)
            require(NAME.fullmatch(var.name) is not None, f"{var.name!r} is no name", block)
            seen.add(var.name)


def _check_edge(edge: Edge, target: Block) -> None:
    require(len(edge.args) == len(target.args), f"an edge to {target.label} has a value for each of its arguments", edge)
    for value, arg in zip(edge.args, target.args, strict=True):
        require(type_of(value) == arg.type, f"{arg.name} is {show_type(arg.type)}, not {show_type(type_of(value))}", edge)


def _known_at(fragment: Fragment, blocks: Mapping[str, Block]) -> dict[str, dict[str, Type]]:
    """For each block that control can reach: the values that are defined on every way to it."""
    known: dict[str, dict[str, Type]] = {fragment.blocks[0].label: {}}
    pending = [fragment.blocks[0].label]
    while pending:
        block = blocks[pending.pop()]
        out = {**known[block.label], **{var.name: var.type for var in defined_vars(block)}}
        for edge in block.edges:
            before = known.get(edge.block)
            after = out if before is None else {name: type_ for name, type_ in before.items() if name in out}
            if after != before:
                known[edge.block] = after
                pending.append(edge.block)
    return known


def _check_block(block: Block, known: dict[str, Type], fragment: Fragment) -> None:
    """The statements and the end, in the scope of the values that are known on entry."""
    known.update((arg.name, arg.type) for arg in block.args)
    for statement in block.body:
        match statement:
            case Assign(target, value, _):
                _check_in(value, known, statement)
                require(type_of(value) == target.type, f"{target.name} is {show_type(target.type)}", statement)
                known[target.name] = target.type
            case Undefined(target, _, _):
                known[target.name] = target.type
            case Assume(cond, _, _) | Check(cond, _, _):
                _check_in(cond, known, statement)
                require(type_of(cond) == BOOL, "an assumption is a bool", statement)
            case Store(array, indices, value, _):
                cell = Select(array, indices)
                _check_in(cell, known, statement)
                _check_in(value, known, statement)
                require(type_of(value) == type_of(cell), f"an element of {array.name} is {show_type(type_of(cell))}", statement)
            case _:
                assert_never(statement)
    for edge in block.edges:
        for value in edge.args:
            _check_in(value, known, block)
    if isinstance(block.end, Branch):
        _check_in(block.end.cond, known, block)
        require(type_of(block.end.cond) == BOOL, "a condition is a bool", block)
    if isinstance(block.end, Return):
        _check_return(block.end, known, fragment)


def _check_return(end: Return, known: Mapping[str, Type], fragment: Fragment) -> None:
    require((end.value is None) == (fragment.result is None), "a value is returned exactly if there is a result type", end)
    if end.value is not None:
        _check_in(end.value, known, end)
        require(type_of(end.value) == fragment.result, "what is returned has the result type", end)


def _check_in(expr: Expr, known: Mapping[str, Type], where: object) -> None:
    """The expression is well formed and speaks of known values only."""
    for name, type_ in free_types(expr, known).items():
        require(known.get(name) == type_, f"{name} is not defined here", where)
