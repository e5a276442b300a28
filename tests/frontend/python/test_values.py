"""Values of Python sources that are no plain numbers, from the file to proved code that gives what the source gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift, pipeline
from metalift.frontend.lower.infinities import PREMISE
from metalift.result.verdict import Agreement, FunctionVerdict

SOURCE = Path(__file__).parent / "sources" / "values.py"
PREMISES = {
    "smallest": PREMISE,
    "count_character": "c is one character, given by its code point",
    "palindrome_at_once": "s is given by the code points of its characters",
}


@pytest.mark.quick("largest", "ends", "smallest", "count_character", "closest", "nested_tuples")
@pytest.mark.parametrize(
    "name",
    [
        "largest",
        "first_negative",
        "ends",
        "pair",
        "second_largest",
        "found_by_helper",
        "list_or_none",
        "nested_tuples",
        "smallest",
        "spread",
        "row_minima",
        "vowels",
        "palindrome_at_once",
        "count_character",
        "digit_sum",
        "mapped",
        "inner_append",
        "closest",
        "greatest_or_none",
        "running",
        "same_lists",
    ],
)
def test_proved_and_agrees(name: str, tmp_path: Path) -> None:
    (function,) = lift(SOURCE, functions=[name], to=("numpy",), out=tmp_path).functions
    assert function.verdict is FunctionVerdict.PROVED, (function.diagnostics, function.obligations)
    assert function.targets["numpy"].checked is Agreement.AGREES
    assert PREMISES.get(name, "the source raises no exception") in {each.text for each in function.assumptions}
    assert function.certificate is not None and pipeline.check(Path(function.certificate)).ok


@pytest.mark.parametrize("name, text", [("largest", " else None"), ("ends", "return None, None")])
def test_the_generated_code_returns_none(name: str, text: str, tmp_path: Path) -> None:
    (function,) = lift(SOURCE, functions=[name], to=("numpy",), out=tmp_path).functions
    file = function.targets["numpy"].file
    assert file is not None and text in Path(file).read_text(encoding="utf-8")


def test_sets_are_refused_by_name_where_the_target_has_none(tmp_path: Path) -> None:
    path = tmp_path / "sets.py"
    path.write_text("def both(a: set[int], b: set[int]) -> set[int]:\n    return a.union(b)\n", encoding="utf-8")
    (function,) = lift(path, to=("numpy",), out=tmp_path).functions
    assert any("numpy has no dictionaries and sets" in each.message for each in function.diagnostics), function.diagnostics


def test_a_target_without_none_says_so(tmp_path: Path) -> None:
    (function,) = lift(SOURCE, functions=["largest"], to=("cuda",), out=tmp_path).functions
    assert function.verdict is not FunctionVerdict.PROVED
    assert any("None" in each.message for each in function.diagnostics), function.diagnostics
