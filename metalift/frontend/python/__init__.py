"""The front end for Python: a file is parsed, never executed, and a function of it becomes a fragment.

In the order in which they work: `module` reads the file, `annotations` and `infer` find the parameters' types, `flow` keeps
blocks, `names` what names stand for; `expressions`, `loops`, `lists`, `making`, `reductions`, `libraries`, `calls` and
`statements` read what their names say, and `function` puts the fragment together.
"""

from metalift.frontend.python.function import import_python
from metalift.frontend.python.naming.module import SUFFIXES, PythonModule, parse_source

__all__ = ["SUFFIXES", "PythonModule", "import_python", "parse_source"]
