"""Verdict NOT_LIFTED, exit status 1: the best candidate is shown, and what it fails on."""

from __future__ import annotations

from pathlib import Path

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
int gcd(int a, int b) {
    while (b != 0) {
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}
"""


def test_a_fold_that_no_operator_covers(tmp_path: Path) -> None:
    done = lift_text(HASH, tmp_path)
    assert done.status == 1, done.errors
    function = done.function
    assert function["verdict"] == "NOT_LIFTED"
    assert function["attempt"]["summary"]
    assert function["attempt"]["obligation"] or function["attempt"]["input"]
    assert not list((tmp_path / "out").rglob("*.py"))


def test_a_loop_that_does_not_count(tmp_path: Path) -> None:
    function = lift_text(GCD, tmp_path).function
    assert function["verdict"] == "NOT_LIFTED"
    assert function["attempt"] is not None


def test_the_report_shows_the_candidate(tmp_path: Path) -> None:
    source = tmp_path / "hash.c"
    source.write_text(HASH, encoding="utf-8")
    done = metalift("lift", source, "--out", tmp_path / "out")
    assert done.status == 1
    assert "NOT_LIFTED" in done.output
    assert "best candidate" in done.output
