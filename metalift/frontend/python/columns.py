"""The columns of a list of rows, which `zip(*rows)` gives, by their numbers: rows are of one length where they are modelled.

    for c in zip(*m):                for j in range(len(m[0]) if m else 0):
        ...                              c = [r[j] for r in m]
    [sum(c) for c in zip(*m)]        [sum([r[j] for r in m]) for j in range(len(m[0]) if m else 0)]
    return list(zip(*m))             return [[r[j] for r in m] for j in range(len(m[0]) if m else 0)]
    x, y = zip(*m)                   x = [r[0] for r in m]; y = [r[1] for r in m]
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace

from metalift.frontend.python.keys.rewriting import Put, assign, bound, fresh, is_name, read_name
from metalift.frontend.python.naming.module import PythonModule

_TAKING = frozenset("sum max min len list sorted any all zip enumerate reversed set".split())  # tuples as lists
_PLAIN = _TAKING | frozenset("range abs float int round bool divmod pow".split())  # which change nothing
_Comprehension = ast.ListComp | ast.GeneratorExp | ast.SetComp


def with_columns(module: PythonModule) -> PythonModule:
    """The file in which columns are taken by their numbers."""
    if any(module.bound[name] for name in _PLAIN):
        return module
    return replace(
        module,
        functions={name: _changed(module, function) for name, function in module.functions.items()},
        units={name: _changed(module, function) for name, function in module.units.items()},
    )


def _changed(module: PythonModule, function: ast.FunctionDef) -> ast.FunctionDef:
    if not any(_rows(part) for part in ast.walk(function)) or not bound(function).isdisjoint(_PLAIN):
        return function
    names = {part.id for part in ast.walk(function) if isinstance(part, ast.Name)} | bound(function)
    made: ast.FunctionDef = _Columns(module, function, names).visit(copy.deepcopy(function))
    return ast.fix_missing_locations(made)


@dataclass(frozen=True, slots=True)
class _Rows:
    """A list of rows that a function has by name, as it is gone through, and a list with a row where there is any."""

    name: str
    through: ast.expr
    some: ast.expr

    def column(self, row: str, number: ast.expr) -> ast.expr:
        """The elements of the rows at a place."""
        element = ast.Subscript(read_name(row), number, ast.Load())
        return ast.ListComp(element, [ast.comprehension(ast.Name(row, ast.Store()), copy.deepcopy(self.through), [], 0)])

    def numbers(self) -> ast.expr:
        """The numbers of the columns."""
        rows = ast.unparse(self.some)
        return ast.parse(f"range(len({rows}[0]) if {rows} else 0)", mode="eval").body


def _rows(node: ast.AST) -> _Rows | None:
    """The list whose columns an expression gives one by one."""
    match node:
        case ast.Call(func=ast.Name(id="zip"), args=[ast.Starred(value=rows)], keywords=[]):
            match rows:
                case ast.Name(id=name):
                    return _Rows(name, rows, rows)
                case ast.Subscript(value=ast.Name(id=name) as some, slice=ast.Slice(None, None, step)) if _is_backwards(step):
                    return _Rows(name, ast.Call(read_name("reversed"), [some], []), some)
                case ast.Call(func=ast.Name(id="reversed"), args=[ast.Name(id=name) as some], keywords=[]):
                    return _Rows(name, rows, some)
    return None


def _is_backwards(step: ast.expr | None) -> bool:
    return step is not None and ast.unparse(step) == "-1"


@dataclass
class _Columns(ast.NodeTransformer):
    """Rewrites what goes through columns; `taken` are the names that the function uses."""

    module: PythonModule
    function: ast.FunctionDef
    taken: set[str]

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return self.comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        return self.comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        return self.comprehension(node)

    def comprehension(self, node: _Comprehension) -> ast.AST:
        """With the column in the place of its name."""
        self.generic_visit(node)
        for place, each in enumerate(node.generators):
            rows, number, name = self.parts(each.target, each.iter)
            if rows is None:
                continue
            stores = [part.id for part in _stores(node)]
            args = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
            once = all(stores.count(each) == 1 for each in {name, number} & set(stores))
            plain = all(self.is_plain(part) for value in _evaluated(node) for part in ast.walk(value))
            apart = rows.name not in stores and args.isdisjoint({name, number, rows.name})
            if not (apart and once and plain and _is_taken_apart(node, name)):
                continue
            put = Put({name: rows.column(fresh("r", self.taken), read_name(number))})
            each.target, each.iter = ast.Name(number, ast.Store()), rows.numbers()
            each.ifs = [put.visit(cond) for cond in each.ifs]
            for later in node.generators[place + 1 :]:
                later.iter, later.ifs = put.visit(later.iter), [put.visit(cond) for cond in later.ifs]
            node.elt = put.visit(node.elt)
        return node

    def is_plain(self, part: ast.AST) -> bool:
        """Whether evaluating a node changes nothing: when a column is read makes no difference, then."""
        if isinstance(part, ast.Call):
            own = isinstance(part.func, ast.Name) and part.func.id in _PLAIN
            return own or self.module.full_name(part.func).startswith("math.")
        return not isinstance(part, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom)

    def visit_For(self, node: ast.For) -> ast.AST:
        """With a first statement that makes the column."""
        self.generic_visit(node)
        rows, number, name = self.parts(node.target, node.iter)
        if not rows or not self.stays(rows.name) or not _is_taken_apart(self.function, name):
            return node
        node.target, node.iter = ast.Name(number, ast.Store()), rows.numbers()
        column = ast.copy_location(assign(name, rows.column(fresh("r", self.taken), read_name(number))), node)
        node.body = [column, *node.body]
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """return list(zip(*m))."""
        self.generic_visit(node)
        match node.value:
            case ast.Call(func=ast.Name(id="list"), args=[inner], keywords=[]) if (rows := _rows(inner)) and not self.is_called():
                number = fresh("j", self.taken)
                each = ast.comprehension(ast.Name(number, ast.Store()), rows.numbers(), [], 0)
                value = ast.ListComp(rows.column(fresh("r", self.taken), read_name(number)), [each])
                return ast.copy_location(ast.Return(value), node)
        return node

    def is_called(self) -> bool:
        """Whether the file calls the function, and may ask whether its tuples are equal to others."""
        every = (part for function in self.module.functions.values() for part in ast.walk(function))
        return any(is_name(part, self.function.name) for part in every)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """x, y = zip(*m)."""
        self.generic_visit(node)
        rows = _rows(node.value)
        match node.targets:
            case [ast.Tuple(elts=[*names])] if rows and all(isinstance(each, ast.Name) for each in names):
                texts = [each.id for each in names if isinstance(each, ast.Name)]
                if rows.name not in texts and all(_is_taken_apart(self.function, text) for text in texts):
                    columns = (rows.column(fresh("r", self.taken), ast.Constant(place)) for place, _ in enumerate(texts))
                    return [ast.copy_location(assign(*pair), node) for pair in zip(texts, columns, strict=True)]
        return node

    def parts(self, target: ast.expr, iterated: ast.expr) -> tuple[_Rows | None, str, str]:
        """The list of rows if it is one, the name of the column's number and that of the column."""
        match target, iterated:
            case ast.Name(id=name), _ if rows := _rows(iterated):
                return rows, fresh("j", self.taken), name
            case ast.Tuple(elts=[ast.Name(id=number), ast.Name(id=name)]), ast.Call(
                func=ast.Name(id="enumerate"), args=[inner], keywords=[]
            ) if rows := _rows(inner):
                return rows, number, name
        return None, "", ""

    def stays(self, rows: str) -> bool:
        """Whether a list has the same rows all the time: it is bound once, and only read row by row."""
        stores = [part for part in _stores(self.function) if part.id == rows]
        params = {part.arg for part in ast.walk(self.function) if isinstance(part, ast.arg)}
        reads = [part for part in ast.walk(self.function) if is_name(part, rows) and isinstance(part, ast.Name)]
        known = sum(_reads_rows(part, rows) for part in ast.walk(self.function))
        made = [part.value for part in ast.walk(self.function) if isinstance(part, ast.Assign) and is_name(part.targets[0], rows)]
        fresh_ones = all(isinstance(each, ast.List | ast.ListComp) for each in made) and len(made) == len(stores)
        return len(stores) + (rows in params) == 1 and fresh_ones and len(reads) == known + len(stores)


def _reads_rows(part: ast.AST, rows: str) -> bool:
    """Whether a node reads a row, or how many there are, or goes through them."""
    match part:
        case ast.Subscript(value=owner) | ast.Starred(value=owner) | ast.For(iter=owner) | ast.comprehension(iter=owner):
            return is_name(owner, rows) and not isinstance(getattr(part, "ctx", None), ast.Del | ast.Store)
        case ast.Call(func=ast.Name(id="len" | "reversed"), args=[owner]):
            return is_name(owner, rows)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.UnaryOp(op=ast.Not(), operand=test):
            return is_name(test, rows)
    return False


def _is_taken_apart(node: ast.AST, name: str) -> bool:
    """Whether a column is only used for its elements: it is a tuple, which is equal to no list."""
    uses = sum(is_name(part, name) and isinstance(getattr(part, "ctx", None), ast.Load) for part in ast.walk(node))
    known = 0
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Name(id=function), args=args) if function in _TAKING:
                known += sum(is_name(each, name) for each in args)
            case ast.Subscript(value=owner, slice=place) if not isinstance(place, ast.Slice):
                known += is_name(owner, name)
            case ast.For(iter=owner) | ast.comprehension(iter=owner):
                known += is_name(owner, name)
    return uses == known


def _evaluated(node: _Comprehension) -> Iterator[ast.expr]:
    """What a comprehension evaluates beside what it goes through first."""
    yield node.elt
    for each in node.generators:
        yield from each.ifs
        if not _rows(each.iter):
            yield each.iter


def _stores(node: ast.AST) -> Iterator[ast.Name]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            yield part
