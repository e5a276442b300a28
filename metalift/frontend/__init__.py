"""From source files to fragments."""

from metalift.frontend.clang import Module, compile_source
from metalift.frontend.compilers import SourceError
from metalift.frontend.source import find_function, functions, functions_of, import_function

__all__ = ["Module", "SourceError", "compile_source", "find_function", "functions", "functions_of", "import_function"]
