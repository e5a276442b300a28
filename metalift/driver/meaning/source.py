"""Finding the syntax tree of an operator's function in its file, and reading its signature."""

from __future__ import annotations

import ast
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from metalift.driver.meaning.language import VARIABLES, Matrix, Tensor3, Tensor4, TypePattern, TypeVariable, Vec
from metalift.ir.expr.types import BOOL, BoolType, IntType, MachineInt, RealType, ScalarType
from metalift.result.errors import UsageError

_RANKS: dict[object, int] = {Vec: 1, list: 1, Matrix: 2, Tensor3: 3, Tensor4: 4}
_ALLOWED = (
    "Int, Real, Bool, Elem, Other, Scalar, Size, a fixed type such as UInt8, Vec, Matrix, Tensor3, Tensor4 of one of them, "
    "or a function such as Fn[[Elem], Other]"
)


class DriverError(UsageError):
    """A driver's file says something that is not accepted; the message begins with the file and the line."""

    def __init__(self, file: str, line: int, message: str) -> None:
        super().__init__(f"{file}:{line}: {message}")
        self.file = file
        self.line = line
        self.reason = message

    def __reduce__(self) -> tuple[type[DriverError], tuple[str, int, str]]:
        """An error in a process of its own is told in another."""
        return DriverError, (self.file, self.line, self.reason)


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A function's syntax tree, the names it may refer to, and where it stands."""

    function: Callable[..., Any]
    tree: ast.FunctionDef | ast.Lambda
    file: str

    @property
    def name(self) -> str:
        """The function's name."""
        return self.tree.name if isinstance(self.tree, ast.FunctionDef) else "<lambda>"

    @property
    def globals(self) -> dict[str, Any]:
        """The names of the module that it stands in."""
        found: dict[str, Any] = getattr(self.function, "__globals__", {})
        return found

    def is_of(self, function: Callable[..., Any]) -> bool:
        """Whether this is the source of that lambda, as far as its line and parameters tell."""
        code = getattr(function, "__code__", None)
        if code is None or code.co_name != "<lambda>" or code.co_firstlineno != self.tree.lineno:
            return False
        return [arg.arg for arg in self.tree.args.args] == list(code.co_varnames[: code.co_argcount])

    def error(self, node: ast.AST, message: str) -> DriverError:
        """An error at a node of the tree."""
        return DriverError(self.file, getattr(node, "lineno", self.tree.lineno), message)


@lru_cache(maxsize=64)
def _functions(file: str, text: str) -> Mapping[str, Sequence[ast.FunctionDef]]:
    """All functions of a file, by their names."""
    found: dict[str, list[ast.FunctionDef]] = {}
    pending: list[ast.AST] = [ast.parse(text, filename=file)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
        pending += (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
    return found


def function_source(function: Callable[..., Any]) -> FunctionSource:
    """The tree of a function defined by `def`; found by its line, so decorators and equal names do not matter.

    Raises DriverError where the source cannot be read.
    """
    code = inspect.unwrap(function).__code__
    try:
        functions = _functions(code.co_filename, Path(code.co_filename).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        message = f"the source of {function.__name__!r} cannot be read ({error}); a meaning has to stand in a file"
        raise DriverError(code.co_filename, code.co_firstlineno, message) from error
    for node in functions.get(code.co_name, ()):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if code.co_firstlineno in (first, node.lineno):
            return FunctionSource(function, node, code.co_filename)
    raise DriverError(code.co_filename, code.co_firstlineno, f"no 'def {code.co_name}' was found here")


def decorator_lambda(source: FunctionSource, keyword: str) -> FunctionSource | None:
    """The lambda that a decorator of the function is given for a keyword, such as `requires=lambda x: ...`."""
    assert isinstance(source.tree, ast.FunctionDef)
    for decorator in source.tree.decorator_list:
        if isinstance(decorator, ast.Call):
            for given in decorator.keywords:
                if given.arg == keyword and isinstance(given.value, ast.Lambda):
                    return FunctionSource(source.function, given.value, source.file)
    return None


def read_signature(source: FunctionSource) -> tuple[tuple[tuple[str, TypePattern], ...], TypePattern]:
    """The parameters with their types, and the result's type."""
    tree = source.tree
    assert isinstance(tree, ast.FunctionDef)
    args = tree.args
    odd = args.vararg or args.kwarg or (args.kwonlyargs and args.kwonlyargs[0]) or (args.posonlyargs and args.posonlyargs[0])
    if odd or args.defaults:
        raise source.error(tree, f"operator {tree.name!r}: parameters are plain names without defaults, no *, ** or /")
    try:
        hints = typing.get_type_hints(source.function, include_extras=True)
    except NameError as error:
        raise source.error(tree, f"operator {tree.name!r}: {error}; an annotation is {_ALLOWED}") from error
    params = []
    for arg in args.args:
        if arg.arg not in hints:
            raise source.error(arg, f"parameter {arg.arg!r} of {tree.name!r} has no type; write one of {_ALLOWED}")
        params.append((arg.arg, _pattern(source, arg, hints[arg.arg])))
    if "return" not in hints:
        raise source.error(tree, f"operator {tree.name!r} has no result type; write one of {_ALLOWED}")
    result = _pattern(source, tree.returns or tree, hints["return"])
    if result.takes:
        raise source.error(tree, f"operator {tree.name!r} returns a function; a result is a number or a tensor")
    return tuple(params), result


def fixed_result(source: FunctionSource) -> ScalarType | None:
    """The scalar type of a fixed width that a helper function says it returns, such as Int32."""
    try:
        annotation = typing.get_type_hints(source.function, include_extras=True).get("return")
    except NameError:
        return None
    mark = get_args(annotation)[1] if get_origin(annotation) is Annotated else None
    return mark if isinstance(mark, MachineInt | RealType) else None


def _function(source: FunctionSource, node: ast.AST, annotation: object) -> TypePattern:
    """The pattern of Fn[[...], ...]."""
    params, result = get_args(annotation)
    parts = [_pattern(source, node, each) for each in (*(params if isinstance(params, list) else ()), result)]
    if len(parts) < 2 or any(part.rank or part.takes for part in parts):
        raise source.error(node, f"{annotation!r}: a function takes one or more scalars and returns one, as in Fn[[Elem], Other]")
    return TypePattern(parts[-1].element, takes=tuple(part.element for part in parts[:-1]))


def _pattern(source: FunctionSource, node: ast.AST, annotation: object) -> TypePattern:
    rank = _RANKS.get(get_origin(annotation), 0)
    if rank:
        element = _pattern(source, node, get_args(annotation)[0])
        if not element.takes:
            return TypePattern(element.element, rank + element.rank)
    if get_origin(annotation) is Callable:
        return _function(source, node, annotation)
    if get_origin(annotation) is Annotated:
        mark = get_args(annotation)[1]
        if isinstance(mark, TypeVariable | BoolType | IntType | MachineInt | RealType):
            return TypePattern(mark)
    if annotation is bool:
        return TypePattern(BOOL)
    for known, variable in VARIABLES.items():
        if annotation is known:
            return TypePattern(variable)
    raise source.error(node, f"{annotation!r} is not a type of the driver language; use {_ALLOWED}")
