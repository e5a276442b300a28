"""Ways to write one function that models use: each is read, spelled by the search, and proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import pipeline
from metalift.driver import choosing
from metalift.pipeline.proposer import Proposer
from metalift.result.verdict import FunctionVerdict
from metalift.synth.propose.prompt import is_ordinary
from tests.support.scripted import Scripted

NORM = """\
void norm(float *y, const float *x, const float *g, float m, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += (x[i] - m) * (x[i] - m);
  for (int i = 0; i < n; i++) y[i] = (x[i] - m) * s * g[i];
}
"""
WAYS = {
    "operators with names for arrays": (
        "def norm(y, x, g, m, n):\n    d = x[0:n] - m\n    s = total(d*d)\n    y[0:n] = d * s * g[0:n]\n"
    ),
    "NumPy": "import numpy as np\ndef norm(y, x, g, m, n):\n    d = x - m\n    y[:] = d * np.sum(d * d) * g\n",
    "a dot product": "import numpy as np\ndef norm(y, x, g, m, n):\n    d = x[:n] - m\n    y[:n] = d * np.dot(d, d) * g[:n]\n",
    "inner functions": (
        "import numpy as np\ndef norm(y, x, g, m, n):\n    def dev(v):\n        return v - m\n    sq = lambda v: v * v\n"
        "    d = dev(x[:n])\n    y[:n] = d * np.sum(sq(d)) * g[:n]\n"
    ),
    "a helper above": (
        "def sq(v):\n    return v * v\n\ndef norm(y, x, g, m, n):\n    s = sum(sq(v - m) for v in x)\n    y[:] = (x-m)*s*g\n"
    ),
    "loops": (
        "def norm(y, x, g, m, n):\n    s = 0\n    for i in range(n):\n        s += (x[i] - m) ** 2\n"
        "    for i in range(n):\n        y[i] = (x[i] - m) * s * g[i]\n"
    ),
    "comprehensions": (
        "import numpy as np\ndef norm(y, x, g, m, n):\n    d = np.array([x[i] - m for i in range(n)])\n"
        "    s = sum(map(lambda v: v * v, d))\n    y[:] = [d[i] * s * g[i] for i in range(n)]\n"
    ),
    "a result in the place of a write": "def norm(y, x, g, m, n):\n    d = x - m\n    return d * (d @ d) * g\n",
    "other names, and annotations": (
        "import numpy as np\ndef normalised(out: np.ndarray, v: np.ndarray, w: np.ndarray, mean: float, count: int) -> None:\n"
        "    d = v[:count] - mean\n    out[:count] = d * (d ** 2).sum() * w[:count]\n"
    ),
}


def lifted(folder: Path, source: str, answer: str, target: str = "numpy") -> FunctionVerdict:
    path = folder / "kernel.c"
    path.write_text(source)
    return pipeline.lift(path, to=(target,), proposer=Proposer(False, Scripted([answer]))).functions[0].verdict


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("way", WAYS)
def test_ways_to_write_it_are_proved(way: str, tmp_path: Path) -> None:
    assert lifted(tmp_path, NORM, WAYS[way]) is FunctionVerdict.PROVED


@pytest.mark.parametrize("target", ["pytorch", "nki", "triton"])
def test_the_search_spells_it_for_other_targets(target: str, tmp_path: Path) -> None:
    source = "void f(float *y, const float *x, float a, int n) { for (int i = 0; i < n; i++) y[i] = a * x[i] + 1; }"
    assert lifted(tmp_path, source, "def f(y, x, a, n):\n    y[:] = a * x + 1\n", target) is FunctionVerdict.PROVED


def test_quotients_of_c_may_be_written_with_a_guard(tmp_path: Path) -> None:
    body = "for (int i = 0; i < n; i++) y[i] = b[i] == 0 ? 7 : a[i] / b[i];"
    source = f"void f(int *y, const int *a, const int *b, int n) {{ {body} }}"
    answer = (
        "import numpy as np\ndef f(y, a, b, n):\n    safe = np.where(b == 0, 1, b)\n"
        "    y[:] = np.where(b == 0, 7, np.trunc(a / safe).astype(np.int32))\n"
    )
    assert lifted(tmp_path, source, answer) is FunctionVerdict.PROVED
    rounded_down = answer.replace("np.trunc(a / safe).astype(np.int32)", "a // safe")
    assert lifted(tmp_path, source, rounded_down) is FunctionVerdict.NOT_LIFTED


def test_only_targets_near_numpy_are_asked_for_ordinary_functions() -> None:
    asked = {name: is_ordinary(choosing.select(None, (name,))[name].driver, name) for name in ("numpy", "jax", "nki", "taco-cpp")}
    assert asked == {"numpy": True, "jax": True, "nki": False, "taco-cpp": False}
