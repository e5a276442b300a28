"""Each kernel's whole way in one folder: source, one numbered file per stage as --dump-dir writes them, code, verdicts.

`make golden` writes these files anew; their difference shows what a change does to every kernel.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from metalift import lift
from metalift.result import AssumptionResult, Json, Result
from tests.support.tensor_code import forbidden

FOLDERS = sorted(path.parent for path in Path(__file__).parent.glob("*/kernel.*"))
TARGETS = ("numpy", "pytorch")
WRITE = os.environ.get("METALIFT_GOLDEN") == "write"


@pytest.mark.quick("dot", "matmul", "normal_8", "rmsnorm", "sum")
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_kernel_takes_its_recorded_way(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (source,) = Path().glob("kernel.*")
    result = lift(source, to=TARGETS, out=tmp_path / "out", dump_dir=tmp_path / "dump")
    produced = {"expected.json": json.dumps(_lasting(result), indent=2) + "\n", **_texts(tmp_path / "dump")}
    for name, target in result.functions[0].targets.items():
        if target.file is not None:
            produced[f"{name}.py"] = Path(target.file).read_text(encoding="utf-8")
            assert forbidden(produced[f"{name}.py"]) == []
    if WRITE:
        _write(folder, source.name, produced)
    assert _recorded(folder, source.name) == produced


def _lasting(result: Result) -> Json:
    """The result without what varies from run to run: times, versions, paths, errors of floats."""
    (function,) = result.functions
    return {
        "name": function.name,
        "line": function.line,
        "verdict": function.verdict.value,
        "assumptions": _shown(function.assumptions),
        "obligations": [f"{item.verdict.value} {item.name} (line {item.line})" for item in function.obligations],
        "targets": {
            name: {"verdict": target.verdict.value, "checked": target.checked.value, "assumptions": _shown(target.assumptions)}
            for name, target in function.targets.items()
        },
        "attempt": function.attempt.obligation if function.attempt else None,
        "diagnostics": [f"{item.line}:{item.column}: {item.message}" for item in function.diagnostics],
    }


def _shown(assumptions: Sequence[AssumptionResult]) -> list[Json]:
    """One line for each assumption."""
    return [f"{item.text} [{item.origin}; {item.checked.value}]" for item in assumptions]


def _texts(folder: Path) -> dict[str, str]:
    """The files of a folder, by their path in it, but for what the passes of the front end leave, and Python's bytecode."""
    paths = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    return {
        str(path): (folder / path).read_text(encoding="utf-8") for path in paths if path.parts[0] not in ("passes", "__pycache__")
    }


def _recorded(folder: Path, source: str) -> dict[str, str]:
    """The golden files: everything in the folder but the source."""
    return {name: text for name, text in _texts(folder).items() if name != source}


def _write(folder: Path, source: str, produced: dict[str, str]) -> None:
    """Make the golden files what was produced."""
    for name in _recorded(folder, source):
        (folder / name).unlink()
    for name, text in produced.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
