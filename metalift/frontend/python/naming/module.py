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

from metalift.frontend.python.matching import without_match
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


@dataclass(frozen=True, slots=True, eq=False)
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

    def library(self, full: str) -> ast.expr:
        """What a library has under that name, whatever this file calls it, for annotations and calls that a reader adds."""
        first, *rest = full.split(".")
        name = next((name for name, other in self.imported.items() if other == first), f"#{first}")
        self.imported.setdefault(name, first)
        found: ast.expr = ast.Name(name, ast.Load())
        for each in rest:
            found = ast.Attribute(found, each, ast.Load())
        return found

    def find(self, name: str) -> ast.FunctionDef:
        """The function of that name, or method `Class.name`; raises SourceError where there is none."""
        if name in self.functions:
            self.check_bound_once(name, self.functions[name])
            return self.functions[name]
        owner, dot, method = name.partition(".")
        if dot and owner in self.classes:
            self.check_bound_once(owner, self.classes[owner])
            for node in self.classes[owner].body:
                if isinstance(node, ast.FunctionDef) and node.name == method:
                    return node
        if not self.functions:
            raise SourceError(f"{self.path} has no function at its top level")
        near = difflib.get_close_matches(name, self.functions, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise SourceError(f"{self.path} has no function {name}; it has {', '.join(self.functions)}{hint}")

    def check_bound_once(self, name: str, node: ast.AST) -> None:
        """Refuse a name of which the module does not tell what it stands for."""
        if self.bound[name] > 1:
            self.place.refuse(node, f"the module binds '{name}' {self.bound[name]} times; give one name to one thing")

    def table(self, name: str, value: ast.List) -> ast.Tuple | None:
        """The lists that a name stands for as tuples, where this file only reads their elements, and asks for their number."""
        depth = 1
        inner: ast.expr = value
        while isinstance(inner, ast.List) and inner.elts and isinstance(inner.elts[0], ast.List):
            inner, depth = inner.elts[0], depth + 1
        read: set[int] = set()
        for node in ast.walk(self.tree):
            match node:
                case ast.Subscript(ctx=ast.Load()):
                    read.add(id(_owner(node, depth)))
                case ast.Call(func=ast.Name(id="len"), args=[owner]) if not self.bound["len"]:
                    read.add(id(owner))
                case ast.For(iter=owner) | ast.comprehension(iter=owner) if depth == 1:
                    read.add(id(owner))
        used = [node for node in ast.walk(self.tree) if isinstance(node, ast.Name) and node.id == name]
        return _as_tuples(value) if all(isinstance(node.ctx, ast.Store) or id(node) in read for node in used) else None

    def class_constant(self, name: str, attribute: str, *, as_value: bool) -> ast.expr | None:
        """The literal that a class at the top level gives an attribute, if nothing of the file changes it.

        `as_value`: what `value` is of a member of an enum, whose members are numbers themselves only if it is an IntEnum.
        """
        found = self.classes.get(name)
        if found is None or self.bound[name] != 1 or found.decorator_list or found.keywords or len(found.bases) > 1:
            return None
        base = self.full_name(found.bases[0]) if found.bases else ""
        if base and any(isinstance(each, ast.FunctionDef) for each in found.body):
            return None  # which may say what its members are, or when they are equal
        if base not in (("enum.Enum", "enum.IntEnum") if as_value else ("", "enum.IntEnum")) or (found.bases and not base):
            return None
        attributes = (node for node in ast.walk(self.tree) if isinstance(node, ast.Attribute))
        stored = {node.attr for node in attributes if not isinstance(node.ctx, ast.Load)}
        values = [
            node.value
            for node in found.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
            if any(isinstance(each, ast.Name) and each.id == attribute for each in _targets(node))
        ]
        names = [node.id for each in found.body for node in ast.walk(each) if isinstance(node, ast.Name) and node.id == attribute]
        plain = (*values, *(node.operand for node in values if isinstance(node, ast.UnaryOp)))
        literal = any(isinstance(node, ast.Constant) and isinstance(node.value, int | float) for node in plain)
        return values[0] if len(values) == len(names) == 1 and literal and attribute not in stored else None

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


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    """What an assignment gives a value."""
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _owner(node: ast.expr, depth: int) -> ast.expr | None:
    """What so many indices lead from; None where there are fewer: it is a list that they lead to, which may be changed."""
    for _ in range(depth):
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
            return None
        node = node.value
    return node


def _as_tuples(node: ast.List) -> ast.Tuple:
    """Lists of lists as tuples of tuples."""
    parts = [_as_tuples(each) if isinstance(each, ast.List) else each for each in node.elts]
    return ast.copy_location(ast.Tuple(parts, ast.Load()), node)


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
        tree = without_match(tree)
    except SyntaxError as error:
        raise SourceError(f"{path}:{error.lineno or 1}:{error.offset or 1}: this is not Python: {error.msg}") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise SourceError(f"{path} cannot be parsed: {error}") from error
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    bound = bound_names(tree)
    imported = {name: full for node in _statements(tree) for name, full in imports(node) if full}
    return PythonModule(path, source, functions, imported, constants(tree, bound), bound, classes, tree=tree)
