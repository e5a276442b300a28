"""From source files to fragments."""

from metalift.frontend.dispatch import (
    Nest,
    Nests,
    Source,
    find_nests,
    functions_of,
    import_function,
    import_nest,
    open_source,
    outermost_nests,
    ports_of,
    with_pure,
)
from metalift.frontend.llvm.compile.clang import Module, compile_source
from metalift.frontend.llvm.source import find_function, functions, silent_symbols
from metalift.frontend.python import WRITTEN_AS_LOOPS, Declared, PythonModule

__all__ = [
    "WRITTEN_AS_LOOPS",
    "Declared",
    "Module",
    "Nest",
    "Nests",
    "PythonModule",
    "Source",
    "compile_source",
    "find_function",
    "find_nests",
    "functions",
    "functions_of",
    "import_function",
    "import_nest",
    "open_source",
    "outermost_nests",
    "ports_of",
    "silent_symbols",
    "with_pure",
]
