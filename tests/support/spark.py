"""Whether Spark can be run here, and what is lifted for it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from metalift import lift
from metalift.result import FunctionResult
from metalift.result.verdict import Agreement, FunctionVerdict

TARGETS = ("rdd", "dataframe")


def missing() -> str:
    """What is missing, for a skip; empty where Spark can be run."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed (the extra `spark`)"
    if not shutil.which("java") and "JAVA_HOME" not in os.environ:
        return "there is no Java, which Spark runs on"
    return ""


needs_spark = pytest.mark.skipif(bool(missing()), reason=missing() or "Spark is there")


def lifted_functions(text: str, folder: Path, suffix: str = ".py") -> dict[str, FunctionResult]:
    """Every function of a source, lifted to both targets, by name."""
    source = folder / f"kernels{suffix}"
    source.write_text(text, encoding="utf-8")
    return {each.name: each for each in lift(source, to=TARGETS, out=folder / "out").functions}


def check_written(function: FunctionResult, lines: Mapping[str, Sequence[str]]) -> None:
    """The function is proved, agrees on Spark, and its code for each target has these lines."""
    assert function.verdict is FunctionVerdict.PROVED, (function.diagnostics, function.attempt)
    for target, wanted in lines.items():
        found = function.targets[target]
        assert found.checked is Agreement.AGREES and found.engine.startswith("Spark"), found.engine
        assert found.inputs >= 4 and found.file is not None
        code = Path(found.file).read_text(encoding="utf-8")
        assert [line for line in wanted if line not in code] == [], code


def on_spark(lifted: Mapping[str, FunctionResult], data: Sequence[object], given: Mapping[str, Sequence[object]]) -> list[str]:
    """Where generated code of functions of a Python source on lists of records gives another dictionary than the source.

    The source has one class; `given` are the arguments of each function behind the list.
    """
    files = {name: {at: lifted[name].targets[at].file for at in TARGETS} for name in given}
    source = Path(next(iter(files.values()))["rdd"] or "").parents[2] / "kernels.py"
    asked = json.dumps({"source": str(source), "files": files, "data": data, "given": given})
    run = subprocess.run([sys.executable, "-c", _RUN], input=asked, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    answers: list[str] = json.loads(run.stdout.splitlines()[-1])
    return answers


_RUN = """
import dataclasses, importlib.util, json, sys
from metalift_drivers.spark.targets import DATAFRAME
asked = json.load(sys.stdin)
exec(DATAFRAME.engine.setup)

def module(path):
    spec = importlib.util.spec_from_file_location("m" + str(abs(hash(path))), path)
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found

source = module(asked["source"])
(record,) = (each for each in vars(source).values() if dataclasses.is_dataclass(each))
columns = {"str": "string", "int": "bigint", "float": "double", str: "string", int: "bigint", float: "double"}
fields = struct([(each.name, columns[each.type]) for each in dataclasses.fields(record)])
plain = lambda value: tuple(value) if isinstance(value, tuple) else value
wrong = []
for name, files in asked["files"].items():
    for values in asked["data"]:
        wanted = dict(getattr(source, name)([record(**each) for each in values], *asked["given"][name]))
        made = getattr(module(files["rdd"]), name)(distributed(values), *asked["given"][name]).collect()
        shown = getattr(module(files["dataframe"]), name)(framed(values, fields), *asked["given"][name]).collect()
        for target, pairs in (("rdd", made), ("dataframe", [(each.key, each.value) for each in shown])):
            found = {key: plain(value) for key, value in pairs}
            if found != wanted or len(pairs) != len(wanted):
                wrong.append(f"{name}, {target}: {found}, not {wanted}")
print(json.dumps(wrong))
"""
