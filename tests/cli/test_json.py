"""The contract of --json: the keys, their order, and the values they may have."""

from __future__ import annotations

import json
from pathlib import Path

from metalift.version import __version__
from tests.support.commands import lift_text, metalift, metalift_process

FUNCTION_KEYS = [
    "name",
    "line",
    "verdict",
    "summary",
    "invariants",
    "assumptions",
    "obligations",
    "targets",
    "attempt",
    "proposer",
    "candidates",
    "seconds",
    "diagnostics",
    "split",
    "reasons",
]
TARGET_KEYS = [
    "verdict",
    "file",
    "engine",
    "checked",
    "inputs",
    "max_rel_error",
    "assumptions",
    "exact_error",
    "source_error",
    "decided",
    "undecided",
]
SCALE = "void scale(float *a, float s, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] *= s;\n}\n"


def test_a_proved_function(tmp_path: Path) -> None:
    done = lift_text(SCALE, tmp_path, "--to", "numpy,pytorch", "--function", "scale")
    assert done.status == 0, done.output + done.errors
    top = json.loads(done.output)
    assert list(top) == ["schema_version", "metalift", "source", "functions", "others", "left_out", "notes"]
    assert top["metalift"] == __version__
    assert top["source"] == str(tmp_path / "kernel.c")
    function = done.function
    assert list(function) == FUNCTION_KEYS
    assert (function["name"], function["line"], function["verdict"], function["attempt"]) == ("scale", 1, "PROVED", None)
    assert function["summary"]
    assert function["obligations"]
    assert all(list(item) == ["name", "line", "verdict", "reason", "seconds"] for item in function["obligations"])
    assert all(item["verdict"] == "PROVED" for item in function["obligations"])
    assert function["assumptions"]
    assert all(list(item) == ["text", "origin", "checked"] for item in function["assumptions"])
    assert {item["checked"] for item in function["assumptions"]} <= {"guard", "no"}
    assert list(function["targets"]) == ["numpy", "pytorch"]
    for target in function["targets"].values():
        assert list(target) == TARGET_KEYS
        assert (target["verdict"], target["checked"]) == ("PROVED", "agrees")
        assert target["inputs"] >= 200
        assert Path(target["file"]).is_file()
    assert sum(function["seconds"].values()) > 0


def test_float_arithmetic_is_a_listed_assumption(tmp_path: Path) -> None:
    origins = [item["origin"] for item in lift_text(SCALE, tmp_path).function["assumptions"]]
    assert "real arithmetic" in origins


def test_standard_output_holds_the_object_and_nothing_else(tmp_path: Path) -> None:
    """Of a process, so that what its libraries and children would write is seen, too."""
    source = tmp_path / "scale.c"
    source.write_text(SCALE, encoding="utf-8")
    done = metalift_process("lift", source, "--out", tmp_path / "out", "--json")
    assert done.output.startswith("{") and done.output.endswith("}\n")
    assert (done.status, done.errors, done.function["verdict"]) == (0, "", "PROVED")


def test_report_and_timings(tmp_path: Path) -> None:
    source = tmp_path / "scale.c"
    source.write_text(SCALE, encoding="utf-8")
    done = metalift("lift", source, "--out", tmp_path / "out", "-v", "--timings")
    assert done.status == 0, done.errors
    for part in ("scale.c:1: scale", "PROVED", "assumes", "numpy: ", "seconds: ", "1 of 1 function proved"):
        assert part in done.output
