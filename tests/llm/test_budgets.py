"""Budgets: no call is made whose worst case does not fit, and what calls took is accounted for."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metalift.llm.ask import NoAnswer, OutOfBudget, Question
from metalift.llm.budget import PROMPT_EXTRA, Budget, Limits, usage, worst_case
from metalift.llm.models import Price
from metalift.llm.opening import LlmOptions
from metalift.llm.remote import CONCURRENT
from tests.support.asking import PROTOCOLS, QUESTION, asker, outcome
from tests.support.llm_server import Cut, LlmServer, Slow, Status, Text, Together, llm_server

WORST_IN = len(QUESTION.text) + PROMPT_EXTRA


def questions(count: int) -> list[Question]:
    """Different ones, of the same length."""
    return [Question("kernel", 1, f"{number:04}{QUESTION.text[4:]}") for number in range(count)]


def priced(server: LlmServer, protocol: str, folder: Path, price: str = "{ input = 10.0, output = 100.0 }") -> Path:
    """A file with the price of the server's model."""
    path = folder / "prices.toml"
    path.write_text(f'[price]\n"{server.model(protocol)}" = {price}\n', encoding="utf-8")
    return path


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_calls(protocol: str, tmp_path: Path) -> None:
    with llm_server("yes") as server:
        who = asker(tmp_path, server.model(protocol), options=LlmOptions(limits=Limits(calls=3)))
        found = [outcome(who, question) for question in questions(5)]
    assert [isinstance(one, OutOfBudget) for one in found] == [False, False, False, True, True]
    assert len(server.received) == 3


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_tokens(protocol: str, tmp_path: Path) -> None:
    """Each call takes 120 tokens; its worst case is all bytes of the prompt and the longest answer."""
    limit = 3 * 120 + WORST_IN + 1000
    options = LlmOptions(limits=Limits(tokens=limit), answer_tokens=1000)
    with llm_server("yes") as server:
        who = asker(tmp_path, server.model(protocol), options=options)
        found = [outcome(who, question) for question in questions(5)]
    assert [isinstance(one, OutOfBudget) for one in found] == [False, False, False, False, True]
    assert who.spent.tokens == 4 * 120 <= limit
    assert f"may take {WORST_IN + 1000:,} tokens (prompt {WORST_IN:,}, answer 1,000)" in str(found[-1])
    assert f"{limit - 480:,} of {limit:,} are left" in str(found[-1])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_money(protocol: str, tmp_path: Path) -> None:
    """At 10 and 100 dollars for a million tokens, each call costs 100 * 10 + 20 * 100 millionths of them: 0.003."""
    worst = (WORST_IN * 10 + 1000 * 100) / 1e6
    with llm_server("yes") as server:
        prices = priced(server, protocol, tmp_path)
        options = LlmOptions(limits=Limits(cost=2.5 * 0.003 + worst), answer_tokens=1000, prices=prices)
        who = asker(tmp_path, server.model(protocol), options=options)
        found = [outcome(who, question) for question in questions(5)]
    assert [isinstance(one, OutOfBudget) for one in found] == [False, False, False, True, True]
    assert who.spent.cost is not None and math.isclose(who.spent.cost, 3 * 0.003)
    assert f"may cost ${worst:.4f}" in str(found[-1]) and "--max-cost gives more" in str(found[-1])
    first = found[0]
    assert not isinstance(first, NoAnswer) and math.isclose(first[0].cost, 0.003)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_call_that_may_have_been_worked_on_counts_as_its_worst_case(protocol: str, tmp_path: Path) -> None:
    for step, tokens in (
        (Cut(), WORST_IN + 1000),
        (Slow(5), WORST_IN + 1000),
        (Status(400), 0),
        (Text("ok", None), WORST_IN + 1000),
    ):
        options = LlmOptions(limits=Limits(calls=1), answer_tokens=1000, call_seconds=0.3)
        with llm_server(step) as server:
            who = asker(tmp_path, server.model(protocol), options=options)
            outcome(who)
        assert (who.spent.tokens, who.spent.calls) == (tokens, 1), step


@pytest.mark.parametrize("tokens", [(-5, 20), (10**12, 20), ("many", 20), (1.5, 20), (None, 20)])
def test_a_count_that_is_none_counts_as_the_worst_case(tokens: tuple[int, int], tmp_path: Path) -> None:
    with llm_server(Text("ok", tokens)) as server:
        who = asker(tmp_path, server.model("openai"))
        assert who.ask(QUESTION)[0].tokens_in == WORST_IN
    assert who.spent.tokens == WORST_IN + 20


def test_more_samples_than_the_budget_has_calls(tmp_path: Path) -> None:
    with llm_server("yes") as server:
        who = asker(tmp_path, server.model("openai"), options=LlmOptions(samples=20, limits=Limits(calls=6)))
        assert len(who.ask(QUESTION)) == 6
        assert isinstance(outcome(who, questions(1)[0]), OutOfBudget)
    assert len(server.received) == 6


def test_samples_wait_for_what_others_set_aside(tmp_path: Path) -> None:
    """The worst cases of two calls do not fit together; what one call takes leaves room for the next."""
    options = LlmOptions(samples=5, answer_tokens=1000, limits=Limits(tokens=2000))
    with llm_server("yes") as server:
        assert len(asker(tmp_path, server.model("openai"), options=options).ask(QUESTION)) == 5
    assert server.most_at_once == 1


def test_calls_are_concurrent(tmp_path: Path) -> None:
    with llm_server(Together(threading.Barrier(CONCURRENT, timeout=60))) as server:
        replies = asker(tmp_path, server.model("openai"), options=LlmOptions(samples=2 * CONCURRENT)).ask(QUESTION)
    assert len(replies) == len(server.received) == 2 * CONCURRENT
    assert server.most_at_once == CONCURRENT


def test_an_ensemble_answers_in_its_order(tmp_path: Path) -> None:
    with llm_server("first") as one, llm_server(Status(400)) as two, llm_server("third") as three:
        names = (one.model("anthropic"), two.model("google"), three.model("openai"), one.model("anthropic"))
        replies = asker(tmp_path, *names).ask(QUESTION)
    assert [(reply.model, reply.text) for reply in replies] == [(names[0], "first"), (names[2], "third")]
    assert [len(server.received) for server in (one, two, three)] == [1, 1, 1]


def test_a_model_of_an_ensemble_that_fails_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with llm_server("yes") as one, llm_server(Status(404, "no such model")) as two:
        asker(tmp_path, one.model("openai"), two.model("google")).ask(QUESTION)
    assert caplog.messages == [f"{two.model('google')}: the server answers with status 404: no such model"]


AMOUNTS = st.tuples(st.integers(0, 2000), st.integers(1, 2000), st.floats(0, 1), st.floats(0, 1))


@given(st.lists(AMOUNTS, max_size=30), st.integers(1, 20), st.integers(1, 20_000), st.floats(0, 1))
def test_what_is_spent_stays_within_all_limits(
    calls: list[tuple[int, int, float, float]], most_calls: int, most_tokens: int, most_cost: float
) -> None:
    """As long as no call takes more than its worst case."""
    price, limits = Price(10.0, 100.0), Limits(most_calls, most_tokens, most_cost)
    budget = Budget(limits)
    made = 0
    for size, answer_tokens, share_in, share_out in calls:
        worst = worst_case("x" * size, answer_tokens, price)
        before = budget.spent
        try:
            budget.reserve("m", worst)
        except OutOfBudget:
            assert budget.spent == before
            continue
        made += 1
        budget.settle(worst, usage(int(worst.tokens_in * share_in), int(answer_tokens * share_out), price))
    spent = budget.spent
    assert spent.calls == made <= most_calls and spent.tokens <= most_tokens
    assert spent.cost is not None and spent.cost <= most_cost + 1e-9
