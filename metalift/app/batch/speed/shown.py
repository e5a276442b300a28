"""What reports show of what `--measure` found; ratios are how many times as fast as the compiled source a form is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from metalift.app.batch.store import Row

SOURCE = "source"
Speed = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ratios:
    """A kernel on its largest size: of what kind it is, which form is recommended, and the ratio of each that agrees."""

    kind: str
    recommended: str
    forms: Mapping[str, float]

    @property
    def best(self) -> float:
        """That of the fastest form that was generated; the recommended one may be the source itself, where all are slower."""
        return max((ratio for name, ratio in self.forms.items() if name != SOURCE), default=0.0)


def ratios(rows: Iterable[Row | None]) -> Ratios | None:
    """What was measured of a kernel, together if its targets were measured apart; None where nothing was."""
    found = [row.speed for row in rows if row is not None and row.speed and "problem" not in row.speed]
    if not found:
        return None
    forms = {name: ratio for speed in found for name, ratio in _largest(speed).items()}
    first = found[0]
    best = max(forms, key=lambda name: forms[name]) if len(found) > 1 else str(first["recommended"])
    return Ratios(str(first["kind"]), best, forms)


def _largest(speed: Speed) -> dict[str, float]:
    forms = list(speed["sizes"].values())[-1]["forms"]
    source = forms[SOURCE]["median"]
    return {name: source / one["median"] for name, one in forms.items() if one.get("agrees") and one["median"] > 0}


def tables(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """All that was measured of a kernel; what was measured together once."""
    found: list[Speed] = []
    for row in rows:
        if row.speed and row.speed not in found:
            found.append(row.speed)
    return [{"problem": one["problem"]} if "problem" in one else _table(one) for one in found]


def _table(speed: Speed) -> dict[str, Any]:
    """Rows for forms, with a cell for each size."""
    sizes = list(speed["sizes"].items())
    names = dict.fromkeys(name for _, size in sizes for name in size["forms"])
    return {
        "machine": speed["machine"],
        "kind": speed["kind"],
        "recommended": speed["recommended"],
        "sizes": [[name, size["bytes"], size["parameters"]] for name, size in sizes],
        "forms": [[name, [_cell(size["forms"], name) for _, size in sizes]] for name in names],
    }


def _cell(forms: Mapping[str, Mapping[str, Any]], name: str) -> dict[str, Any] | None:
    """A form on a size: its ratio, the median and the quartiles in seconds, or what went wrong."""
    form = forms.get(name)
    if form is None:
        return None
    if "problem" in form:
        return {"problem": form["problem"]}
    source = forms[SOURCE].get("median")
    ratio = source / form["median"] if source and form["median"] > 0 else None
    kept = ("median", "quartiles", "runs", "agrees", "with_conversion", "first_seconds")
    return {"ratio": ratio, **{key: form[key] for key in kept if key in form}}
