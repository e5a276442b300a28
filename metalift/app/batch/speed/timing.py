"""Timing forms in turns, so that whatever else the machine does meets all of them alike; then their outputs are compared."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from metalift.app.batch.speed.forms import Emitted, Form

SECONDS = 1.5  # for all rounds of one size
MOST_SECONDS = 8.0
ROUNDS = (5, 60)  # at least, unless that takes too long, and at most
CONVERTING = 3  # rounds
TOLERANCE = {4: 1e-3, 8: 1e-9}  # of floats by their bytes, relative to the largest: sums are added in other orders


def timed(forms: Sequence[Form]) -> dict[str, dict[str, Any]]:
    """What is reported of each form, by its name; the first is what the others are compared with."""
    found: dict[str, dict[str, Any]] = {form.name: {} for form in forms}
    working: list[Form] = []
    for form in forms:
        began = time.perf_counter()
        problem = _tried(form)
        found[form.name]["first_seconds"] = time.perf_counter() - began
        if problem:
            found[form.name] = {"problem": problem}
        else:
            working.append(form)
    samples = _rounds(working)
    for form in working:
        found[form.name] |= _statistics(samples[form.name])
        if isinstance(form, Emitted):
            found[form.name]["with_conversion"] = _converting(form)
    reference = forms[0].outputs() if forms[0] in working else None
    for form in working:
        found[form.name]["agrees"] = reference is not None and agree(reference, form.outputs())
    return found


def _tried(form: Form) -> str:
    """Why a first call, in which libraries compile, fails; empty where it does not."""
    try:
        form.prepare()
        form.call()
        return ""
    except Exception as problem:  # noqa: BLE001 - a library may raise anything; that is what is reported of this form
        lines = str(problem).strip().splitlines() or [""]
        return f"{type(problem).__name__}: {lines[0]}"


def _rounds(forms: Sequence[Form]) -> dict[str, list[float]]:
    """Times of calls in turns."""
    samples: dict[str, list[float]] = {form.name: [] for form in forms}
    least, most = ROUNDS
    began = time.perf_counter()
    for number in range(most):
        spent = time.perf_counter() - began
        if (number >= least and spent > SECONDS) or (number > 0 and spent > MOST_SECONDS):
            break
        for form in forms:
            form.prepare()
            samples[form.name].append(form.call())
    return samples


def _statistics(samples: Sequence[float]) -> dict[str, Any]:
    quartiles = statistics.quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else [samples[0]] * 3
    return {"median": quartiles[1], "quartiles": [quartiles[0], quartiles[2]], "runs": len(samples)}


def _converting(form: Emitted) -> float:
    return statistics.median(form.call_converting() for _ in range(CONVERTING))


def agree(expected: Sequence[Any], found: Sequence[Any]) -> bool:
    """Whether two forms computed the same: integers are equal, floats as close as other orders of adding leave them."""
    if len(expected) != len(found):
        return False
    return all(_alike(np.asarray(left), np.asarray(right)) for left, right in zip(expected, found, strict=True))


def _alike(left: Any, right: Any) -> bool:  # noqa: ANN401
    if left.shape != right.shape:
        return False
    if left.dtype.kind != "f":
        return bool(np.array_equal(left, right))
    if not left.size:
        return True
    finite = np.isfinite(left)  # what a recurrence makes of values that were drawn may overflow in all forms
    if not np.array_equal(finite, np.isfinite(right)):
        return False
    most = TOLERANCE[left.dtype.itemsize] * float(np.max(np.abs(left[finite]), initial=0.0))
    return bool(np.max(np.abs(left[finite].astype(np.float64) - right[finite].astype(np.float64)), initial=0.0) <= most)


def recommended(sizes: Sequence[Mapping[str, Mapping[str, Any]]]) -> tuple[str, float]:
    """The form that is fastest at the last size among those that agree at all of them, and how much faster than the source."""
    times = {name: each["median"] for name, each in sizes[-1].items() if all(size[name].get("agrees") for size in sizes)}
    best = min(times, key=lambda name: times[name])
    return best, times["source"] / max(times[best], math.ulp(0.0))
