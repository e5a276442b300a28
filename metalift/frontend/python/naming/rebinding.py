"""Statements elsewhere in a file that change what the names mean that a function uses: refused, or listed if they cannot be seen.

The file is read, never run. A change is an attribute that a module, class or function is given, or an entry of a dictionary of
names, wherever in the file it is written: nobody knows which functions are called before. What is not written in the file can
come in only by what it imports, and by text or calls that nothing is known of. Bindings of names are counted by `bindings`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from metalift.frontend.python.naming.bindings import unlisted_stars
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.naming.namespaces import HERE, UNKNOWN, Scope, Used, used_by
from metalift.frontend.python.naming.own_names import check_own_names
from metalift.ir.program.fragment import Premise, PremiseKind

# Modules of which no function changes a module, class or function that it is not given; what of them does is below.
_KNOWN = frozenset(
    """__future__ abc argparse array ast bisect builtins cmath collections contextlib copy csv dataclasses datetime decimal enum
    fractions functools glob hashlib heapq io itertools json logging math numbers numpy operator os pathlib platform pprint queue
    random re shutil statistics string struct subprocess sys tempfile textwrap threading time traceback types typing
    typing_extensions uuid warnings weakref zlib matplotlib metalift pandas scipy torch""".split()
)
_UNSEEN = frozenset("sys.settrace sys.setprofile sys.addaudithook sys.meta_path sys.path_hooks operator.methodcaller".split())
_UNSEEN |= {f"builtins.{name}" for name in "delattr eval exec globals locals setattr vars".split()}
_READING = frozenset("copy get items keys values __contains__ __getitem__ __iter__ __len__".split())
_SETTING = frozenset("__setattr__ __delattr__ setattr delattr".split())
_CODE = frozenset("__class__ __code__ __defaults__ __kwdefaults__".split())  # parts of a function that its calls depend on
_PLAIN = frozenset("__all__ __annotations__ __author__ __doc__ __module__ __name__ __qualname__ __test__ __version__".split())
_SHOWN = 60  # characters of a statement


def check_names(module: PythonModule, function: ast.FunctionDef) -> tuple[Premise, ...]:
    """What has to be true for the names that a function uses to mean what they seem to; a change that can be seen is refused."""
    used = used_by(module, function)
    check_own_names(module, used)
    stars = frozenset(id(star) for star in unlisted_stars(module.tree))
    finder = _Finder(module, used, function.name, stars, Scope(module), module.tree)
    finder.visit(module.tree)
    return tuple(Premise(text, PremiseKind.NAMES) for text in finder.found)


@dataclass(slots=True)
class _Finder(ast.NodeVisitor):
    """Goes through a file; `found` are the premises' texts in order, `seen` nodes of which it is clear what they change."""

    module: PythonModule
    used: Used
    function: str
    stars: frozenset[int]
    scope: Scope
    statement: ast.AST
    depth: int = 0  # functions around
    as_program: bool = False  # in what runs only where the file is run as a program
    in_class: bool = False
    found: dict[str, None] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    # What was found

    def _assume(self, node: ast.AST, what: str = "{}") -> None:
        """List that what stands at a node changes nothing."""
        around = self.statement
        shown = around if not hasattr(around, "body") else node
        mark = "@" if node in getattr(around, "decorator_list", ()) else ""
        text = mark + " ".join(ast.unparse(shown).split())
        text = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
        line = what.format(f"line {getattr(node, 'lineno', 1)} `{text}`")
        self.found[f"{line} changes no name that {self.function} uses"] = None

    def _change(self, node: ast.AST, owner: str, key: str | None, *, sure: bool = True) -> None:
        """An attribute or entry is set or deleted; `owner` whose it is, `key` its name where that is known."""
        changes = self._changes(owner, key)
        if changes and sure and not self.as_program:
            name = key if owner in (HERE, "builtins", "sys.modules") else f"{owner}.{key}".removeprefix(f"{HERE}.")
            self.module.place.refuse(
                node,
                f"'{name}' is changed here, which {self.function} uses; leave that out, or give what it becomes another name",
            )
        if changes or (changes is None and not self.as_program):
            self._assume(node)

    def _changes(self, owner: str, key: str | None) -> bool | None:
        """Whether that changes something that the function uses; None where it may."""
        module, used = self.module, self.used
        if owner in ("", UNKNOWN):
            return None if self._telling(key) else False
        if key is None:
            inside = any(full.startswith(f"{owner}.") for full in used.library)
            return None if inside or owner in (HERE, "builtins", "sys.modules") or self._definition(owner) else False
        if owner == HERE:
            return key in used.names
        if owner == "builtins":
            return (key in used.names and not module.bound[key]) or (None if key.startswith("__") else False)
        if owner == "sys.modules":
            return any(full == key or full.startswith(f"{key}.") for full in used.library)
        definition = self._definition(owner)
        if isinstance(definition, ast.ClassDef):
            return key not in _PLAIN
        if definition is not None or owner.startswith(f"{HERE}."):
            return definition is not None and key in _CODE
        return f"{owner}.{key}" in used.library or (None if self._telling(key) else False)

    def _definition(self, owner: str) -> ast.AST | None:
        """The function or class of the file that a full name means, where it is used."""
        root, _, name = owner.partition(".")
        return self.used.definitions.get(name) if root == HERE else None

    def _telling(self, key: str | None) -> bool:
        """Whether something of that name may be used, or be part of what a function does."""
        return key is None or key in self.used.attributes or (key.startswith("__") and key not in _PLAIN)

    def _change_of(self, node: ast.AST, owner: ast.expr, key: str | None, *, sure: bool = True) -> None:
        """An attribute of what an expression gives is set or deleted."""
        if not self.scope.is_own(owner):
            self._change(node, self.scope.stands_for(owner), key, sure=sure)

    # Where

    def visit(self, node: ast.AST) -> None:
        """Go on to a node."""
        before = self.statement
        if isinstance(node, ast.stmt):
            self.statement = node
        super(_Finder, self).visit(node)
        self.statement = before

    def visit_If(self, node: ast.If) -> None:
        """What is only run as a program says less."""
        before = self.as_program
        self.visit(node.test)
        never = isinstance(node.test, ast.Name | ast.Attribute) and self.scope.stands_for(node.test) == "typing.TYPE_CHECKING"
        self.as_program = before or never or _is_main(node.test)
        for stmt in node.body:
            self.visit(stmt)
        self.as_program = before
        for stmt in node.orelse:
            self.visit(stmt)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Decorators and default values belong to what is around."""
        for decorator in node.decorator_list:
            self._called(decorator, decorator)
            self.visit(decorator)
        self.visit(node.args)
        if node.returns is not None:
            self.visit(node.returns)
        with self._inside(node):
            for stmt in node.body:
                self.visit(stmt)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 (ast's names)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """So do a lambda's."""
        self.visit(node.args)
        with self._inside(node):
            self.visit(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Functions in it are methods."""
        for decorator in node.decorator_list:
            self._called(decorator, decorator)
        before, self.in_class = self.in_class, True
        self.generic_visit(node)
        self.in_class = before

    @contextmanager
    def _inside(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Iterator[None]:
        before = self.scope, self.in_class
        self.scope, self.in_class, self.depth = self.scope.inside(node, self.in_class), False, self.depth + 1
        yield
        (self.scope, self.in_class), self.depth = before, self.depth - 1

    # What may change names

    def visit_Import(self, node: ast.Import) -> None:
        """Importing runs a module of which nothing may be known."""
        if not self.as_program and not {alias.name.split(".")[0] for alias in node.names} <= _KNOWN:
            self._assume(node, "what {} brings in")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Importing everything may give any name another meaning."""
        known = not node.level and node.module is not None and node.module.split(".")[0] in _KNOWN
        if id(node) in self.stars or (not known and not self.as_program):
            self._assume(node, "what {} brings in")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """An attribute is set, or a dictionary of names is taken."""
        inner = node.attr.startswith("__") and node.attr not in (*_PLAIN, "__dict__") and self._is_used_module(node.value)
        if not isinstance(node.ctx, ast.Load):
            self._change_of(node, node.value, node.attr)
        elif inner or node.attr == "__kwdefaults__":
            self._change(node, UNKNOWN, None)
        else:
            self._mentioned(node)
        self.seen.add(id(node.value) if not self.scope.names_of(node.value) else 0)
        self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        """A dictionary of names is taken by another name, or one of the functions that change things is."""
        if isinstance(node.ctx, ast.Load):
            self._mentioned(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """An entry of a dictionary of names is set or read."""
        if owner := self.scope.names_of(node.value):
            self.seen.add(id(node.value))
            if not isinstance(node.ctx, ast.Load):
                self._change(node, owner, _text(node.slice))
        if isinstance(node.ctx, ast.Load):
            self._mentioned(node)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Whether a dictionary of names has an entry is only read."""
        self.seen |= {id(each) for each in node.comparators}
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """A call that changes names, or of which nothing is known."""
        full = self.scope.stands_for(node.func)
        match node:
            case ast.Call(args=[owner, key, *_]) if full in ("builtins.setattr", "builtins.delattr"):
                self._change_of(node, owner, _text(key))
                self.seen |= {id(node.func), id(owner)}
            case ast.Call(args=[ast.Constant(value=str() as text)]) if full in ("builtins.exec", "builtins.eval"):
                self._text_that_runs(node, text)
            case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=[first, *rest]) if attr in _SETTING:
                given = (first, rest[0]) if len(rest) > ("set" in attr) else (owner, first)
                self._change_of(node, given[0], _text(given[1]), sure=attr.startswith("__"))
                self.seen |= {id(node.func), id(given[0])}
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if names := self.scope.names_of(owner):
                self.seen.add(id(owner))
                for key_ in _keys_set(node, attr):
                    self._change(node, names, key_)
            case _ if full in ("builtins.globals", "builtins.locals", "builtins.vars"):
                self.seen.add(id(node.func))
        self._mentioned(node)
        self._called(node, node.func)
        self.generic_visit(node)

    def _mentioned(self, node: ast.expr) -> None:
        """A dictionary of names that is used in another way than to read one of them, or a function that may do anything."""
        if id(node) not in self.seen:
            if owner := self.scope.names_of(node):
                self._change(node, owner, None)
            elif self.scope.stands_for(node) in _UNSEEN or self._is_used_module(node):
                self._change(node, UNKNOWN, None)

    def _is_used_module(self, node: ast.expr) -> bool:
        """Whether an expression is a module of which the function uses something: who has it can change it."""
        full = self.scope.stands_for(node)
        return full in (HERE, "builtins") or bool(full and any(each.startswith(f"{full}.") for each in self.used.library))

    def _text_that_runs(self, node: ast.Call, text: str) -> None:
        """Text that is run is read like the rest of the file."""
        try:
            tree = ast.parse(text.strip())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return  # the mention of exec or eval is listed
        self.seen.add(id(node.func))
        for part in ast.walk(tree):
            if hasattr(part, "lineno"):
                ast.copy_location(part, node)
            match part:
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    self._change(node, HERE, name)
                case ast.alias(name=name, asname=other):
                    self._change(node, HERE, None if name == "*" else other or name.split(".")[0])
                case ast.Match() | ast.Try() | ast.Global():
                    self._change(node, HERE, None)
        for stmt in tree.body:
            self.generic_visit(stmt) if isinstance(stmt, ast.Expr) else self.visit(stmt)

    def _called(self, node: ast.expr, func: ast.expr) -> None:
        """A call at the level of the module of something of which nothing is known, or one that is given a used class."""
        full = self.scope.stands_for(func)
        given = node.args if isinstance(node, ast.Call) and not full.startswith("builtins.") else []
        classes = (self.used.definitions.get(arg.id) for arg in given if isinstance(arg, ast.Name))
        if any(isinstance(each, ast.ClassDef) for each in classes) or (not self.depth and not self._is_known(func)):
            if not self.as_program:
                self._assume(node)

    def _is_known(self, func: ast.expr) -> bool:
        """Whether what is called is part of the file, of Python, or of a known library; objects are like what makes them."""
        node: ast.expr | None = func
        for _ in range(_SHOWN):
            match node:
                case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Call(func=inner):
                    node = inner
                case ast.Name(id=name) if name in self.module.constants:
                    node = self.module.constants[name]
                case ast.Name(id=name):
                    full = self.scope.stands_for(node)
                    return full.split(".")[0] in (*_KNOWN, HERE) if full else bool(self.module.bound[name])
                case _:
                    return True
        return False


def _is_main(test: ast.expr) -> bool:
    """Whether a condition is `__name__ == "__main__"`."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return {ast.unparse(left), ast.unparse(right)} == {"__name__", "'__main__'"}
        case _:
            return False


def _text(node: ast.expr) -> str | None:
    """The text that an expression is."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _keys_set(node: ast.Call, method: str) -> Iterator[str | None]:
    """The entries of a dictionary that a call of its method may change; None where some may be that are not named."""
    if method in _READING:
        return
    if method != "update":
        yield _text(node.args[0]) if node.args else None
        return
    yield from (each.arg for each in node.keywords)
    for arg in node.args:
        keys = arg.keys if isinstance(arg, ast.Dict) else [None]
        yield from (None if key is None else _text(key) for key in keys)
