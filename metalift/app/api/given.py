"""What a lift is asked for from Python, as a file: a path, the text of a source, or a Python function."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from metalift.result.errors import UsageError

SUFFIXES = {"c": ".c", "c++": ".cc", "python": ".py"}
SPELLED = (bool, int, float, str)  # values of module variables that stand in the text


@dataclass(frozen=True, slots=True)
class Text:
    """A source that is no file. `shown` is its name in reports; `captured` has the module's variables that a function reads."""

    text: str
    suffix: str
    shown: str
    functions: tuple[str, ...] = ()
    captured: Mapping[str, object] = field(default_factory=dict)

    def written(self, folder: Path) -> Path:
        """The file, in a folder."""
        path = folder / f"{Path(self.shown).stem.strip('<>') or 'source'}{self.suffix}"
        path.write_text(self.text, encoding="utf-8")
        return path


def text_of(source: str | Path | Callable[..., Any], language: str | None) -> Text | None:
    """The source as text; None for a path.

    A text of several lines is a source: Python where it is valid as such, otherwise C++, unless the `language` is named.
    Raises UsageError for an unknown language, and for a callable that is no Python function with a source of its own.
    """
    if language is not None and language not in SUFFIXES:
        raise UsageError(f"no language {language!r}; there are: {', '.join(SUFFIXES)}")
    if isinstance(source, Path) or (isinstance(source, str) and "\n" not in source):
        return None
    if isinstance(source, str):
        return Text(source, SUFFIXES[language or ("python" if _is_python(source) else "c++")], "<source>")
    return text_of_function(source)


def _is_python(text: str) -> bool:
    """Whether a text can be read as Python."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class Uses:
    """What functions read of their module: values by name, statements that come before them, and definitions that come after."""

    values: dict[str, object] = field(default_factory=dict)
    before: list[str] = field(default_factory=lambda: ["from __future__ import annotations"])
    after: list[str] = field(default_factory=list)


def text_of_function(function: Callable[..., Any]) -> Text:
    """The text of a function at its own lines, one later where that is the first, with what it uses of its module around it.

    Raises UsageError.
    """
    tree, lines, first = _definition(function)
    body = lines[tree.lineno - 1 :]  # without decorators: the function object is the one that they are given
    uses = Uses()
    _add(function, tree, uses)
    text = "; ".join(uses.before) + "\n" * max(first + tree.lineno - 2, 1) + "\n".join([*body, "", *uses.after]) + "\n"
    return Text(text, ".py", inspect.getsourcefile(function) or "<function>", (function.__name__,), uses.values)


def _definition(function: Callable[..., Any]) -> tuple[ast.FunctionDef, list[str], int]:
    """The definition of a function, the lines that it stands in, and the number of the first of these."""
    called = getattr(function, "__qualname__", repr(function))
    if not isinstance(function, FunctionType) or hasattr(function, "__wrapped__"):
        raise UsageError(f"{called} is no plain Python function: name its file, or the function without what wraps it")
    if function.__code__.co_freevars:
        raise UsageError(f"{called} uses variables of the function around it ({', '.join(function.__code__.co_freevars)})")
    try:
        found, first = inspect.getsourcelines(function)
        lines = textwrap.dedent("".join(found)).splitlines()
        (tree,) = ast.parse("\n".join(lines)).body
    except (OSError, SyntaxError, ValueError) as problem:
        raise UsageError(f"{called} has no source that can be read: {problem}") from problem
    if not isinstance(tree, ast.FunctionDef):
        raise UsageError(f"{called} is not made by def")
    try:
        current = any(_same(code, function.__code__) for code in _codes(function))
    except SyntaxError:
        current = False
    if not current:
        raise UsageError(f"{called} is not what its file now says: import it anew")
    return tree, lines, max(first, 1)


def _codes(function: FunctionType) -> Iterator[CodeType]:
    """The codes in the whole text that the function is from; what its module imports decides on some instructions."""
    text = "".join(linecache.getlines(function.__code__.co_filename, function.__globals__))
    inside = [compile(text, function.__code__.co_filename, "exec", dont_inherit=True)]
    while inside:
        code = inside.pop()
        yield code
        inside += [each for each in code.co_consts if isinstance(each, CodeType)]


def _same(one: CodeType, other: CodeType) -> bool:
    """Whether two codes do the same, wherever they stand."""
    if any(getattr(one, part) != getattr(other, part) for part in ("co_qualname", "co_code", "co_names", "co_varnames")):
        return False
    return len(one.co_consts) == len(other.co_consts) and all(
        _same(left, right) if isinstance(left, CodeType) and isinstance(right, CodeType) else repr(left) == repr(right)
        for left, right in zip(one.co_consts, other.co_consts, strict=True)
    )


def _add(reader: Callable[..., Any] | type, tree: ast.AST, uses: Uses) -> None:
    """Add what a function or a class reads of its module; what cannot be said is left out, and stops the lift where it is met."""
    space = vars(sys.modules[reader.__module__]) if isinstance(reader, type) else getattr(reader, "__globals__", {})
    for name in dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)):
        if name in uses.values or name not in space or space[name] is reader:
            continue
        value = uses.values[name] = space[name]
        if isinstance(value, ModuleType):
            uses.before.append(f"import {value.__name__} as {name}" if value.__name__ != name else f"import {name}")
        elif type(value) in SPELLED:
            uses.before.append(f"{name} = {value!r}")
        elif getattr(value, "__module__", None) != reader.__module__:
            uses.before.extend(_imported(name, value))
        elif isinstance(value, FunctionType) and value.__name__ == name:
            inner, lines, _ = _definition(value)
            uses.after.extend(lines[inner.lineno - 1 :])
            _add(value, inner, uses)
        elif isinstance(value, type) and value.__name__ == name:
            _add_class(value, uses)


def _add_class(value: type, uses: Uses) -> None:
    """Add a class with what it uses; one without a source is left out."""
    try:
        text = textwrap.dedent(inspect.getsource(value))
    except (OSError, TypeError):
        return
    _add(value, ast.parse(text), uses)
    uses.after.extend(text.splitlines())


def _imported(name: str, value: object) -> Iterator[str]:
    """The statement that imports what another module has under its own name."""
    module, own = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if module and own and getattr(sys.modules.get(module), own, None) is value:
        yield f"from {module} import {own} as {name}" if own != name else f"from {module} import {name}"
