"""Names that Python code changes from elsewhere: what can be seen is refused by its line, the rest is listed as an assumption."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.check.assumptions import Origin
from metalift.frontend.python import parse_source
from metalift.frontend.python.function import import_python
from metalift.ir.program.fragment import Fragment, PremiseKind, Unsupported
from metalift.result.errors import SourceError
from metalift.result.verdict import FunctionVerdict

ROOTS = "def f(x: list[float]) -> list[float]:\n    return [math.sqrt(v) for v in x]\n"
ABS = "def f(x: int) -> int:\n    return abs(x) + 1\n"
HELPED = "def g(x: int, k: int = 3) -> int:\n    return x + k + LEAST\ndef f(x: int) -> int:\n    return g(abs(x))\n"
STUB = "import math\nLEAST = 3\ndef stub(x): return x - 1 if x == 4 else x\n"
RECORD = "from dataclasses import dataclass\n@dataclass\nclass P:\n    v: int\n"
RECORDS = "def f(x: list[P]) -> list[int]:\n    return [p.v for p in x]\n"

# what stands before the function, which begins with STUB: the line that is refused is its last one
CHANGED = {
    "an attribute of a module": ("math.sqrt = stub", ROOTS),
    "in a condition": ("if len('a') == 1:\n    math.sqrt = stub", ROOTS),
    "in a handler": ("try:\n    int('x')\nexcept ValueError:\n    math.sqrt = stub", ROOTS),
    "in a with statement": ("with open(__file__) as text:\n    math.sqrt = stub", ROOTS),
    "in a loop": ("for k in range(2):\n    math.sqrt = stub", ROOTS),
    "as the target of a loop": ("for math.sqrt in (stub,):\n    pass", ROOTS),
    "in a class": ("class A:\n    math.sqrt = stub", ROOTS),
    "in a function": ("def install():\n    math.sqrt = stub", ROOTS),
    "in a decorator of the file": ("def decorate(g):\n    math.sqrt = stub", ROOTS),
    "in a function that imports it": ("def install():\n    import math as m; m.sqrt = stub", ROOTS),
    "in a default value": ("def install(x=setattr(math, 'sqrt', stub)): return x", ROOTS),
    "among several targets": ("a, (math.sqrt, b) = 1, (stub, 2)", ROOTS),
    "an attribute that is deleted": ("del math.sqrt", ROOTS),
    "another name of the module": ("m = math\nm.sqrt = stub", ROOTS),
    "its dictionary": ("math.__dict__['sqrt'] = stub", ROOTS),
    "its variables": ("vars(math)['sqrt'] = stub", ROOTS),
    "its variables, updated": ("vars(math).update({'sqrt': stub})", ROOTS),
    "a name of the dictionary": ("d = vars(math)\nd['sqrt'] = stub", ROOTS),
    "the module by its name": ("import sys\nsys.modules['math'].sqrt = stub", ROOTS),
    "the module as it is imported": ("__import__('math').sqrt = stub", ROOTS),
    "the module itself": ("import sys\nsys.modules['math'] = stub", ROOTS),
    "set by its own method": ("math.__setattr__('sqrt', stub)", ROOTS),
    "text that is run": ("exec('math.sqrt = stub')", ROOTS),
    "Python's own": ("import builtins; builtins.abs = stub", ABS),
    "Python's own by another name": ("import builtins as b; b.abs = stub", ABS),
    "Python's own, always there": ("__builtins__['abs'] = stub", ABS),
    "a name of the module": ("globals()['abs'] = stub", ABS),
    "names of the module": ("globals().update(LEAST=4)", HELPED),
    "variables of the module": ("vars()['LEAST'] = 4", HELPED),
    "deep below": ("globals()['g'] = stub", HELPED),
    "by the frame": ("import sys\nsys._getframe().f_globals['abs'] = stub", ABS),
    "by a function": ("stub.__globals__['abs'] = stub", ABS),
    "text that defines": ("exec('def abs(x): return 3')", ABS),
    "an attribute of this module": ("import sys; setattr(sys.modules[__name__], 'g', stub)", HELPED),
    "a function's code": ("g.__code__ = stub.__code__", HELPED),
    "a function's defaults": ("g.__defaults__ = (4,)", HELPED),
    "a field of a record": (f"{RECORD}P.v = property(len)", RECORDS),
    "a method of a record": (f"{RECORD}P.__getattribute__ = stub", RECORDS),
}
# what the module binds otherwise: refused where it is used
COUNTS = "def f(x: int{}) -> int:\n    n = 0\n    for i in range(x):\n        n += i\n    return n\n"
BOUND = {
    "assigned later": ("", ABS + "abs = stub\n", "abs"),
    "deleted": ("abs = stub\ndel abs", ABS, "abs"),
    "in a walrus of a default": ("def h(x=(abs := stub)): return x", ABS, "abs"),
    "in a walrus of a base class": ("class A((abs := stub) and object): pass", ABS, "abs"),
    "by a pattern": ("match 3:\n    case abs: pass", ABS, "abs"),
    "by a handler": ("try: pass\nexcept ValueError as abs: pass", ABS, "abs"),
    "by a function's global": ("def h():\n    global abs\n    abs = stub", ABS, "abs"),
    "by a loop": ("for abs in (stub,): pass", ABS, "abs"),
    "another library": ("import mymath as maths", ROOTS.replace("math.", "maths."), "maths.sqrt"),
    "everything of a library that has it": ("from operator import *", ABS, "abs"),
    "imported, then assigned": ("from math import sqrt\nsqrt = stub", ROOTS.replace("math.", ""), "sqrt"),
    "twice": ("def g(x): return 1", HELPED, "g"),
    "under a condition": ("if LEAST:\n    def g(x): return 1", HELPED, "g"),
    "range": ("range = stub", COUNTS.format(""), "range"),
    "list": ("list = sorted", "def f(x: list[int]) -> list[int]:\n    return list(x)\n", "list"),
    "zip": ("from helper import zip", "def f(x: list[int]) -> int:\n    return sum(a * b for a, b in zip(x, x))\n", "zip"),
    "float": ("float = int", "import numpy as np\ndef f(x: int):\n    return np.zeros(x, dtype=float)\n", "float"),
    "sum of dictionaries": ("from numpy import sum", "def f(x: list[int]) -> int:\n    m = {}\n    for v in x:\n"
        "        m[v] = 1\n    return sum(m.values())\n", ""),
    "a parameter": ("", COUNTS.format(", range: int"), "range"),
    "a local name": ("", "def f(x: list[int]) -> list[int]:\n    list = 3\n    return list(x)\n", "list"),
    "a local name of a loop": ("", "def f(x: list[int]) -> int:\n    n = 0\n    for enumerate in x:\n        n += 1\n"
        "    for i, v in enumerate(x):\n        n += i * v\n    return n\n", "enumerate"),
}  # fmt: skip
# what cannot be seen: listed with these words
LISTED = {
    "an import": ("import helper", "what line {} `import helper` brings in"),
    "an import in a function": ("def h(): import helper", "what line {} `import helper` brings in"),
    "everything of a module": ("from helper import *", "what line {} `from helper import *` brings in"),
    "a call": ("from helper import setup\nsetup()", "line {} `setup()`"),
    "a method": ("from helper import app\nx = app.make()\nx.run(3)", "line {} `x.run(3)`"),
    "a decorator": ("from helper import register\n@register\ndef h(x): return x", "line {} `@register`"),
    "a with statement": (
        "from unittest import mock\nwith mock.patch('math.sqrt', stub): pass",
        "line {} `mock.patch('math.sqrt', stub)`",
    ),
    "a default value": ("from helper import setup\ndef h(x=setup()): pass", "line {} `setup()`"),
    "a class": ("from helper import setup\nclass A:\n    v = setup()", "line {} `v = setup()`"),
    "a module that is passed on": ("def patch(m):\n    m.sqrt = stub", "line {} `m.sqrt = stub`"),
    "a module in a loop": ("for m in (math,):\n    m.sqrt = stub", "line {} `m.sqrt = stub`"),
    "a name that is not known": ("def h(n):\n    setattr(math, n, stub)", "line {} `setattr(math, n, stub)`"),
    "an entry that is not known": ("def h(n):\n    globals()[n] = stub", "line {} `globals()[n] = stub`"),
    "names that are passed on": ("list(map(vars, [math]))", "line {} `list(map(vars, [math]))`"),
    "text that is not known": ("exec(open('x').read())", "line {} `exec(open('x').read())`"),
    "a function that sets": (
        "list(map(setattr, [math], ['sqrt'], [stub]))",
        "line {} `list(map(setattr, [math], ['sqrt'], [stub]))`",
    ),
    "a method of a class": ("class A:\n    def set(self): self.sqrt = stub\nA.set(math)", "line {} `A.set(math)`"),
    "a function that needs no object": ("class A:\n    @staticmethod\n    def set(m): m.sqrt = stub", "line {} `m.sqrt = stub`"),
    "a module in a list": ("mods = [math]", "line {} `mods = [math]`"),
    "a dictionary by its name": ("d = getattr(math, '__dict__')", "line {} `d = getattr("),
    "a module's own method": ("d = math.__getattribute__('__dict__')", "line {} `d = math.__getattribute__("),
    "a function that watches": ("import sys\nsys.settrace(stub)", "line {} `sys.settrace(stub)`"),
    "a test's change": ("def h(monkeypatch):\n    monkeypatch.setattr(math, 'sqrt', stub)", "line {} `monkeypatch.setattr("),
    "where the file is a program": ("if __name__ == '__main__':\n    math.sqrt = stub", "line {} `math.sqrt = stub`"),
}
EVERYDAY = '''"""What a module does every day."""
from __future__ import annotations
import logging, os, random, sys, warnings
import collections
import collections.abc
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypedDict, TypeVar
import math
import numpy as np
try:
    import json
except ImportError:
    json = None
__all__ = ["f"]
T = TypeVar("T")
Row = list[int]
LEAST = 3
logging.basicConfig(level=logging.INFO)
log = logging.getLogger(__name__)
log.setLevel(logging.INFO)
random.seed(0)
np.random.seed(0)
np.set_printoptions(precision=3)
warnings.filterwarnings("ignore")
sys.path.append("x")
sys.path.insert(0, os.path.dirname(__file__))
sys.setrecursionlimit(3000)
os.environ["A"] = "1"
if sys.version_info < (3, 8):
    raise SystemExit("old")
assert sys.version_info >= (3,), "old"
@dataclass(frozen=True)
class A:
    sum: int
    def __post_init__(self):
        object.__setattr__(self, "abs", 3)
        self.sum = vars(self)["abs"]
        self.__dict__.update(sum=3)
class B(NamedTuple):
    x: int
class C(Enum):
    ONE = 1
class D(TypedDict):
    x: int
rows = [abs for abs in range(3)]
rows.append(3)
print("hello", LEAST, "abs" in globals())
math.unused = 4
def g(x: int) -> int:
    return x + LEAST
g.calls = 0
assert g(1) == 4
def f(x: int) -> int:
    return g(abs(x))
if __name__ == "__main__":
    import argparse, plots
    plots.show(eval("3"))
'''
ODD = {
    "no smallest": "    return min(())  # !",
    "nothing for any": "    return any()  # !",
    "a list in itself": "    y = []\n    y.append(y)  # !\n    return y",
    "no axes": "    return np.zeros(())  # !",
    "nothing to add up": "    return np.sum()  # !",
    "nothing to fill with": "    return np.full(len(x))  # !",
    "an argument twice": "    return _first(x, x=x)  # !",
    "a generator for NumPy": "    return np.max(v for v in x)  # !",
}
HELPERS = """import numpy as np
def _first(x):
    if len(x) > 0:
        return x[0]
"""


def read(text: str) -> Fragment:
    return import_python(parse_source(Path("kernel.py"), text), "f")


def refusal(text: str) -> tuple[int, str]:
    """The line of a refusal, and what it says."""
    with pytest.raises(Unsupported) as raised:
        read(text)
    return raised.value.diagnostic.location.line, raised.value.diagnostic.message


def names_of(fragment: Fragment) -> list[str]:
    return [premise.text for premise in fragment.premises if premise.kind is PremiseKind.NAMES]


@pytest.mark.parametrize("what", CHANGED)
def test_a_change_of_what_is_used_is_refused_where_it_stands(what: str) -> None:
    before, function = CHANGED[what]
    after = before.count("stub.__globals__")  # which is as good after the function
    text = STUB + (f"{function}{before}\n" if after else f"{before}\n{function}")
    wanted = STUB.count("\n") + before.rstrip().removesuffix("pass").rstrip().count("\n") + 1
    line, message = refusal(text)
    assert line == wanted + (function.count("\n") if after else 0)
    assert "is changed here, which f uses" in message


@pytest.mark.parametrize("what", BOUND)
def test_a_name_that_the_module_or_the_function_binds_otherwise_is_refused(what: str) -> None:
    before, function, name = BOUND[what]
    assert name in refusal(f"{STUB}{before}\n{function}")[1]


@pytest.mark.parametrize("what", LISTED)
def test_what_cannot_be_seen_is_listed(what: str) -> None:
    before, words = LISTED[what]
    line = STUB.count("\n") + before.removesuffix("\ndef h(x): return x").count("\n") + 1
    listed = names_of(read(f"{STUB}{before}\n{ROOTS}"))
    assert any(each.startswith(words.format(line)) and each.endswith(" changes no name that f uses") for each in listed), listed


def test_everyday_statements_are_neither_refused_nor_listed() -> None:
    assert names_of(read(EVERYDAY)) == []


def test_a_class_that_is_given_to_what_may_change_it_is_listed() -> None:
    assert "functools.total_ordering(P)" in names_of(read(f"import functools\n{RECORD}functools.total_ordering(P)\n{RECORDS}"))[0]


def test_everything_of_a_known_library_means_what_it_means_there() -> None:
    starred = f"from math import *\n{ROOTS.replace('math.', '')}"
    assert read(starred).blocks == read(f"from math import sqrt\n{ROOTS.replace('math.', '')}").blocks


def test_what_python_does_not_compile_is_refused() -> None:
    with pytest.raises(SourceError, match="prior to global declaration"):
        read("def f(x: int) -> int:\n    return abs(x)\n    global abs\n    abs = 3\n")


@pytest.mark.parametrize("what", ODD)
def test_none_and_wrong_arguments_are_refused_by_their_lines(what: str) -> None:
    text = f"{HELPERS}def f(x: list[int]):\n{ODD[what]}\n"
    line, message = refusal(text)
    assert "# !" in text.splitlines()[line - 1], (line, message)


def test_it_is_lifted_with_the_assumption_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(f"{STUB}def patch(m):\n    m.fabs = stub\nmath.sqrt = stub\n{ROOTS}{ABS.replace('f(', 'h(')}")
    stub, patch, roots, plain = lift(path, to=["numpy"]).functions
    assert (patch.verdict, roots.verdict) == (FunctionVerdict.UNSUPPORTED, FunctionVerdict.UNSUPPORTED)
    assert [each.line for each in roots.diagnostics] == [6]
    assert stub.verdict is plain.verdict is FunctionVerdict.PROVED
    path.write_text(f"import math\ndef patch(m):\n    m.sqrt = abs\n{ROOTS}")
    listed = [each for each in lift(path, to=["numpy"], functions=["f"]).functions[0].assumptions if "no name" in each.text]
    assert [(each.text, each.origin) for each in listed] == [
        ("line 3 `m.sqrt = abs` changes no name that f uses", Origin.NAMES.value)
    ]
