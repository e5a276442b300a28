"""From source files to fragments."""

from metalift.frontend.dispatch import Source, functions_of, import_function, open_source, with_pure
from metalift.frontend.llvm.compile.clang import Module, compile_source
from metalift.frontend.llvm.source import find_function, functions
from metalift.frontend.python import PythonModule

__all__ = [
    "Module",
    "PythonModule",
    "Source",
    "compile_source",
    "find_function",
    "functions",
    "functions_of",
    "import_function",
    "open_source",
    "with_pure",
]
