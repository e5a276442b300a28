"""`metalift scan --lift`, and `lift` of a folder: limits of each function, and results that are kept whatever happens."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.kill import disturbed
from metalift.app.batch import run as batch
from metalift.app.batch.store import Store
from metalift.app.scan.rows import Row, Status
from metalift.app.scan.run import Options, scan
from tests.support.commands import command, metalift

SUM = "float sum(const float *x, int n) {\n    float s = 0;\n    for (int i = 0; i < n; i++) s += x[i];\n    return s;\n}\n"
SEVERAL = (
    "#include <stdio.h>\n"
    "void saved(float *x, int n) {\n"
    '    FILE *f = fopen("x", "r");\n'
    "    for (int i = 0; i < n; i++) x[i] *= 2;\n"
    "    for (int i = 0; i < n; i++) x[i] += 3;\n"
    "    fclose(f);\n"
    "}\n"
    "static int twice(int n) { for (int i = 0; i < n; i++) n += 2; return n; }\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src" / "in").mkdir(parents=True)
    (tmp_path / "src" / "sum.c").write_text(SUM)
    (tmp_path / "src" / "in" / "several.c").write_text(SEVERAL)
    return tmp_path / "src"


def statuses(options: batch.Options, folder: Path) -> dict[str, Row]:
    return {row.name: row for row in scan(folder, Options(lifting=options)).rows}


@pytest.mark.plugin
def test_nothing_is_lost_or_lifted_again_and_no_process_is_left(folder: Path, tmp_path: Path) -> None:
    tally = disturbed(command("scan", folder, "--lift", "--jobs", "1"), tmp_path, kills=2, part=0.8, rng=random.Random(5))
    assert tally.kills == 2
    assert tally.wrong == []


@pytest.mark.plugin
def test_each_function_has_limits_and_is_lifted_again_where_that_is_asked_for(folder: Path, tmp_path: Path) -> None:
    short = batch.Options(("numpy",), tmp_path / "out", seconds=0.001)
    found = statuses(short, folder)
    assert found["sum"].status is Status.FAILED and "took longer than 0.001 s" in found["sum"].reason
    assert found["saved"].status is Status.UNSUPPORTED and found["saved_line4"].status is Status.FAILED
    enough = replace(short, seconds=120.0)
    assert statuses(enough, folder) == found  # results are kept, whatever they are
    again = statuses(replace(enough, retry=True), folder)
    assert [again[name].status for name in ("sum", "saved_line4", "saved_line5")] == [Status.PROVED] * 3
    assert again["saved_line5"].outer == "saved" and again["sum"].outer == ""
    store = Store(tmp_path / "out", create=False)
    kept = store.known()
    store.close()
    assert statuses(enough, folder) == again
    store = Store(tmp_path / "out", create=False)
    assert store.known() == kept
    store.close()
    (folder / "sum.c").write_text(SUM.replace("s += x[i]", "s += x[i] * x[i]"))
    assert statuses(enough, folder)["sum"].status is Status.PROVED


def test_a_function_that_takes_long_to_read_costs_its_own_row_only(folder: Path) -> None:
    found = {row.name: row for row in scan(folder, Options(limit=1e-4)).rows}
    assert {"sum", "saved"} <= found.keys()
    assert all("took longer than 0.0001 s" in row.reason for row in found.values() if row.status is Status.FAILED)
    assert found["sum"].status is Status.FAILED


@pytest.mark.plugin
def test_a_folder_is_lifted(folder: Path, tmp_path: Path) -> None:
    done = metalift("lift", folder, "--jobs", "1", "--out", tmp_path / "out")
    assert done.status == 1  # not all is proved
    assert "sum.c/sum: numpy PROVED" in done.output and "in/several.c/saved_line5: numpy PROVED" in done.output
    assert "     2  in: 1 as wholes, 1 by all of their loop nests, 0 by some" in done.output.splitlines()
    assert "in/several.c/twice: numpy PROVED" in done.output, "no formula was found, so its loop stays one"
    assert (tmp_path / "out" / "report.html").is_file()
    (folder / "in" / "several.c").unlink()
    assert metalift("lift", folder, "--jobs", "1", "--out", tmp_path / "out", "-q").status == 0
    refused = metalift("lift", folder, "--assume", "n > 0")
    assert refused.status == 2 and "--assume is for a file" in refused.errors
