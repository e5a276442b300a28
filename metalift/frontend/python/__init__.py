"""The front end for Python: a file is parsed, never executed, and a function of it becomes a fragment.

In the order in which they work: `naming` reads the file and what its names mean, `keys` takes dictionaries and sets apart,
`annotations` and `infer` find parameters' types, `blocks`, `merging` and `flow` keep blocks, `reader` reads statements and
expressions, and `function` puts the fragment together. A lift of a C file imports none of these but the module of the file.
"""

from metalift.frontend.python.integers import WRITTEN_AS_LOOPS
from metalift.frontend.python.naming.module import SUFFIXES, PythonModule, parse_source
from metalift.frontend.python.ports import Declared, declared_ports

__all__ = ["SUFFIXES", "WRITTEN_AS_LOOPS", "Declared", "PythonModule", "declared_ports", "parse_source"]
