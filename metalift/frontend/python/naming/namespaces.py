"""Which module, function or class an expression stands for, and of which of them a dictionary is the names."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from metalift.frontend.python.naming.bindings import imports
from metalift.frontend.python.naming.module import PythonModule

HERE = "this file"  # the module that is being read, in full names
UNKNOWN = "?"
_OWN_NAMES = ("__main__", HERE)
_DEPTH = 8  # of names that stand for names
_FRAMES = ("__globals__", "f_globals", "f_locals", "f_builtins")


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an expression stands: `local` are names of the functions around it, `imported` those that these import.

    `own` is the first parameter of the method around it, which is an object and no module.
    """

    module: PythonModule
    local: frozenset[str] = frozenset()
    imported: dict[str, str] = field(default_factory=dict)
    own: str = ""

    def inside(self, function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, method: bool) -> Scope:
        """The scope of a function's body."""
        args = function.args
        names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
        names += [arg.arg for arg in (args.vararg, args.kwarg) if arg is not None]
        nodes = list(ast.walk(function))
        names += [node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        shared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
        given = [ast.unparse(each) for each in function.decorator_list] if not isinstance(function, ast.Lambda) else []
        own = names[0] if method and names and "staticmethod" not in given else self.own
        imported = {name: full for node in nodes if isinstance(node, ast.stmt) for name, full in imports(node)}
        return Scope(self.module, (self.local | frozenset(names)) - shared, self.imported | imported, own)

    def stands_for(self, node: ast.expr, depth: int = 0) -> str:
        """The full name of what an expression stands for: math.sqrt, builtins.abs, "this file.f"; empty if that is unknown."""
        match node:
            case ast.Name(id=name):
                return self._name(name, depth)
            case ast.Attribute(value=owner, attr=attr):
                above = self.stands_for(owner, depth)
                return f"{above}.{attr}" if above else ""
            case ast.Subscript(value=owner, slice=key) if self.stands_for(owner, depth) == "sys.modules":
                return self._module_called(key)
            case ast.Call(func=func, args=[name]) if self.stands_for(func, depth) in _IMPORTING:
                return self._module_called(name)
            case _:
                return ""

    def names_of(self, node: ast.expr, depth: int = 0) -> str:
        """What it is whose names the dictionary that an expression gives has; UNKNOWN if that is unclear, empty if it is none."""
        match node:
            case ast.Call(func=func, args=args):
                return self._called(self.stands_for(func), args)
            case ast.Attribute(value=owner, attr="__dict__"):
                return "" if self.is_own(owner) else self.stands_for(owner) or UNKNOWN
            case ast.Attribute(attr=attr) if attr in _FRAMES:
                return "builtins" if attr == "f_builtins" else HERE
            case ast.Attribute() if self.stands_for(node) == "sys.modules":
                return "sys.modules"
            case ast.Name(id="__builtins__"):
                return "builtins"
            case ast.Name(id=name) if self.stands_for(node) == "sys.modules":
                return "sys.modules"
            case ast.Name(id=name) if name in self.module.constants and name not in self.local and depth < _DEPTH:
                return self.names_of(self.module.constants[name], depth + 1)
            case _:
                return ""

    def is_own(self, node: ast.expr) -> bool:
        """Whether an expression is the object whose method is around it."""
        match node:
            case ast.Name(id=name):
                return name == self.own
            case ast.Call(func=ast.Name(id="super"), args=[]):
                return bool(self.own)
            case _:
                return False

    def _name(self, name: str, depth: int) -> str:
        module = self.module
        if name in self.imported or name in self.local:
            return _plain(self.imported.get(name, ""), module)
        if name == "__builtins__":
            return "builtins"
        if module.bound[name] == 0:
            return f"builtins.{name}" if hasattr(builtins, name) else ""
        if module.bound[name] > 1:
            return ""
        if name in module.imported:
            return _plain(module.imported[name], module)
        if name in module.functions or name in module.classes:
            return f"{HERE}.{name}"
        known = module.constants.get(name) if depth < _DEPTH else None
        return self.stands_for(known, depth + 1) if known is not None else ""

    def _module_called(self, node: ast.expr) -> str:
        """The module whose name an expression gives."""
        match node:
            case ast.Constant(value=str() as name):
                return _plain(name, self.module)
            case ast.Name(id="__name__"):
                return HERE
            case _:
                return ""

    def _called(self, full: str, args: list[ast.expr]) -> str:
        if full == "builtins.globals" or (full in ("builtins.locals", "builtins.vars") and not args and not self.local):
            return HERE
        if full == "builtins.vars" and args:
            return "" if self.is_own(args[0]) else self.stands_for(args[0]) or UNKNOWN
        return ""


_IMPORTING = ("builtins.__import__", "importlib.import_module", "importlib.reload")


def _plain(full: str, module: PythonModule) -> str:
    """A full name, in which the file's own name is HERE."""
    root, dot, rest = full.partition(".")
    own = root in _OWN_NAMES or (root == module.path.stem and root != "numpy" and root not in sys.stdlib_module_names)
    return f"{HERE}{dot}{rest}" if own else full


@dataclass(frozen=True, slots=True)
class Used:
    """What a function uses, also by way of what it calls.

    `definitions` are the functions, classes and constants of the file that it leads to, itself among them; `names` those of the
    module and of Python's own; `library` full names of what is imported, such as math.sqrt; `attributes` the last parts of all of
    these: what an object may be given to change what the function does.
    """

    definitions: dict[str, ast.AST]
    names: frozenset[str]
    library: frozenset[str]
    attributes: frozenset[str]


def used_by(module: PythonModule, function: ast.FunctionDef) -> Used:
    """What a function of the file uses."""
    known: dict[str, ast.AST] = {**module.constants, **module.classes, **module.functions}
    found: dict[str, ast.AST] = {}
    names = {function.name}
    pending = [function.name]
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = node = known[name]
            local = Scope(module).inside(node, False).local if isinstance(node, ast.FunctionDef) else frozenset[str]()
            names |= set(_read(node, module)) - local
            pending += (each for each in _read(node, module) if each in known)
    parts = [part for node in found.values() for part in ast.walk(node)]
    library = {module.full_name(part) for part in parts if isinstance(part, ast.Name | ast.Attribute)} - {""}
    last = {part.attr for part in parts if isinstance(part, ast.Attribute)} | {full.rpartition(".")[2] for full in library}
    return Used(found, frozenset(names), frozenset(library), frozenset(names | last))


def _read(node: ast.AST, module: PythonModule) -> Iterator[str]:
    """The names that are read below a node, and classes that annotations name in texts."""
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name, ctx=ast.Load()):
                yield name
            case ast.Constant(value=str() as text):
                yield from (word for word in re.findall(r"\w+", text) if word in module.classes)
            case _:
                pass
