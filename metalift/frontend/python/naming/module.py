"""A Python file as it is parsed: its functions, and what the names of its module mean."""

from __future__ import annotations

import ast
import difflib
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from metalift.frontend.python.naming.bindings import bound_names, constants, imports
from metalift.ir.program.fragment import Diagnostic, Location, Unsupported
from metalift.result.errors import SourceError

SUFFIXES = (".py", ".pyw")


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
    binds each name. `pure` are functions that a reader has added, which change nothing; `units` are loops as functions,
    with the functions around them.
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
    tree: ast.Module = field(default_factory=lambda: ast.Module([], []))
    units: Mapping[str, ast.FunctionDef] = field(default_factory=dict)

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


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Those of the module, and what it imports for annotations only."""
    for node in tree.body:
        yield node
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"), body=body):
                yield from body
            case _:
                pass


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
        with warnings.catch_warnings(action="ignore"):
            compile(tree, str(path), "exec", dont_inherit=True)  # which finds what the grammar allows and Python does not
    except SyntaxError as error:
        raise SourceError(f"{path}:{error.lineno or 1}:{error.offset or 1}: this is not Python: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise SourceError(f"{path} cannot be parsed: {error}") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    bound = bound_names(tree)
    imported = {name: full for node in _statements(tree) for name, full in imports(node) if full}
    return PythonModule(path, source, functions, imported, constants(tree, bound), bound, classes, tree=tree)
