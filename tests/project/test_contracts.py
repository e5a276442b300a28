"""What other programs read: the schema of --json, SARIF and JUnit for CI, the cache."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
import pytest

from metalift.app.ci import Outcome, junit, sarif
from metalift.result import SCHEMA_VERSION
from metalift.result.schema import schema, schema_text
from tests.support.commands import metalift

FILE = Path(__file__).parents[2] / "metalift" / "result" / "schema.json"
SOURCE = """\
int read_sensor(void);
int twice(int x) { return x + x; }
int poll(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += read_sensor();
    return s;
}
void bins(int n, int *h, const int *k) {
    for (int i = 0; i < n; i++) h[k[i]] = h[k[i]] * 2 + i;
}
int never(const int *a) { return a[0] / 0; }
"""
ODD = Outcome('f<"&\x00', "a b/k.c", 3, False, True, "ERROR", "X99", "a & b < c \x01", 0.5)
GOOD = Outcome("g", "k.c", 9, True, False, "PROVED", "", "")


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """A file with functions of several verdicts."""
    path = tmp_path / "kernel.c"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def test_the_schema_file_is_that_of_the_results() -> None:
    assert FILE.read_text(encoding="utf-8") == schema_text(), "write metalift.result.schema.schema_text() to it"
    jsonschema.Draft202012Validator.check_schema(json.loads(schema_text()))


def test_what_is_printed_keeps_to_the_schema(kernel: Path, tmp_path: Path) -> None:
    done = metalift("lift", kernel, "--to", "mlx,numpy", "--out", tmp_path / "out", "--json")
    found = json.loads(done.output)
    jsonschema.validate(found, schema())
    assert found["schema_version"] == SCHEMA_VERSION
    assert {function["verdict"] for function in found["functions"]} >= {"PROVED", "UNSUPPORTED", "NOT_LIFTED"}
    checked = metalift("check", tmp_path / "out" / "certificates" / "twice", "--json")
    jsonschema.validate(json.loads(checked.output), schema())
    for wrong in ({**found, "schema_version": 0}, {**found, "more": 1}, {"schema_version": SCHEMA_VERSION}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema())


def test_a_scan_writes_what_ci_reads(kernel: Path, tmp_path: Path) -> None:
    done = metalift("scan", kernel, "--sarif", tmp_path / "found.sarif", "--junit", tmp_path / "found.xml")
    assert done.status == 0, done.errors
    (run,) = json.loads((tmp_path / "found.sarif").read_text(encoding="utf-8"))["runs"]
    (poll,) = [result for result in run["results"] if result["ruleId"] == "S01" and "poll:" in result["message"]["text"]]
    assert run["tool"]["driver"]["rules"][poll["ruleIndex"]]["id"] == "S01"
    assert poll["locations"][0]["physicalLocation"]["region"] == {"startLine": 5}
    (suite,) = ElementTree.parse(tmp_path / "found.xml").getroot()
    cases = {case.get("name"): [child.tag for child in case] for case in suite}
    assert cases["twice"] == [] and cases["poll"] == ["skipped"] and suite.get("failures") == "0"


def test_a_batch_writes_them_too(kernel: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite.txt"
    suite.write_text(f"{kernel}:twice\n{kernel}:poll\n", encoding="utf-8")
    out = tmp_path / "results"
    done = metalift("batch", suite, "--out", out, "--jobs", "1", "--sarif", tmp_path / "s.sarif", "--junit", tmp_path / "j.xml")
    assert done.status == 1, done.errors
    (run,) = json.loads((tmp_path / "s.sarif").read_text(encoding="utf-8"))["runs"]
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("S01", "note")
    assert ElementTree.parse(tmp_path / "j.xml").getroot().get("tests") == "2"


def test_any_text_is_put_into_both() -> None:
    (suite,) = ElementTree.fromstring(junit("scan", [ODD, GOOD]))
    assert [case.get("name") for case in suite] == ['f<"&?', "g"] and suite[0][0].tag == "failure"
    (run,) = json.loads(sarif([ODD, GOOD]))["runs"]
    (result,) = run["results"]
    assert result["level"] == "error" and result["message"]["text"].startswith('f<"&')


def test_the_cache_is_shown_and_cleared_but_for_paid_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "metalift"
    assert "nothing is kept" in metalift("cache").output
    (folder / "facts").mkdir(parents=True)
    (folder / "facts" / "a.json").write_text("{}", encoding="utf-8")
    (folder / "llm.sqlite").write_bytes(b"x")
    assert "facts" in metalift("cache").output
    done = metalift("cache", "clear")
    assert (done.status, [path.name for path in folder.iterdir()]) == (0, ["llm.sqlite"]) and "--all" in done.output
    assert metalift("cache", "clear", "--all").status == 0 and list(folder.iterdir()) == []
