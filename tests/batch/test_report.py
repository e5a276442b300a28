"""The reports of a batch as text: nothing in results is taken for markup, and what is not finished is there too."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from metalift.app.batch import page, report
from metalift.app.batch.details import LINES, details
from metalift.app.batch.store import Row, Store, Wanted
from metalift.app.batch.suite import Kernel
from metalift.result.errors import UsageError
from tests.support.batches import Made, batch

HOSTILE = "</script><!-- $style \u2028 & | `*_<b>"
KERNELS = [
    Made("one", "good", "int", {"numpy": "PROVED", "pytorch": "PROVED"}, speed=(0.5, 4.0)),
    Made("one", "bad", HOSTILE, {"numpy": "UNSUPPORTED", "pytorch": None}, text=HOSTILE),
]


def test_the_three_reports_say_the_same(tmp_path: Path) -> None:
    assert report.write(batch(tmp_path, KERNELS)) == tmp_path / "report.html"
    with (tmp_path / "report.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["name"], row["target"], row["verdict"]) for row in rows] == [
        ("good", "numpy", "PROVED"),
        ("good", "pytorch", "PROVED"),
        ("bad", "numpy", "UNSUPPORTED"),
        ("bad", "pytorch", ""),
    ]
    text = (tmp_path / "report.md").read_text()
    assert "| one | 1 of 2 | 1 of 2 |" in text and "| int | 1 of 1 | 1 of 1 |" in text and "no result yet" in text
    assert "<b>" not in text and "<script" not in text
    (index,) = re.findall(r'<script type="application/json" id="index">(.*?)</script>', (tmp_path / "report.html").read_text())
    kernels = json.loads(index)["kernels"]
    assert [[result and result[:2] for result in results] for *_, results, _ in kernels] == [[[0, 1], [0, 1]], [[4, 0], None]]
    assert kernels[0][5] == [0, 2, [[0, 1.0], [1, 0.5], [2, 4.0]]] and kernels[1][5] is None
    assert (rows[0]["kind"], rows[0]["recommended"], rows[0]["speedup"]) == ("elementwise", "pytorch compiled", "4.0000")
    assert kernels[1][2] == 1 and json.loads(index)["styles"][1] == HOSTILE


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    report.write(batch(tmp_path, [Made("=1+1", "@x", "", {"numpy": "ERROR"}, text="=cmd()")]))
    with (tmp_path / "report.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["kernel"], row["suite"], row["name"], row["reason"]) == ("'=1+1/@x/", "'=1+1", "'@x", "'=cmd()")


def test_data_in_the_page_is_inert() -> None:
    text = page.inert([HOSTILE])
    assert not set("<>&\u2028") & set(text) and json.loads(text) == [HOSTILE]


def test_an_empty_batch_has_a_report(tmp_path: Path) -> None:
    Store(tmp_path).close()
    assert report.write(tmp_path).read_text().startswith("<!doctype html>")


def test_names_of_files_that_are_no_utf8(tmp_path: Path) -> None:
    kernel = Kernel("s", "bad\udcff", "", Path("bad\udcff.c"), "f")
    store = Store(tmp_path)
    store.want([Wanted("key", kernel.label, "numpy", kernel.suite, kernel.name, path=str(kernel.path))])
    store.finish(kernel.label, [Row("key", kernel.label, "numpy", "ERROR", False, 1.0, 0.0, "in bad\udcff.c", {})])
    store.close()
    report.write(tmp_path)
    assert (tmp_path / "report.csv").read_text().splitlines()[1].startswith("s/bad\\udcff,s,bad\\udcff,,numpy,ERROR,False")


def test_details_of_a_folder_that_was_moved(tmp_path: Path) -> None:
    batch(tmp_path / "before", KERNELS[:1])
    moved = (tmp_path / "before").rename(tmp_path / "after")
    store = Store(moved)
    found = details(moved, list(store.each(results=True)))
    store.close()
    assert found is not None
    files = [target["file"] for target in found["targets"]]
    assert files == ["lifted/one/good/int/numpy/f0.py", "lifted/one/good/int/pytorch/f0.py"]
    assert [target["line"] for target in found["targets"]] == [1, 1]
    (lift,) = found["lifts"]
    assert lift["claim"] == "lifted/one/good/int/certificates/f/certificate.json"
    assert lift["targets"] == ["numpy", "pytorch"] and lift["assumptions"][1] == ["0 <= a", "operators", "no", "numpy, pytorch"]
    assert "cannot be read" in found["source"]["cut"]


def test_of_a_long_source_the_function_is_shown(tmp_path: Path) -> None:
    batch(tmp_path, KERNELS[:1])
    store = Store(tmp_path)
    source = tmp_path / "long.c"
    source.write_text("\n" * 1000 + "int f0(void);\n" * 1000)
    ((wanted, row), *_) = store.each(results=True)
    store.close()
    assert row is not None
    again = replace(row, result={**row.result, "line": 1001})
    found = details(tmp_path, [(replace(wanted, path=str(source)), again)])
    assert found is not None
    shown = found["source"]
    assert (shown["first"], shown["line"]) == (991, 1001) and shown["text"].count("\n") == LINES - 1
    assert shown["cut"] == "lines 991 to 1390 of 2001"


def test_status_of_a_batch_that_does_not_run(tmp_path: Path) -> None:
    told = report.status(batch(tmp_path, KERNELS)).splitlines()
    assert told[0] == "3 of 4 results: 2 PROVED, 1 UNSUPPORTED"
    assert told[1] == "no batch is running here: the same command goes on where it stopped"
    with pytest.raises(UsageError, match="not the output folder of a batch"):
        report.write(tmp_path / "sources")
