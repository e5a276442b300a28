"""Ordinary functions as answers that are hostile or wrong: none is proved, none is run, and each costs its time at most."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from metalift import pipeline
from metalift.pipeline.proposer import Proposer
from metalift.result.verdict import FunctionVerdict
from tests.support.scripted import Scripted

LONGEST = 60.0  # seconds that an answer may cost on a busy machine
SOURCE = """\
void smooth(float *y, const float *x, int n) {
  for (int i = 0; i < n - 2; i++) y[i] = (x[i] + x[i + 1] + x[i + 2]) * 0.5f;
}
"""
BODY = "    y[:n - 2] = (x[:n - 2] + x[1:n - 1] + x[2:n]) * 0.5\n"
RIGHT = f"def smooth(y, x, n):\n{BODY}"
ANSWERS = {
    "an import that acts": f"import os\nos.system('touch executed')\n{RIGHT}",
    "an import inside": f"def smooth(y, x, n):\n    import os\n    os.system('touch executed')\n{BODY}",
    "open": f"def smooth(y, x, n):\n    open('executed', 'w').write('x')\n{BODY}",
    "eval": f"def smooth(y, x, n):\n    eval(\"open('executed', 'w')\")\n{BODY}",
    "an annotation that acts": "def smooth(y: open('executed', 'w'), x, n):\n    y[:n - 2] = x[:n - 2]\n",
    "a decorator that acts": f"def touch(f):\n    open('executed', 'w')\n    return f\n\n@touch\n{RIGHT}",
    "a file of NumPy": "import numpy as np\n\ndef smooth(y, x, n):\n    y[:] = np.load('executed')[:n - 2]\n",
    "a file that NumPy writes": f"import numpy as np\n\ndef smooth(y, x, n):\n    np.save('executed', x)\n{BODY}",
    "one element too far": "def smooth(y, x, n):\n    y[:n - 1] = (x[:n - 1] + x[1:n] + x[1:n]) * 0.5\n",
    "the last element missing": "def smooth(y, x, n):\n    y[:n - 3] = (x[:n - 3] + x[1:n - 2] + x[2:n - 1]) * 0.5\n",
    "another constant": RIGHT.replace("0.5", "0.50001"),
    "right for small sizes": f"def smooth(y, x, n):\n    n = min(n, 3000)\n{BODY}",
    "parameters defined anew": f"def smooth(y, x, n):\n    n = 3\n    x = y\n{BODY}",
    "parameters in another order": f"def smooth(x, y, n):\n{BODY}",
    "NumPy defined anew": "def np(x):\n    return x\n\ndef smooth(y, x, n):\n    y[:n - 2] = np(x[:n - 2])\n",
    "what is read is written": f"def smooth(y, x, n):\n{BODY}    x[0] = 0.0\n",
    "a loop of a billion": (
        "def smooth(y, x, n):\n    s = 0.0\n    for i in range(1000000000):\n        s = s * 0.5 + i\n    y[:n - 2] = s\n"
    ),
    "doubled in a loop": f"def smooth(y, x, n):\n    for i in range(80):\n        x = x + x\n{BODY}",
    "nested loops of a thousand": (
        "def smooth(y, x, n):\n    for i in range(1000):\n        for j in range(1000):\n            y[i * 1000 + j] = x[j]\n"
    ),
    "an array of a billion": "import numpy as np\n\ndef smooth(y, x, n):\n    y[:n - 2] = np.zeros(10**9)[:n - 2] + x[:n - 2]\n",
    "a loop without an end": f"def smooth(y, x, n):\n    while True:\n        pass\n{BODY}",
    "a tower of powers": "def smooth(y, x, n):\n    y[:n - 2] = x[:n - 2] * (9 ** 9 ** 9)\n",
    "doubled again and again": "def smooth(y, x, n):\n" + "    x = x + x\n" * 80 + BODY,
    "helpers that call each other": (
        "def f(n):\n    return g(n)\n\ndef g(n):\n    return f(n)\n\ndef smooth(y, x, n):\n    y[0] = f(n)\n"
    ),
    "an assertion of what is false": "def smooth(y, x, n):\n    assert n == 5\n    y[:n - 2] = x[:n - 2]\n",
    "an assertion about data": "def smooth(y, x, n):\n    assert all(v == 0 for v in x)\n    y[:n - 2] = 0.0\n",
    "a result of its own": "def smooth(y, x, n):\n    return (x[:n - 2] + x[1:n - 1]) * 0.5\n",
}


@pytest.mark.quick(every=4)
@pytest.mark.parametrize("name", ANSWERS)
def test_it_is_not_proved_and_not_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "smooth.c"
    path.write_text(SOURCE)
    asker = Scripted([ANSWERS[name]])
    began = time.monotonic()
    result = pipeline.lift(path, timeout=2.0, out=tmp_path / "out", proposer=Proposer(False, asker)).functions[0]
    assert result.verdict in (FunctionVerdict.NOT_LIFTED, FunctionVerdict.TESTED)
    assert not any("internal error" in each.message for each in result.diagnostics)
    assert not list(tmp_path.rglob("executed*"))
    assert time.monotonic() - began < LONGEST


HARMLESS = {
    "a default that acts": f"def smooth(y, x, n=open('executed', 'w')):\n{BODY}",
    "a helper that acts and is not called": f"def f():\n    open('executed', 'w')\n\n{RIGHT}",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_does_not_matter_is_not_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "smooth.c"
    path.write_text(SOURCE)
    pipeline.lift(path, proposer=Proposer(False, Scripted([HARMLESS[name]])))
    assert not list(tmp_path.rglob("executed*"))


def test_the_right_one_is_proved(tmp_path: Path) -> None:
    path = tmp_path / "smooth.c"
    path.write_text(SOURCE)
    result = pipeline.lift(path, proposer=Proposer(False, Scripted([RIGHT]))).functions[0]
    assert result.verdict is FunctionVerdict.PROVED
