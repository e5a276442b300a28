"""Intermediates of an answer that have the values of the summary's: named alike, each is proved on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.ir.expr.nodes import Expr, Var
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import substitute
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, Value, evaluate
from metalift.ir.program.summary import Let, Summary, TargetProgram
from metalift.run.inputs.inputs import Run
from metalift.synth.propose.trials import quickest

LIMIT = 50_000  # steps of one evaluation
LOOKED_AT = 12  # runs
STEPS = 2_000  # of the source that these may take together


def identified(program: TargetProgram, summary: Summary, driver: Driver, sample: Sequence[Run]) -> TargetProgram:
    """The program in which a scalar that equals one of the summary's on all runs has its name.

    That they are equal is then an obligation, so a coincidence loses a proof at most.
    """
    if not program.lets or not summary.bindings:
        return program
    envs = [run.input.env() for run in quickest(sample[:LOOKED_AT], STEPS)]
    wanted = {binding.var: values for binding in summary.bindings if (values := _values(binding.var, binding.value, envs))}
    renamed: dict[Var, Expr] = {}
    lets: list[Let] = []
    for let in program.lets:
        found = _values(let.var, expand(let.value, driver), envs)
        same = next((var for var, values in wanted.items() if var.type == let.var.type and values == found), None)
        value = substitute(let.value, renamed)
        if same is None:
            lets.append(Let(let.var, value))
            continue
        del wanted[same]
        renamed[let.var] = same
        lets.append(Let(same, value))
    writes = tuple(replace(write, window=substitute(write.window, renamed)) for write in program.writes)
    rest = replace(program, lets=(), writes=writes).map(lambda value: substitute(value, renamed))
    return replace(rest, lets=tuple(lets))


def _values(var: Var, value: Expr, envs: Sequence[dict[str, Value]]) -> list[Value | None] | None:
    """A scalar's value in each run, which is bound to its name there; None where it has none anywhere, or is a tensor."""
    values: list[Value | None] = []
    for env in envs:
        try:
            env[var.name] = evaluate(value, env, limit=LIMIT)
            values.append(env[var.name])
        except (SourceUndefined, LimitExceeded, KeyError):
            values.append(None)
    known = any(each is not None for each in values)
    return values if known and not isinstance(var.type, TensorType) else None
