"""How a source makes dictionaries and sets, and where it reads and writes them at a key."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from metalift.frontend.python.naming.module import PythonModule

_ZEROS: dict[str, int | float | bool | str] = {"int": 0, "float": 0.0, "bool": False, "str": ""}
_MAPS = ("dict", "Dict", "defaultdict", "Counter", "Mapping", "MutableMapping")
_SETS = ("set", "Set", "frozenset")
PURE = frozenset("abs bool float int len max min pow round sum any all".split())
_BUILTINS = PURE | frozenset("dict enumerate frozenset list range reversed set sorted str tuple zip".split())


@dataclass(frozen=True, slots=True)
class Made:
    """A new dictionary or set.

    `default` is what it gives for a key that it lacks, `inserts` whether reading that puts it there; `items` are the statements'
    worth of a comprehension or of an argument that fills it.
    """

    is_set: bool
    default: ast.expr | None = None
    inserts: bool = False
    items: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """A place in the source that names a dictionary or set: at a key, or, where that is None, in some other way."""

    name: str
    key: ast.expr | None
    node: ast.expr


def made(module: PythonModule, node: ast.expr | None) -> Made | None:  # noqa: C901 (one case for each way)
    """The dictionary or set that an expression makes; None where it makes none."""
    match node:
        case ast.Dict(keys=[]):
            return Made(False)
        case ast.DictComp():
            return Made(False, items=node)
        case ast.SetComp():
            return Made(True, items=node)
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=[]):
            return Made(False)
        case ast.Call(func=ast.Name(id="set"), args=args, keywords=[]) if len(args) < 2:
            return Made(True, items=args[0] if args else None)
        case ast.Call(func=func, args=args, keywords=[]):
            match module.full_name(func), args:
                case "collections.Counter", ([] | [_]):
                    return Made(False, ast.Constant(value=0), items=args[0] if args else None)
                case "collections.defaultdict", [ast.Name(id=name)] if name in _ZEROS:
                    return Made(False, ast.Constant(value=_ZEROS[name]), inserts=True)
                case "collections.defaultdict", [ast.Lambda(body=ast.Constant(value=bool() | int() | float()) as default)]:
                    return Made(False, default, inserts=True)
    return None


def accesses(node: ast.AST, maps: Collection[str]) -> Iterator[Access]:
    """Every place under a node that names one of the dictionaries and sets."""
    known = {"get", "setdefault", "add"}
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=key) if name in maps and not isinstance(key, ast.Slice):
            yield Access(name, key, node)
            yield from accesses(key, maps)
        case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name)]) if name in maps:
            yield Access(name, key, node)
            yield from accesses(key, maps)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=[key, *rest], keywords=[]) if (
            name in maps and attr in known
        ):
            yield Access(name, key, node)
            for each in (key, *rest):
                yield from accesses(each, maps)
        case ast.Name(id=name) if name in maps:
            yield Access(name, None, node)
        case _:
            for child in ast.iter_child_nodes(node):
                yield from accesses(child, maps)


def annotated(node: ast.expr | None) -> tuple[str, str]:
    """The types, as text, of keys and values that an annotation of a dictionary or set names; empty where it does not say."""
    match node:
        case ast.Constant(value=str() as text):
            try:
                return annotated(ast.parse(text, mode="eval").body)
            except SyntaxError:
                return "", ""
        case ast.Subscript(value=ast.Name(id=owner) | ast.Attribute(attr=owner), slice=inside):
            parts = [ast.unparse(each) for each in _items(inside)]
            if owner in _SETS or owner == "Counter":
                return parts[0], ""
            if owner in _MAPS and len(parts) == 2:
                return parts[0], parts[1]
    return "", ""


def items_of(type_: str) -> list[str]:
    """The types, as text, of the parts of a tuple; none of another type."""
    match ast.parse(type_, mode="eval").body:
        case ast.Subscript(value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts)):
            return [ast.unparse(each) for each in elts]
    return []


def zero(type_: str) -> ast.Constant:
    """What stands for the value at a key that is not there."""
    return ast.Constant(value=_ZEROS.get(type_, 0))


def has_other_meaning(module: PythonModule, function: ast.FunctionDef) -> str:
    """A name that the function uses as Python's own, or as an imported one, and that means something else; empty for none."""
    args = function.args
    own = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    own |= {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    own |= {node.name for node in ast.walk(function) if isinstance(node, ast.FunctionDef | ast.ClassDef) and node is not function}
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in own and (name in _BUILTINS or name in module.imported):
                return name
            case ast.Attribute(value=ast.Name(id=name)) if name in own and (name == "dict" or name in module.imported):
                return name  # `dict.fromkeys`; no other method of a builtin class is known by its name
            case ast.Name(id=name, ctx=ast.Load()) if name in _BUILTINS or name in module.imported:
                if module.bound[name] > (name in module.imported and name not in _BUILTINS):
                    return name
    return ""


def is_pure(node: ast.AST, module: PythonModule) -> bool:
    """Whether evaluating an expression changes nothing: all that it calls are functions of numbers, and `get`."""
    for part in ast.walk(node):
        if isinstance(part, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom | ast.Lambda):
            return False
        if isinstance(part, ast.Call):
            builtin = isinstance(part.func, ast.Name) and part.func.id in PURE and part.func.id not in module.functions
            added = isinstance(part.func, ast.Name) and part.func.id in module.pure
            got = isinstance(part.func, ast.Attribute) and part.func.attr == "get"
            if not builtin and not added and not got and not module.full_name(part.func).startswith("math."):
                return False
    return True


def _items(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]
