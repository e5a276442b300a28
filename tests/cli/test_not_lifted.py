"""Verdict NOT_LIFTED, exit status 1: the best candidate is shown, and what it fails on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.commands import lift_text, metalift

HASH = """\
unsigned hash(const unsigned *s, int n) {
    unsigned h = 5381;
    for (int i = 0; i < n; i++) {
        h = (h << 5) ^ (h >> 27) ^ s[i];
    }
    return h;
}
"""


GCD = """\
unsigned gcd(unsigned a, unsigned b) {
    while (b != 0) {
        unsigned t = a % b;
        a = b;
        b = t;
    }
    return a;
}
"""


BINS = """\
void bins(int n, int *h, const int *k) {
    for (int i = 0; i < n; i++) h[k[i]] = h[k[i]] * 2 + i;
}
"""


ENDED = """\
void ended(int *h, const int *k) {
    for (int i = 0; k[i] >= 0; i++) h[k[i]] = h[k[i]] * 2 + i;
}
"""


ELSEWHERE = "mlx"  # where loops cannot stay loops


@pytest.mark.parametrize("source", [HASH, GCD], ids=["hash", "gcd"])
def test_a_loop_stays_a_loop(source: str, tmp_path: Path) -> None:
    function = lift_text(source, tmp_path).function
    assert function["verdict"] == "PROVED"
    assert any("this loop stays a loop" in each["message"] for each in function["diagnostics"])
    (file,) = (tmp_path / "out").rglob("numpy/*.py")
    assert re.search(r"\n    (for|while) ", file.read_text(encoding="utf-8"))


def test_a_fold_that_no_operator_covers(tmp_path: Path) -> None:
    done = lift_text(BINS, tmp_path, "--to", ELSEWHERE)
    assert done.status == 1, done.errors
    function = done.function
    assert function["verdict"] == "NOT_LIFTED"
    assert function["attempt"]["summary"]
    assert function["attempt"]["obligation"] or function["attempt"]["input"]
    assert not list((tmp_path / "out").rglob("*.py"))


def test_a_loop_that_does_not_count(tmp_path: Path) -> None:
    function = lift_text(ENDED, tmp_path, "--to", ELSEWHERE).function
    assert function["verdict"] == "NOT_LIFTED"
    assert function["attempt"] is not None


def test_the_report_shows_the_candidate(tmp_path: Path) -> None:
    source = tmp_path / "bins.c"
    source.write_text(BINS, encoding="utf-8")
    done = metalift("lift", source, "--to", ELSEWHERE, "--out", tmp_path / "out", "-v")
    assert done.status == 1
    assert "NOT_LIFTED" in done.output
    assert "best candidate" in done.output
