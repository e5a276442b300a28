"""Answers that a model gave are replayed: what was proved is proved again, after as many calls, and prompts stay short."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest

from benchmarks.llm import OWN, Recorded, answer_stem, measured
from benchmarks.suites import read_suite, suite_names

EXPECTED = tomllib.loads((OWN / "expected.toml").read_text(encoding="utf-8"))
KERNELS = {answer_stem(each): replace(each, path=each.path.resolve()) for suite in suite_names(()) for each in read_suite(suite)}
SHORT = 2_048  # bytes of a prompt beside the source


@pytest.mark.quick(every=5)
@pytest.mark.parametrize("stem", [stem for stem, calls in EXPECTED.items() if calls])
def test_what_was_proved_is_proved_again(stem: str) -> None:
    kernel = KERNELS[stem]
    found = measured(kernel, Recorded(OWN), "numpy", 4, 10.0)
    assert found.proved and found.calls == EXPECTED[stem]
    assert found.prompt <= SHORT


def test_every_recorded_answer_is_expected_to_be_something() -> None:
    recorded = {path.name.rpartition("-")[0] for path in OWN.glob("*.answer.md")}
    assert recorded == set(EXPECTED) and recorded <= KERNELS.keys()


@pytest.mark.parametrize(
    ("stem", "target", "form"),
    [
        ("mapreduce_first_visit_py", "dataframe", "closed"),  # [...][0]
        ("hard_gcd_c", "numpy", "loops"),  # math.gcd, with an invariant that is not read
        ("hard_power_c", "numpy", "loops"),  # **, which takes too long on most inputs
        ("array_argmax_value_bump_c", "nki", "closed"),  # an operator whose code the driver writes itself
    ],
)
def test_answers_of_a_model_that_were_refused_are_read(stem: str, target: str, form: str) -> None:
    found = measured(KERNELS[stem], Recorded(OWN / f"third.{target}.json"), target, 1, 10.0)
    assert found.proved and (found.calls, found.how, found.unread) == (1, form, ())


@pytest.mark.parametrize("who", ["first", "second"])
def test_the_first_of_what_a_condition_keeps_is_proved(who: str) -> None:
    found = measured(KERNELS["mapreduce_first_visit_py"], Recorded(OWN / f"{who}.dataframe.json"), "dataframe", 1, 10.0)
    assert found.proved and found.calls == 1 and not found.unread
