"""`metalift explain`: every word that a report can print has a text and an example; an unknown one gets the nearest."""

from __future__ import annotations

import tomllib

import pytest

from metalift.app.explain import KINDS, TEXTS, explain, listing, topics
from tests.support.commands import metalift

MEMBERS = [member for kind in KINDS for member in kind]


def test_every_verdict_and_origin_has_a_text_and_no_text_is_left_over() -> None:
    tables = tomllib.loads(TEXTS.read_text(encoding="utf-8"))
    assert {kind: set(table) for kind, table in tables.items()} == {kind.__name__: set(kind.__members__) for kind in KINDS}
    for topic in topics():
        assert len(topic.text) > 60 and topic.text.endswith(".") and topic.example.strip(), topic.word


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: f"{type(member).__name__}.{member.name}")
def test_is_found_by_the_word_of_the_report_and_by_its_name(member: object) -> None:
    for topic in topics():
        if topic.member is member:
            for asked in (topic.word, topic.word.upper(), *topic.names):
                assert topic.text in " ".join(explain(asked).split())
            assert topic.word in listing()


def test_a_word_of_several_kinds_gets_all_its_texts() -> None:
    assert explain("PROVED").count("Example:") == 2


@pytest.mark.parametrize("asked", ["overlap", "real arithmetic", "not lifted", "assume"])
def test_short_forms(asked: str) -> None:
    done = metalift("explain", *asked.split())
    assert done.status == 0 and "Example:" in done.output


def test_unknown_word_names_the_nearest() -> None:
    done = metalift("explain", "PROOVED")
    assert (done.status, done.output) == (2, "")
    assert "did you mean proved" in done.errors and "Traceback" not in done.errors
    assert metalift("explain", "zzz").status == 2
    assert "real arithmetic" in metalift("explain").output
