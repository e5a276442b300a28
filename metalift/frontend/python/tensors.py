"""Whether a function is about tensors of PyTorch; tensors without axes that have one name only."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from metalift.frontend.python.annotations import Hint
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.naming.namespaces import used_by
from metalift.frontend.python.reader.tensors import names

_FRESH = (ast.BinOp, ast.Compare, ast.Constant)  # whose value is a new tensor, or a number


def has_tensors(module: PythonModule, function: ast.FunctionDef, hints: Mapping[str, Hint]) -> bool:
    """Whether arrays are tensors: annotations or what the function uses says it, or else what the file imports."""
    if function.name not in module.functions:
        found = {module.full_name(node) for node in ast.walk(function) if isinstance(node, ast.Name)}
    else:
        found = set(used_by(module, function).library)
    used = {full.partition(".")[0] for full in found} & {"numpy", "torch"}
    used |= {"torch"} if any(hint.tensor for hint in hints.values()) else set()
    if used == {"numpy", "torch"}:
        module.place.refuse(function, "a function that uses NumPy and PyTorch; use one of them")
    if not used:
        used = {full.partition(".")[0] for full in module.imported.values()} & {"numpy", "torch"}
        open_ = [name for name, hint in hints.items() if hint.numpy and not hint.text]
        if len(used) == 2 and open_:
            text = f"{open_[0]}, which may be an array of NumPy or a tensor: the file imports both; annotate it"
            module.place.refuse(function, text)
    return used == {"torch"}


def check_changed_in_place(module: PythonModule, function: ast.FunctionDef, node: ast.AugAssign) -> None:
    """Refuse `s += x` of a tensor without axes that may have a second name, which would change with it."""
    assert isinstance(node.target, ast.Name)
    name = node.target.id
    parents = {id(child): part for part in ast.walk(function) for child in ast.iter_child_nodes(part)}
    taken = {arg.arg for arg in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
    fresh = name not in taken and all(_is_fresh(module, parents[id(each)], each) for each in _stores(function, name))
    if not fresh or not all(_only_reads(module, parents, each) for each in _loads(function, name)):
        text = f"{ast.unparse(node)}: {name} may be a tensor that another name or tensor shares; write {name} = {name} ..."
        module.place.refuse(node, text)


def _stores(function: ast.FunctionDef, name: str) -> Iterator[ast.Name]:
    for each in ast.walk(function):
        if isinstance(each, ast.Name) and each.id == name and not isinstance(each.ctx, ast.Load):
            yield each


def _loads(function: ast.FunctionDef, name: str) -> Iterator[ast.Name]:
    for each in ast.walk(function):
        if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load):
            yield each


def _is_fresh(module: PythonModule, statement: ast.AST, target: ast.Name) -> bool:
    """Whether a statement gives a name a new tensor or a number."""
    match statement:
        case ast.AugAssign():
            return True
        case ast.Assign(targets=[only], value=value) if only is target:
            return isinstance(value, _FRESH) or (isinstance(value, ast.Call) and _makes(module, value))
        case _:
            return False


def _makes(module: PythonModule, call: ast.Call) -> bool:
    """Whether a call gives a new tensor, whatever it is given."""
    full = module.full_name(call.func)
    name = names.short(full) if full else call.func.attr if isinstance(call.func, ast.Attribute) else ""
    plain = isinstance(call.func, ast.Name) and call.func.id in ("float", "int") and not module.bound[call.func.id]
    return plain or name in names.ELEMENTWISE or name in names.NEW


def _only_reads(module: PythonModule, parents: dict[int, ast.AST], load: ast.Name) -> bool:
    """Whether what is done with a name gives no second name to its tensor."""
    parent = parents[id(load)]
    match parent:
        case ast.BinOp() | ast.UnaryOp(op=ast.USub()) | ast.Compare() | ast.Return() | ast.AugAssign() | ast.If():
            return True
        case ast.Call():
            return _makes(module, parent) and not parent.keywords
        case ast.Attribute():
            call = parents[id(parent)]
            return isinstance(call, ast.Call) and _makes(module, call)
        case _:
            return False
