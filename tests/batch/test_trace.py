"""`--log-json` and `--trace`: what is in them, and that both are of use when a batch is killed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from metalift.app.batch.events import Began, Ended, Entered, Event, Finished, Left, Measured, Started
from metalift.app.batch.observe import observers
from metalift.app.batch.store import Row
from metalift.result.errors import UsageError


def row(label: str, target: str, ok: bool) -> Row:
    return Row(target, label, target, "PROVED" if ok else "ERROR", ok, 1.5, 0.25, "" if ok else 'it "died"\n', {})


EVENTS: Sequence[Event] = (
    Began(10.0, 2, 0, 0, 0, 2, 2.0),
    Started(10.0, "1", "s/good"),
    Started(10.5, "2", "s/dies"),
    Entered(11.0, "1", "s/good", "proof"),
    Entered(11.25, "2", "s/dies", "compile"),
    Left(12.0, "1", "s/good", "proof"),
    Finished(12.5, "1", "s/good", (row("s/good", "numpy", True), row("s/good", "pytorch", True)), 1.0),
    Finished(13.0, "2", "s/dies", (row("s/dies", "numpy", False),), 1.0),
    Ended(13.5, True),
)


def written(folder: Path, events: Sequence[Event]) -> tuple[str, str]:
    """The log and the trace as they are while the batch still runs."""
    log, trace = folder / "deep" / "log.jsonl", folder / "trace.json"
    with observers(log, trace) as listeners:
        for event in events:
            for listen in listeners:
                listen(event)
        return log.read_text(), trace.read_text()


def spans(events: Sequence[dict[str, Any]]) -> list[tuple[int, str, float, float]]:
    """Thread, name, begin and end in seconds of what began and ended, by the rules of the format."""
    found: list[tuple[int, str, float, float]] = []
    begun: dict[int, list[tuple[str, float]]] = {}
    for event in events:
        own = begun.setdefault(event["tid"], [])
        if event["ph"] == "B":
            own.append((event["name"], event["ts"] / 1e6))
        elif event["ph"] == "E":
            name, at = own.pop()
            assert name == event["name"]
            found.append((event["tid"], name, at, event["ts"] / 1e6))
    assert not any(begun.values())
    return found


def test_a_trace_has_kernels_and_their_stages(tmp_path: Path) -> None:
    events = json.loads(written(tmp_path, EVENTS)[1])
    assert spans(events) == [
        (1, "proof", 11.0, 12.0),
        (1, "s/good", 10.0, 12.5),
        (2, "compile", 11.25, 13.0),
        (2, "s/dies", 10.5, 13.0),
    ]
    assert [event["args"] for event in events if event["ph"] == "C"][-1] == {"proved": 2, "other": 1}
    names = {event["args"]["name"] for event in events if event["ph"] == "M"}
    assert names == {"metalift batch", "measuring", "worker 1", "worker 2"}


def test_a_trace_has_what_is_measured(tmp_path: Path) -> None:
    more = (*EVENTS[:-1], Measured(15.0, "s/good", {"problem": "none"}), Measured(15.5, "s/other", {"problem": "none"}))
    events = json.loads(written(tmp_path, more)[1] + "]")
    found = [(event["name"], event["ts"] / 1e6, event["dur"] / 1e6) for event in events if event["ph"] == "X"]
    assert found == [("s/good", 13.0, 2.0), ("s/other", 15.0, 0.5)]


def test_a_kernel_that_begins_again_elsewhere_ends_first(tmp_path: Path) -> None:
    again = (*EVENTS[:5], Started(14.0, "3", "s/good"), Started(15.0, "2", "s/other"), Ended(16.0, False))
    assert spans(json.loads(written(tmp_path, again)[1])) == [
        (1, "proof", 11.0, 14.0),
        (1, "s/good", 10.0, 14.0),
        (2, "compile", 11.25, 15.0),
        (2, "s/dies", 10.5, 15.0),
        (2, "s/other", 15.0, 16.0),
        (3, "s/good", 14.0, 16.0),
    ]


@pytest.mark.parametrize("count", range(1, len(EVENTS)))
def test_a_trace_is_whole_but_for_its_end_at_any_moment(tmp_path: Path, count: int) -> None:
    log, trace = written(tmp_path, EVENTS[:count])
    assert json.loads(trace + "]")[0]["ph"] == "M"
    assert len([json.loads(line) for line in log.splitlines()]) == count


def test_a_log_has_an_object_for_each_event(tmp_path: Path) -> None:
    events = [json.loads(line) for line in written(tmp_path, EVENTS)[0].splitlines()]
    assert [event["event"] for event in events] == [type(event).__name__.lower() for event in EVENTS]
    assert events[7]["rows"] == [
        {"target": "numpy", "verdict": "ERROR", "ok": False, "seconds": 1.5, "prover": 0.25, "reason": 'it "died"\n'}
    ]


def test_a_log_is_gone_on_with_and_a_trace_is_new(tmp_path: Path) -> None:
    written(tmp_path, EVENTS)
    log, trace = written(tmp_path, EVENTS)
    assert len(log.splitlines()) == 2 * len(EVENTS) and len(spans(json.loads(trace))) == 4


def test_a_file_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="cannot be written"), observers(tmp_path, None):
        pass
    with observers(Path("/dev/full"), None) as (listen,):
        listen(EVENTS[0])
        listen(EVENTS[1])
    assert capsys.readouterr().err.count("cannot be written any more") == 1
