"""Spelling templates of Python targets: parsed once, arguments put in as syntax trees, so that precedence is never wrong."""

from __future__ import annotations

import ast
import copy
import itertools
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from metalift.result.errors import UsageError

PLACEHOLDER = re.compile(r"\{(\w+)(\([^{}]+\))?\}")
_MARK = "_metalift_argument_"


@lru_cache(maxsize=1 << 10)
def parse_template(template: str) -> ast.expr:
    """The syntax tree of a template; a placeholder {x} is a name with a prefix that nobody uses."""
    try:
        return ast.parse(PLACEHOLDER.sub(_MARK + r"\1\2", template).strip(), mode="eval").body
    except SyntaxError as problem:
        raise UsageError(f"the template {template!r} of the driver is no expression of Python: {problem.msg}") from None


@lru_cache(maxsize=1 << 10)
def placeholder_counts(template: str) -> Mapping[str, int]:
    """How often each placeholder occurs."""
    found: dict[str, int] = {}
    for name, _ in PLACEHOLDER.findall(template):
        found[name] = found.get(name, 0) + 1
    return found


def fill_template(template: str, arguments: Mapping[str, ast.expr]) -> ast.expr:
    """The template with its placeholders replaced; `*{shape}` in a call spreads a tuple that is written out, x[0:] is x, and a
    member of None that is given by name is left out.

    {f(v)} is the body of a lambda, with v for its parameter. Names that the template binds itself make way for the arguments'.
    """
    tree = copy.deepcopy(parse_template(template))
    own = bound_names(tree)
    if own:
        taken = frozenset(each for argument in arguments.values() for each in free_names(argument))
        tree = _Renamed({each: _unused(each, taken | used_names(tree)) for each in own & taken}).visit(tree)
    if not placeholder_counts(template).keys() <= arguments.keys():
        unknown = next(name for name in placeholder_counts(template) if name not in arguments)
        known = ", ".join(f"{{{each}}}" for each in arguments) or "none"
        here = f"in this place there are {known}"
        raise UsageError(f"the template {template!r} of the driver has the placeholder {{{unknown}}}; {here}")
    filled = _Fill(arguments).visit(tree)
    assert isinstance(filled, ast.expr)
    return filled


def used_names(tree: ast.AST) -> frozenset[str]:
    """Every name that occurs in the tree."""
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def bound_names(tree: ast.AST) -> frozenset[str]:
    """The names that comprehensions and lambdas in the tree bind."""
    nodes = list(ast.walk(tree))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return frozenset(stored | {node.arg for node in nodes if isinstance(node, ast.arg)})


def free_names(tree: ast.AST) -> frozenset[str]:
    """The names in the tree that nothing in it binds."""
    match tree:
        case ast.Name(id=called):
            return frozenset((called,))
        case ast.Lambda(args=args, body=body):
            return free_names(body) - {param.arg for param in args.args}
        case ast.ListComp(elt=element, generators=generators) | ast.GeneratorExp(elt=element, generators=generators):
            found, bound = free_names(generators[0].iter), bound_names(tree)
            inner = [element, *(part for each in generators for part in each.ifs), *(each.iter for each in generators[1:])]
            return found.union(*(free_names(part) - bound for part in inner))
        case _:
            return frozenset(name for child in ast.iter_child_nodes(tree) for name in free_names(child))


def _unused(wanted: str, taken: frozenset[str]) -> str:
    return next(each for number in itertools.count(1) if (each := f"{wanted}_{number}") not in taken)


class _Renamed(ast.NodeTransformer):
    """Gives names other names."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(id=self.names.get(node.id, node.id), ctx=node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(arg=self.names.get(node.arg, node.arg))


class _Inlined(ast.NodeTransformer):
    """Puts arguments in the place of the parameters of a lambda; its body binds none of the names in them."""

    def __init__(self, arguments: Mapping[str, ast.expr]) -> None:
        self.arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.arguments.get(node.id, node)


def inlined(function: ast.Lambda, arguments: Sequence[ast.expr]) -> ast.expr:
    """The body of a lambda on its arguments, which are names."""
    params = [param.arg for param in function.args.args]
    body = copy.deepcopy(function.body)
    mentioned = frozenset(each for argument in arguments for each in used_names(argument))
    own = bound_names(body) & mentioned
    body = _Renamed({each: _unused(each, mentioned | used_names(body)) for each in own}).visit(body)
    result = _Inlined(dict(zip(params, arguments, strict=True))).visit(body)
    assert isinstance(result, ast.expr)
    return result


def _function(function: ast.Lambda) -> ast.expr:
    """The function; g for lambda v: g(v)."""
    match function.body:
        case ast.Call(func=ast.Name() | ast.Attribute() as called, args=args, keywords=[]):
            params = [param.arg for param in function.args.args]
            same = [arg.id if isinstance(arg, ast.Name) else None for arg in args] == params
            return called if same and free_names(called).isdisjoint(params) else function
        case _:
            return function


class _Fill(ast.NodeTransformer):
    def __init__(self, arguments: Mapping[str, ast.expr]) -> None:
        self.arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not node.id.startswith(_MARK):
            return node
        argument = self.arguments[node.id.removeprefix(_MARK)]
        return _function(argument) if isinstance(argument, ast.Lambda) else argument

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """x[0:] is x."""
        self.generic_visit(node)
        match node.slice:
            case ast.Slice(lower=ast.Constant(value=0), upper=None, step=None):
                return node.value
            case _:
                return node

    def _function(self, node: ast.expr) -> ast.expr | None:
        """The argument of {f(v)}."""
        marked = isinstance(node, ast.Name) and node.id.startswith(_MARK)
        return self.arguments[node.id.removeprefix(_MARK)] if marked and isinstance(node, ast.Name) else None

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = self._function(node.func)
        self.generic_visit(node)
        if isinstance(function, ast.Lambda):
            return inlined(function, node.args)
        args: list[ast.expr] = []
        for arg in node.args:
            if isinstance(arg, ast.Starred) and isinstance(arg.value, ast.Tuple):
                args.extend(arg.value.elts)
            else:
                args.append(arg)
        node.args = args
        node.keywords = [each for each in node.keywords if not _is_of_nothing(each.value)]
        return node


def _is_of_nothing(tree: ast.expr) -> bool:
    """Whether it is a member of None, as the device of an array where there is none."""
    return isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Constant) and tree.value.value is None


def name(identifier: str) -> ast.Name:
    """A variable."""
    return ast.Name(id=identifier, ctx=ast.Load())


def dotted(module: str, attribute: str) -> ast.Attribute:
    """A member of a module."""
    return ast.Attribute(value=name(module), attr=attribute, ctx=ast.Load())


def constant(value: bool | int | float | str | None) -> ast.Constant:
    """A literal."""
    return ast.Constant(value=value)


def call(function: str, *args: ast.expr) -> ast.Call:
    """A call of a function by its name."""
    return ast.Call(func=name(function), args=list(args), keywords=[])


def tuple_of(items: list[ast.expr]) -> ast.Tuple:
    """A tuple display."""
    return ast.Tuple(elts=items, ctx=ast.Load())


def subscript(value: ast.expr, indices: list[ast.expr]) -> ast.Subscript:
    """An index or slice for each axis."""
    index = indices[0] if len(indices) == 1 else tuple_of(indices)
    return ast.Subscript(value=value, slice=index, ctx=ast.Load())
