"""A batch's results as CI is told of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from metalift.app.batch.store import Row, Store, Wanted
from metalift.app.ci import Outcome
from metalift.result.verdict import FunctionVerdict


def of(out: Path) -> list[Outcome]:
    """Each result that is there of what the last run asked for."""
    with closing(Store(out, create=False)) as store:
        return [_outcome(wanted, row) for wanted, row in store.each(results=True) if row is not None]


def _outcome(wanted: Wanted, row: Row) -> Outcome:
    reasons = [each for each in row.result.get("reasons", ()) if each["target"] in ("", row.target)]
    reason: Mapping[str, Any] = reasons[0] if reasons else {}
    return Outcome(
        name=f"{wanted.function} to {row.target}",
        file=wanted.path,
        line=reason.get("line") or row.result.get("line", 0),
        good=row.ok,
        wrong=row.verdict == FunctionVerdict.ERROR.value,
        verdict=row.verdict,
        code=reason.get("code", ""),
        message=reason.get("what") or row.reason,
        seconds=row.seconds,
    )
