"""Which front end reads a file: Python's by its suffix, otherwise that for C and C++."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from metalift.frontend.llvm import source
from metalift.frontend.llvm.compile.clang import Module, Unit, read_module, ready
from metalift.frontend.llvm.compile.confined import Reach
from metalift.frontend.llvm.linking import link
from metalift.frontend.llvm.pipeline import show_function
from metalift.frontend.python import SUFFIXES, Declared, PythonModule, declared_ports, parse_source
from metalift.ir.expr.types import Type
from metalift.ir.program.fragment import External, Fragment
from metalift.result.errors import MetaliftError, UsageError
from metalift.system.names import chosen_by_part

if TYPE_CHECKING:
    from metalift.frontend.llvm import nests as llvm_nests
    from metalift.frontend.python.nests import PythonNest, PythonNests

Source = Module | PythonModule
Nests: TypeAlias = "llvm_nests.Nests | PythonNests"
Nest: TypeAlias = "llvm_nests.Nest | PythonNest"


def open_source(
    path: Path,
    clang_args: Sequence[str] = (),
    externals: tuple[External, ...] = (),
    reach: Reach | None = None,
    named: Sequence[Unit] = (),
    offered: Sequence[Unit] = (),
    pure: Sequence[str] = (),
    *,
    of: Sequence[str] = (),
    leaves: bool = False,
) -> Source:
    """Read a source file; calls of `externals` stay calls; a stranger's includes only what lies within the `reach`.

    Other files are linked with one of C or C++ (see `link`), but for those with bodies of functions that are `pure`; `of`: only
    for what functions of these names need. With `leaves`, what functions leave in structs that they take by value is among their
    results. Raises SourceError where it cannot be read, compiled or parsed.
    """
    if path.suffix not in SUFFIXES:
        module = replace(read_module(path, tuple(clang_args), reach), externals=externals, leaves=leaves)
        roots = _symbols(module, of)
        listed = () if roots is None else tuple(source.functions(module))
        return ready(replace(link(module, named, offered, pure, roots), listed=listed), roots)
    if clang_args:
        raise UsageError(f"{path} is Python, which clang does not read: leave out what follows --")
    return parse_source(path)


def _symbols(module: Module, of: Sequence[str]) -> frozenset[str] | None:
    """The linker names of the functions of these names; None where none is named, or one is not just one function's."""
    try:
        names = chosen_by_part(of, dict(functions_of(module)), "function", "")
        return frozenset(source.find_function(module, name) for name in names) or None
    except MetaliftError:  # which choosing them for the lift tells
        return None


def with_pure(module: Source, names: Sequence[str]) -> tuple[Source, dict[str, str]]:
    """The module in which calls of the named functions stay calls; of names that no such function has, why they do not."""
    problems = {}
    for name in dict.fromkeys(names):
        try:
            if isinstance(module, PythonModule):
                raise UsageError(f"{module.path} is Python; functions of C and C++ without a body are pure ones")
            found = source.pure_function(module, name)
            if found is None:
                module = replace(module, silent=(*module.silent, name))
            else:
                module = replace(module, externals=(*module.externals, found))
        except UsageError as problem:
            problems[name] = str(problem)
    return module, problems


def functions_of(module: Source) -> list[tuple[str, int]]:
    """Name and line of each function, as `import_function` takes them."""
    if isinstance(module, PythonModule):
        from metalift.frontend.python.objects.classes import methods_of

        plain = [(name, node.lineno) for name, node in module.functions.items()]
        return sorted([*plain, *methods_of(module)], key=lambda each: each[1])
    return source.functions_of(module)


def ports_of(module: Source) -> list[Declared]:
    """The ports that a Python file declares; raises Unsupported where a declaration cannot be read."""
    return list(declared_ports(module)) if isinstance(module, PythonModule) else []


def import_function(
    module: Source, name: str, watch: Callable[[str, str], None] | None = None, like: Mapping[str, Type] | None = None
) -> Fragment:
    """The fragment of a function; `watch` is told of each pass of a C or C++ function what it made, as text for people. `like`:
    what arrays of a Python function are that no annotation says it of.

    Raises Unsupported, or SourceError where there is none.
    """
    if isinstance(module, PythonModule):
        from metalift.frontend.python.function import import_python  # which the lift of a C file does not need

        return import_python(module, name, like or {})
    if watch is None:
        return source.import_function(module, name)
    return source.import_function(module, name, lambda stage, function: watch(stage, show_function(function)))


def find_nests(module: Source) -> Nests:
    """The loops of a file as units. Raises UsageError where they need the LLVM pass, and it is not there."""
    if isinstance(module, PythonModule):
        from metalift.frontend.python import nests as python_nests  # which few lifts need

        return python_nests.find_nests(module)
    from metalift.frontend.llvm import nests as llvm_nests

    return llvm_nests.find_nests(module)


def import_nest(nests: Nests, nest: Nest) -> Fragment:
    """The fragment of a nest; raises Unsupported."""
    if isinstance(nests.module, PythonModule):
        from metalift.frontend.python import nests as python_nests

        assert isinstance(nests, python_nests.PythonNests) and isinstance(nest, python_nests.PythonNest)
        return python_nests.import_nest(nests, nest)
    from metalift.frontend.llvm import nests as llvm_nests

    assert isinstance(nests, llvm_nests.Nests) and isinstance(nest, llvm_nests.Nest)
    return llvm_nests.import_nest(nests, nest)


def outermost_nests(nests: Nests, module: Source, name: str) -> Sequence[Nest]:
    """The loops of a function that are in no other loop; the function as `import_function` takes it."""
    return nests.outermost(name if isinstance(module, PythonModule) else source.find_function(module, name))
