"""Recorded answers with loops, each changed in one place: none is proved, and what goes back is an input."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.llm import OWN, Counted, answer_stem
from benchmarks.suites import Kernel, read_suite
from metalift import pipeline
from metalift.pipeline.proposer import Proposer
from metalift.result.verdict import FunctionVerdict
from tests.support.scripted import Scripted

CHANGES = {  # of a kernel: what stands in the answer, and what stands there instead
    "gcd": ("return abs(a)", "return a"),
    "integer_root": ("<= n:", "< n:"),
    "binary_search": ("while low <= high", "while low < high"),
    "insert_sorted": ("a[i - 1] > value", "a[i - 1] >= value and i > 1"),
    "merge_sorted": ("if a[i] <= b[j]", "if a[i] < b[j] or j > 7"),
    "bubble_sort": ("range(1, n)", "range(1, n - 1)"),
    "insertion_sort": ("j >= 0 and", "j > 0 and"),
    "majority_vote": ("2 * times > n", "2 * times >= n"),
    "two_pointers": ("while left < right", "while left <= right"),
    "sliding_maximum": ("queue[head] <= i - k", "queue[head] < i - k"),
    "power": ("base = (base * base) & 0xFFFFFFFF", "base = (base * base) & 0x7FFFFFFF"),
    "string_match": ("range(n - m + 1)", "range(n - m)"),
    "bracket_depth": ("deepest if depth == 0", "deepest if depth >= 0"),
    "partition": ("a[i] < pivot", "a[i] <= pivot"),
    "next_permutation": ("a[j] <= a[i]", "a[j] < a[i]"),
    "digit_reversal": ("n //= 10", "n = n // 10 if n != 4321 else 11"),
    "longest_run": ("tail - head > k", "tail - head >= k"),
    "union_of_intervals": ("covered += end - begin", "covered += end - begin if i != 5 else 7"),
    "collatz_steps": ("steps < limit", "steps <= limit"),
}


KERNELS = [replace(each, path=each.path.resolve()) for each in read_suite("hard") if each.name in CHANGES]


@pytest.mark.quick(every=5)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda each: each.name)
def test_it_is_not_proved(kernel: Kernel) -> None:
    old, new = CHANGES[kernel.name]
    right = (OWN / f"{answer_stem(kernel)}-1.answer.md").read_text(encoding="utf-8")
    assert old in right
    asker = Counted(Scripted([right.replace(old, new)]), 1, kernel.name)
    (result,) = pipeline.lift(
        kernel.path, functions=[kernel.function], to=("numpy",), timeout=2.0, proposer=Proposer(False, asker)
    ).functions
    assert result.verdict is FunctionVerdict.NOT_LIFTED
    assert any("wrong on" in each.message for each in result.diagnostics)
