"""Meanings by structural recursion: they compute in the interpreter what they compute in CPython; other forms are refused."""

# mypy: disable-error-code="operator,comparison-overlap,list-item,return-value,no-any-return"
from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metalift.driver import Bool, DriverError, Elem, Int, Size, Vec, exact
from metalift.driver.meaning.reader import read_meaning
from metalift.ir.expr.types import BOOL, INT, TensorType
from metalift.ir.interp.interpret import evaluate


def squares(x: Vec[Elem]) -> Elem:
    return 0 if not x else x[0] * x[0] + squares(x[1:])


def horner(x: Vec[Elem], b: Elem) -> Elem:
    if len(x) == 0:
        return 0
    rest = horner(x[1:], b)
    return x[0] + b * rest


def largest(x: Vec[Elem]) -> Elem:
    return x[0] if len(x) == 1 else max(x[0], largest(x[1:]))


def total(x: Vec[Elem], acc: Elem) -> Elem:
    return acc if len(x) < 1 else total(x[1:], acc + 2 * x[0])


def two_totals(x: Vec[Elem], a: Elem, b: Elem) -> Elem:
    if x:
        return two_totals(x[1:], a + x[0], a + b) if x[0] > 0 else two_totals(x[1:], b, a - x[0])
    return a - b


def scaled(x: Vec[Elem], s: Elem) -> Vec[Elem]:
    return [] if not x else [x[0] * s, *scaled(x[1:], s)]


def positive(x: Vec[Elem]) -> Vec[Elem]:
    if x == []:
        return []
    if x[0] < 0:
        return [0] + positive(x[1:])
    return [x[0]] + positive(x[1:])


def backwards(x: Vec[Elem]) -> Vec[Elem]:
    return [] if not x else backwards(x[1:]) + [x[0]]


def joined(x: Vec[Elem], y: Vec[Elem]) -> Vec[Elem]:
    return y if not x else [x[0], *joined(x[1:], y)]


def sums(x: Vec[Elem], y: Vec[Elem]) -> Vec[Elem]:
    return [] if not x or not y else [x[0] + y[0]] + sums(x[1:], y[1:])


def taken(x: Vec[Elem], n: Size) -> Vec[Elem]:
    return [] if not x or n <= 0 else [x[0], *taken(x[1:], n - 1)]


def running(x: Vec[Elem], a: Elem) -> Vec[Elem]:
    return [] if not x else [a + x[0], *running(x[1:], a + x[0])]


def doubled(x: Vec[Elem]) -> Vec[Elem]:
    return [] if not x else [x[0], 2 * x[0], *doubled(x[1:])]


def mirrored_pairs(x: Vec[Elem]) -> Vec[Elem]:
    return [] if not x else mirrored_pairs(x[1:]) + [x[0], -x[0]]


def above(x: Vec[Elem], limit: Elem) -> Size:
    return 0 if not x else (1 + above(x[1:], limit) if x[0] > limit else above(x[1:], limit))


def weighted(x: Vec[Int], i: Size) -> Size:
    return 0 if not x else i * exact(x[0]) + weighted(x[1:], i + 1)


def any_negative(x: Vec[Elem]) -> Bool:
    return False if not x else x[0] < 0 or any_negative(x[1:])


NUMBERS = st.lists(st.integers(-9, 9), max_size=7)
NUMBER = st.integers(-4, 6)
FUNCTIONS = (
    squares, horner, largest, total, two_totals, scaled, positive, backwards, joined, sums, taken, running, doubled,
    mirrored_pairs, above, weighted, any_negative,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@given(data=st.data())
def test_they_mean_what_they_compute(function: object, data: st.DataObject) -> None:
    assert callable(function)
    meaning = read_meaning(function)
    types = tuple(TensorType(INT, pattern.rank) if pattern.rank else INT for _, pattern in meaning.params)
    instance = meaning.instantiate(types, None if meaning.result.element == BOOL else INT)
    values = [data.draw(NUMBERS if pattern.rank else NUMBER) for _, pattern in meaning.params]
    env = dict(zip((param.name for param in instance.params), values, strict=True))
    if not all(evaluate(condition, env) for condition in instance.requires):
        return
    found = evaluate(instance.body, env)
    assert (list(found) if hasattr(found, "__iter__") else found) == function(*values)


def test_what_it_needs_is_required() -> None:
    (least,) = read_meaning(largest).instantiate((TensorType(INT),), INT).requires
    assert not evaluate(least, {"x": []})
    assert evaluate(least, {"x": [1]})


REFUSED = {
    "return 0 if not x else x[0] + f(x)": "does not pass x[1:]",
    "return 0 if not x else x[0] + f(x[2:])": "does not pass x[1:]",
    "return 0 if x else x[0] + f(x[1:])": "outside of STEP",
    "return 0 if not x else f(f(x[1:]))": "does not pass x[1:]",
    "return f(x[1:]) if not x else 0": "outside of STEP",
    "return x[0] if not x else x[0] + f(x[1:])": "is not there",
    "return x[1] if len(x) == 1 else f(x[1:])": "is not there",
    "return x[0] + f(x[1:])": "accepted is the form",
    "return 0 if len(x) > 5 else x[0] + f(x[1:])": "does not ask for the end",
    "return 0 if len(x) == 3 else x[0] + f(x[1:])": "does not ask for the end",
    "return 0 if not f(x[1:]) else 1": "does not ask for the end",
    "y = len(x); return 0 if not x else sum([y for y in range(3)]) + f(x[1:])": "accepted is the form",
    "y = len(x); return 0 if not x else sum([y * x for x in range(3)]) + f(x[1:])": "accepted is the form",
}


@pytest.mark.parametrize(("body", "reason"), REFUSED.items())
def test_other_forms_are_refused(body: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "written.py"
    path.write_text(f"from metalift.driver import Elem, Vec\n\ndef f(x: Vec[Elem]) -> Elem:\n    {body}\n", encoding="utf-8")
    names: dict[str, object] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)  # noqa: S102
    function = names["f"]
    assert callable(function)
    with pytest.raises(DriverError, match=r"written.py:4: ") as caught:
        read_meaning(function).instantiate((TensorType(INT),), INT)
    assert reason in str(caught.value)
