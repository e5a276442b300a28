"""`metalift llm log`: what was asked, answered and spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from metalift.llm.store import Call

HEADER = ("call", "time", "function", "attempt", "model", "in", "out", "cost", "seconds", "result")
RIGHT = {"call", "attempt", "in", "out", "cost", "seconds"}
WIDEST = 60  # characters of a failure


def show(calls: Sequence[Call]) -> str:
    """A line for each call, the oldest first, and what each model took."""
    if not calls:
        return "no model was asked yet"
    rows = [_row(call) for call in calls]
    widths = [max(len(row[column]) for row in (HEADER, *rows)) for column in range(len(HEADER))]
    lines = [_line(row, widths) for row in (HEADER, *rows)]
    models = dict.fromkeys(call.model for call in calls)
    return "\n".join([*lines, "", *(_total(model, [call for call in calls if call.model == model]) for model in models)])


def show_call(call: Call) -> str:
    """One call with its prompt and its answer."""
    title = f"call {call.id}: {call.function}, attempt {call.attempt}, sample {call.sample}, {call.model}, {call.time}"
    taken = f"{call.tokens_in:,} tokens in, {call.tokens_out:,} out, {_money(call.cost)}, {call.seconds:.1f} s"
    result = f"failed: {call.failure}" if call.answer is None else f"--- answer\n{printable(call.answer)}"
    return f"{title}\n{taken}\n--- prompt\n{printable(call.prompt)}\n{result}"


def to_json(calls: Sequence[Call]) -> list[dict[str, object]]:
    """The calls as they are stored: see `Call`."""
    return [asdict(call) for call in calls]


def printable(text: str) -> str:
    """A model's text without what could steer a terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)


def _row(call: Call) -> tuple[str, ...]:
    """One call's cells."""
    return (
        str(call.id),
        call.time.replace("T", " ").removesuffix("+00:00"),
        printable(call.function),
        str(call.attempt),
        call.model,
        f"{call.tokens_in:,}",
        f"{call.tokens_out:,}",
        _money(call.cost),
        f"{call.seconds:.1f}",
        "answered" if call.failure is None else call.failure[:WIDEST],
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """One line of the table, numbers to the right."""
    aligned = (
        cell.rjust(width) if name in RIGHT else cell.ljust(width) for name, cell, width in zip(HEADER, cells, widths, strict=True)
    )
    return "  ".join(aligned).rstrip()


def _total(model: str, calls: Sequence[Call]) -> str:
    """What one model took."""
    failed = sum(call.answer is None for call in calls)
    tokens_in, tokens_out = sum(call.tokens_in for call in calls), sum(call.tokens_out for call in calls)
    known = [call.cost for call in calls if call.cost is not None]
    cost = _money(sum(known) if known else None) + (" and calls without a known price" if 0 < len(known) < len(calls) else "")
    return f"{model}: {len(calls)} calls, {failed} failed; {tokens_in:,} tokens in, {tokens_out:,} out; {cost}"


def _money(cost: float | None) -> str:
    """US dollars."""
    return "?" if cost is None else f"${cost:.4f}"
