"""`metalift optimise`: the kernel that is found is proved and checked without the search, which goes on after it was killed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metalift import cli
from metalift.check.recheck import check
from metalift.pipeline.optimising import Limits, Optimised, optimise
from metalift.pipeline.search_log import Candidate, SearchLog
from metalift.prove.solver import SolverPool
from metalift.result.errors import UsageError

SOURCE = """void centre(float *y, const float *x, int n) {
    float m = 0; for (int i = 0; i < n; i++) m += x[i];
    m /= n; for (int i = 0; i < n; i++) y[i] = x[i] - m; }"""
FEW = Limits(beam=2, rounds=2, best=2)


def found(folder: Path, limits: Limits = FEW) -> Optimised:
    source = folder / "centre.c"
    source.write_text(SOURCE, encoding="utf-8")
    (one,) = optimise(source, to="nki", out=folder / "out", limits=limits)
    return one


@pytest.mark.quick()
def test_what_is_found_is_proved_and_checked_without_the_search(tmp_path: Path, pool: SolverPool) -> None:
    one = found(tmp_path)
    assert one.proved, one
    assert one.lifted is not None
    (certificate,) = one.lifted.certificates
    log = SearchLog.open(tmp_path / "out" / "search" / "centre", json.loads(lines(tmp_path)[0])["search"])
    best = next(key for key, verdict in one.tried if verdict == "PROVED")
    assert (Path(certificate) / "kernels" / "nki.txt").read_text() == log.text(best)
    (tmp_path / "out" / "search").rename(tmp_path / "elsewhere")
    assert check(Path(certificate), pool, "cvc5", False, None, None, ()).ok


def lines(folder: Path) -> list[str]:
    return (folder / "out" / "search" / "centre" / "search.jsonl").read_text(encoding="utf-8").splitlines()


@pytest.mark.quick()
def test_a_search_goes_on_where_it_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log ends in the middle of a line; what was found before is neither lost nor done again."""
    monkeypatch.setattr("metalift.pipeline.optimising.Search.proved", lambda *_: iter(()))
    found(tmp_path)
    whole = lines(tmp_path)
    path = tmp_path / "out" / "search" / "centre" / "search.jsonl"
    cut = 2 * len(whole) // 3
    path.write_text("\n".join(whole[:cut]) + '\n{"candidate": {"key', encoding="utf-8")
    found(tmp_path)
    again = lines(tmp_path)
    assert again[:cut] == whole[:cut]
    assert sorted(again) == sorted(whole)


def test_a_budget_that_ends_leaves_the_best_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metalift.pipeline.optimising.Search.proved", lambda *_: iter(()))
    one = found(tmp_path, Limits(seconds=0.0))
    assert one.candidates and one.left == "the time was over in round 1 of 8"


def test_a_log_of_another_search_is_begun_anew(tmp_path: Path) -> None:
    log = SearchLog.open(tmp_path, "one")
    log.add(Candidate("k", "", "default", (), "", 0, 1.0), "text")
    assert SearchLog.open(tmp_path, "one").candidates == log.candidates
    assert SearchLog.open(tmp_path, "two").candidates == {}
    (tmp_path / "search.jsonl").write_text('{"search": "two"}\n{"candidate": {"no": 1}}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="is no log of a search"):
        SearchLog.open(tmp_path, "two")


def test_targets_without_moves_are_bad_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "f.c"
    source.write_text(SOURCE, encoding="utf-8")
    assert cli.main(["optimise", str(source), "--to", "numpy"]) == 2
    assert "no moves for numpy" in capsys.readouterr().err
