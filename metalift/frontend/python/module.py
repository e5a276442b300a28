"""A Python file as it is parsed: its functions, and what the names of its module mean."""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from metalift.frontend.compilers import SourceError
from metalift.ir.fragment import Diagnostic, Location, Unsupported

SUFFIXES = (".py", ".pyw")
LIBRARIES = ("math", "numpy", "typing", "collections.abc", "numpy.typing", "__future__", "functools", "builtins")


@dataclass(frozen=True, slots=True)
class Place:
    """Points into a file."""

    file: str

    def of(self, node: ast.AST) -> Location:
        """Where a node stands."""
        return Location(self.file, getattr(node, "lineno", 1), getattr(node, "col_offset", -1) + 1)

    def refuse(self, node: ast.AST, message: str) -> NoReturn:
        """Refuse what stands at a node: what was found; what is supported; what to do."""
        raise Unsupported(Diagnostic(self.of(node), message))


@dataclass(frozen=True, slots=True)
class PythonModule:
    """A parsed file.

    `functions` are those defined at its top level; `imported` gives the full name ("math.sqrt") of imported names,
    `constants` the expressions of names that the module sets once, and no function changes; `bound` says how often the module
    binds each name, "*" for imports of whatever a module has. `pure` are functions that a reader has added, which change nothing.
    """

    path: Path
    source: str
    functions: dict[str, ast.FunctionDef]
    imported: dict[str, str] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)
    bound: Counter[str] = field(default_factory=Counter)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    without_plugin: str = ""
    pure: frozenset[str] = frozenset()

    @property
    def place(self) -> Place:
        """Locations in the file."""
        return Place(str(self.path))

    def find(self, name: str) -> ast.FunctionDef:
        """The function of that name; raises SourceError where there is none."""
        if name in self.functions:
            self.check_bound_once(name, self.functions[name])
            return self.functions[name]
        if not self.functions:
            raise SourceError(f"{self.path} has no function at its top level")
        near = difflib.get_close_matches(name, self.functions, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise SourceError(f"{self.path} has no function {name}; it has {', '.join(self.functions)}{hint}")

    def check_bound_once(self, name: str, node: ast.AST) -> None:
        """Refuse a name of which the module does not tell what it stands for."""
        if self.bound["*"]:
            self.place.refuse(node, "the module imports * from another, which may change what names mean; import the names")
        if self.bound[name] > 1:
            self.place.refuse(node, f"the module binds '{name}' {self.bound[name]} times; give one name to one thing")

    def full_name(self, node: ast.expr) -> str:
        """What a dotted name refers to ("numpy.float32" for `np.float32`); empty where it is none that was imported."""
        match node:
            case ast.Name(id=name):
                return self.imported.get(name, "")
            case ast.Attribute(value=owner, attr=attr):
                above = self.full_name(owner)
                return f"{above}.{attr}" if above else ""
            case _:
                return ""


def read_source(path: Path) -> str:
    """The text of a Python file. Raises SourceError where there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise SourceError(f"{path} cannot be read: {reason}") from error


def parse_source(path: Path, text: str | None = None) -> PythonModule:
    """Parse a Python file, or a text as if it stood there. Raises SourceError where that cannot be done."""
    source = read_source(path) if text is None else text
    try:
        tree = ast.parse(source, filename=str(path))
    except SyntaxError as error:
        raise SourceError(f"{path}:{error.lineno or 1}:{error.offset or 1}: this is not Python: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise SourceError(f"{path} cannot be parsed: {error}") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    return PythonModule(path, source, functions, dict(_imports(tree)), _constants(tree), Counter(_bound(tree)), classes)


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that import statements at the top level bind, with what they refer to."""
    for node in tree.body:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
            case ast.ImportFrom(module=module, names=names, level=0) if module is not None:
                for alias in names:
                    yield alias.asname or alias.name, f"{module}.{alias.name}"
            case _:
                pass


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """Names that one statement at the top level sets, and nothing else changes."""
    stores = Counter(_bound(tree))
    found: dict[str, ast.expr] = {}
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if stores[name] == 1:
                found[name] = value
            case _:
                pass
    return found


def _bound(tree: ast.Module) -> Iterator[str]:
    """Every binding of a name of the module, once for each."""
    local: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node not in local:
                yield node.name
            local.update(child for child in ast.walk(node) if child is not node)
        elif isinstance(node, ast.Global):
            for name in node.names:
                yield name
                yield name
    for node in ast.walk(tree):
        if node not in local:
            yield from _binds(node)


def _binds(node: ast.AST) -> Iterator[str]:
    """The names that a node other than a definition binds."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.Import(names=names):
            yield from (alias.asname or alias.name.split(".")[0] for alias in names)
        case ast.ImportFrom(names=names):
            yield from (alias.asname or alias.name for alias in names)
        case _:
            pass
