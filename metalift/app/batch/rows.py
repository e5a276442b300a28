"""From what a worker says of a kernel to its rows, one for each target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from metalift.app.batch.engine import Answer, Task
from metalift.app.batch.store import Row
from metalift.result.verdict import FunctionVerdict


def rows_of(task: Task, answer: Answer) -> list[Row]:
    """The rows of a task's targets."""
    if "problem" in answer:
        return without_result(task, answer["problem"], answer["seconds"])
    return [_row(task, target, answer) for target in task.keys]


def without_result(task: Task, problem: str, seconds: float) -> list[Row]:
    """The rows of a kernel of which nothing is known but what went wrong."""
    verdict = FunctionVerdict.ERROR.value
    label = task.kernel.label
    return [Row(key, label, target, verdict, False, seconds, 0.0, problem, {}) for target, key in task.keys.items()]


def _row(task: Task, target: str, answer: Answer) -> Row:
    """The row of one target."""
    function = dict(answer["function"])
    own = function["targets"].get(target, {})
    function["targets"] = {target: own} if own else {}
    prover = sum(float(one["seconds"]) for one in function["obligations"])
    verdict = own.get("verdict", function["verdict"])
    ok = verdict == FunctionVerdict.PROVED.value and own.get("ok", False)
    made = Row(task.keys[target], task.kernel.label, target, verdict, ok, answer["seconds"], prover, "", function)
    return replace(made, reason="" if ok else _reason(function, own))


def _reason(function: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    """Why a kernel does not count."""
    messages = [diagnostic["message"] for diagnostic in function["diagnostics"]]
    open_ = [one for one in function["obligations"] if one["verdict"] != "PROVED"]
    unproved = [f"{one['name']}: {one['verdict']} {one['reason']}" for one in open_]
    differs = [f"the code {own['checked']}: {own['engine']}"] if own and own.get("checked") != "agrees" else []
    return next(iter([*messages, *unproved, *differs]), "")
