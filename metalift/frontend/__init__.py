"""From source files to fragments."""

from metalift.frontend.clang import Module, compile_source
from metalift.frontend.compilers import SourceError
from metalift.frontend.dispatch import Source, functions_of, import_function, open_source
from metalift.frontend.python import PythonModule
from metalift.frontend.source import find_function, functions

__all__ = [
    "Module",
    "PythonModule",
    "Source",
    "SourceError",
    "compile_source",
    "find_function",
    "functions",
    "functions_of",
    "import_function",
    "open_source",
]
