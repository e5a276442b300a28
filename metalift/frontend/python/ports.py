"""The ports that a Python file declares: functions under `@metalift.port_of(file, function)`, read and never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from metalift.frontend.python.naming.module import PythonModule

DECORATOR = "metalift.port_of"
_ARGUMENTS = ("source", "function", "shapes", "map", "assume")


@dataclass(frozen=True, slots=True)
class Declared:
    """A function of the file, and the one that it is a port of; the rest as `metalift equiv` takes it."""

    name: str
    line: int
    source: str
    function: str | None
    shapes: str = ""
    map: tuple[str, ...] = ()
    assume: tuple[str, ...] = ()


def is_declaration(module: PythonModule, decorator: ast.expr) -> bool:
    """Whether a decorator declares a port; such a one gives the function itself."""
    return isinstance(decorator, ast.Call) and module.full_name(decorator.func) == DECORATOR


def declared_ports(module: PythonModule) -> Iterator[Declared]:
    """The ports of a file, in its order. Raises Unsupported where a declaration is not written out in literals."""
    methods = [
        (f"{name}.{each.name}", each)
        for name, class_ in module.classes.items()
        for each in class_.body
        if isinstance(each, ast.FunctionDef)
    ]
    for name, function in sorted((*module.functions.items(), *methods), key=lambda pair: pair[1].lineno):
        for decorator in function.decorator_list:
            if is_declaration(module, decorator):
                assert isinstance(decorator, ast.Call)
                yield _declared(module, name, function, decorator)


def _declared(module: PythonModule, name: str, function: ast.FunctionDef, call: ast.Call) -> Declared:
    module.check_bound_once(name.partition(".")[0], function)
    given: dict[str, object] = {}
    named = [(str(each.arg), each.value) for each in call.keywords]
    for argument, node in (*zip(_ARGUMENTS[:2], call.args, strict=False), *named):
        try:
            given[argument] = ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError):
            module.place.refuse(node, f"the argument {argument} of port_of that is no literal; write it out")
    names, conditions = given.get("map", {}), given.get("assume", ())
    known = len(call.args) <= 2 and given.keys() <= set(_ARGUMENTS)
    texts = [given.get("source"), given.get("function") or "", given.get("shapes", "")]
    if not known or not isinstance(names, dict) or not isinstance(conditions, tuple | list):
        module.place.refuse(call, f"the arguments of port_of; they are {', '.join(_ARGUMENTS)}")
    pairs = tuple(f"{own}={other}" for own, other in names.items())
    source, wanted, shapes, *_ = texts
    if not all(isinstance(each, str) for each in (*texts, *conditions)) or not source:
        module.place.refuse(call, "port_of takes the source's file, its function, shapes and conditions as strings")
    return Declared(name, function.lineno, str(source), str(wanted) or None, str(shapes), pairs, tuple(conditions))
