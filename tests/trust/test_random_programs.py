"""Random programs: those that are PROVED do what their sources do; and whoever says so notices what differs."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from benchmarks import oracle
from benchmarks.framework import Finder, Mutant
from benchmarks.native_programs import compiled, source_text
from benchmarks.random_kernels import Param, Program, program
from benchmarks.random_programs import attempted, is_wrong

INTS = Param("o", "i32", "pointer")
N = Param("n", "i32")
QUOTIENT = Program("q", "c", (N, INTS), "", "void q(int n, int *o) { for (int i = 0; i < n; i++) o[i] /= -1; }\n", True)
AHEAD = Program("a", "c", (N, INTS), "", "void a(int n, int *o) { for (int i = 0; i < n; i++) o[i] = o[i + 1] + 1; }\n", True)
ENDLESS = Program(
    "e", "c", (N,), "i32", "int e(int n) { int s = 0; for (unsigned i = 0; i != n; i += 2) s ^= i; return s; }\n", True
)
CODE = {
    "q": {"right": "o[:n] = -o[:n]", "wrong": "o[:n] = -np.maximum(o[:n], -99)"},
    "a": {"right": "o[:n] = o[1:n + 1] + 1", "wrong": "for i in range(n - 1, -1, -1): o[i] = o[i + 1] + 1"},
    "e": {"right": "raise ValueError('n is even')", "wrong": "return 0"},
}


def judged(one: Program, code: str, folder: Path) -> dict[str, Any]:
    """What the oracle says of a program and a function that was written by hand."""
    source = folder / "programs.c"
    source.write_text(source_text([one]))
    checked, values = compiled([one], source, folder)
    names = ", ".join(param.name for param in one.params)
    module = folder / f"{one.name}.py"
    returned = "" if one.result else "\n    return o"
    guard = "    if n < 0:\n        raise ValueError('n < 0')\n"
    module.write_text(f"import numpy as np\n\ndef {one.name}({names}):\n{guard}    {code}{returned}\n")
    entry = {**asdict(one), "module": str(module), "function": one.name, "real": False}
    job = {"checked": checked, "values": values, "source": str(source), "programs": [entry], "count": 80, "seed": 1}
    (folder / "job.json").write_text(json.dumps(job))
    command = [sys.executable, oracle.__file__, str(folder / "job.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=200)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("one", [QUOTIENT, AHEAD], ids=lambda one: one.name)
def test_the_oracle_tells_right_from_wrong(one: Program, tmp_path: Path) -> None:
    right = judged(one, CODE[one.name]["right"], tmp_path)
    assert right["wrong"] == []
    assert right["agree"] > 10
    assert right["undefined"] > 0  # INT_MIN / -1, and what is behind the array
    assert judged(one, CODE[one.name]["wrong"], tmp_path)["wrong"]


def test_the_oracle_tells_what_does_not_end(tmp_path: Path) -> None:
    found = judged(ENDLESS, CODE["e"]["wrong"], tmp_path)
    assert found["unfinished"] == oracle.UNFINISHED
    assert found["answered"] > 0


def test_programs_are_made_from_their_numbers() -> None:
    made = [program(5, number) for number in range(60)]
    assert made == [program(5, number) for number in range(60)]
    assert {one.language for one in made} == {"c", "cc", "py"}
    assert len({one.text for one in made}) > 50


@pytest.mark.quick("mixed")
@pytest.mark.parametrize("mixed", [False, True], ids=["plain", "mixed"])
def test_random_programs_that_are_proved_are_right(mixed: bool) -> None:
    numbered = [(number, made) for number in range(40) if (made := program(11, number, mixed=mixed)).language == "c"][:6]
    records = attempted(numbered, 3.0, 60, 11)
    assert len(records) == 6
    assert not [each["text"] + is_wrong(each) for each in records if is_wrong(each)]
    assert any(each["verdict"] == "PROVED" for each in records)


def test_a_mutant_of_the_framework_is_what_is_imported() -> None:
    mutant = Mutant("no sign", "ir/arith/polynomial.py", '"""', "'''")
    assert Finder(mutant).find_spec("metalift.ir.expr.nodes", None) is None
    spec = Finder(mutant).find_spec("metalift.ir.arith.polynomial", None)
    assert spec is not None and spec.loader is not None
    with pytest.raises(ValueError, match="times"):
        mutant.applied("no such text")
    assert mutant.applied('a """ b') == "a ''' b"
