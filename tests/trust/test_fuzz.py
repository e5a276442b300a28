"""A fixed share of the fuzzing in benchmarks/fuzz.py and guided.py, their corpus, and the texts that once made a reader fail."""

from __future__ import annotations

import pytest

from benchmarks import guided
from benchmarks.fuzz import TARGETS, campaign, problem

COUNTS = {"llvm": 100, "python": 400, "assumptions": 1000, "terms": 1500, "answers": 1000, "data": 600}
COUNTS |= {"certificates": 400, "manifests": 300}
FOUND = {
    "an index of a million digits": ("terms", "x[1e999999]"),
    "a number of a billion digits": ("terms", "1e999999999"),
    "a number with more digits than Python prints": ("terms", "x[" + "9" * 5000 + "]"),
    "a number of thousands of digits that is written with few": ("terms", "199e9999"),
    "the same in a condition": ("assumptions", "1e9990"),
    "a type of more bits than Python reads": ("terms", "3:i" + "9" * 5000),
    "a type whose bits are no decimal digits": ("terms", "3:i²"),
    "a fraction of a billion digits": ("data", '{"fraction": "1e999999999"}'),
    "a claim with a fraction of a billion digits": ("certificates", '{"summary": {"fraction": "1e999999999"}}'),
    "a number of thousands of digits in a manifest": ("manifests", "n = " + "9" * 5000),
    "a comparison that ends before its type": ("llvm", "define i32 @f(i32 %n) {\nentry:\n  %c = icmp slt\n  ret i32 %n\n}\n"),
    "a claim that is nested too deeply": ("certificates", "[" * 100_000),
}


@pytest.mark.parametrize("name", TARGETS)
def test_changed_texts_are_read_or_refused(name: str) -> None:
    assert campaign(name, COUNTS[name], 60, seed=1) == {}


@pytest.mark.parametrize("name", TARGETS)
def test_texts_of_the_corpus_are_read_or_refused(name: str) -> None:
    """They reach more branches of the readers than random changes do."""
    texts = guided.known(name)
    assert texts and {said for text in texts if (said := problem(TARGETS[name], text))} == set()


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_stays_mended(name: str) -> None:
    reader, text = FOUND[name]
    assert problem(TARGETS[reader], text) == ""
