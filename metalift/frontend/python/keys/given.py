"""Sets as parameters: each is given by a list of its elements, of which the function takes the set wherever it uses it."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Collection, Iterator

from metalift.frontend.python.naming.module import PythonModule

_SETS = ("set", "Set", "frozenset", "FrozenSet", "AbstractSet")
_OPERATORS: dict[str, ast.operator] = {
    "union": ast.BitOr(),
    "intersection": ast.BitAnd(),
    "difference": ast.Sub(),
}
_SUPPORTED = "supported are |, &, -, union and the like, `in`, len, min, max, any, all, and results that are sets"


def with_given_sets(module: PythonModule, function: ast.FunctionDef) -> tuple[ast.FunctionDef, dict[str, str]]:
    """The function with lists in place of the sets that are its parameters, and the types of these as they are written."""
    given = dict(_given(module, function))
    if not given:
        return function, {}
    changed = copy.deepcopy(function)
    for arg in changed.args.args:
        if arg.arg in given and isinstance(arg.annotation, ast.Subscript):
            arg.annotation.value = ast.copy_location(ast.Name("list", ast.Load()), arg.annotation)
    taken = _Taken(module, given.keys())
    changed.body = [taken.visit(stmt) for stmt in changed.body]
    return ast.fix_missing_locations(changed), given


def _given(module: PythonModule, function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    names = Counter(part.arg for part in ast.walk(function) if isinstance(part, ast.arg))
    for arg in function.args.args:
        match arg.annotation:
            case ast.Subscript(value=owner) if (module.full_name(owner) or ast.unparse(owner)).split(".")[-1] in _SETS:
                if any(module.bound[name] for name in ("set", "list")):
                    module.place.refuse(arg, "a set, in a file that gives the names set or list to something else")
                if names[arg.arg] > 1:
                    module.place.refuse(arg, f"the set {arg.arg}, whose name a function inside gives to something else")
                yield arg.arg, ast.unparse(arg.annotation)


class _Taken(ast.NodeTransformer):
    """`set(a)` for a, and operators for methods."""

    def __init__(self, module: PythonModule, names: Collection[str]) -> None:
        self.module = module
        self.names = names
        self.plain: set[int] = set()  # uses for which the list will do

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A set where it is used."""
        if node.id not in self.names or id(node) in self.plain:
            return node
        if not isinstance(node.ctx, ast.Load):
            self.module.place.refuse(node, f"the set {node.id}, which is changed; {_SUPPORTED}")
        return ast.copy_location(ast.Call(ast.Name("set", ast.Load()), [node], []), node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """`x in a`, which is the same of the list."""
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name)]) if name in self.names:
                node.left = self.visit(node.left)
                return node
        self.generic_visit(node)
        return node

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        """A set of what is made of elements, for which it does not matter in which order and how often these come."""
        self._elements(node)
        return node

    def _elements(self, node: ast.SetComp | ast.GeneratorExp) -> None:
        iterables = {id(each.iter) for each in node.generators if isinstance(each.iter, ast.Name)}
        self.plain |= iterables
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """`a.union(b)`; of min, max, any and all the elements, as of a set that is made of them."""
        match node:
            case ast.Call(func=ast.Name(id="min" | "max" | "any" | "all"), args=[ast.Name() as only], keywords=[]):
                self.plain.add(id(only))
            case ast.Call(func=ast.Name(id="min" | "max" | "any" | "all"), args=[ast.GeneratorExp() as only], keywords=[]):
                self._elements(only)
                return node
        match node.func:
            case ast.Attribute(value=ast.Name(id=name) as owner, attr=attr) if name in self.names:
                other = node.args[0] if len(node.args) == 1 and not node.keywords else None
                if attr not in _OPERATORS or not isinstance(other, ast.Name) or other.id not in self.names:
                    self.module.place.refuse(node, f"{ast.unparse(node)}; {_SUPPORTED}")
                made = ast.BinOp(self.visit(owner), _OPERATORS[attr], self.visit(other))
                return ast.copy_location(made, node)
        self.generic_visit(node)
        return node
