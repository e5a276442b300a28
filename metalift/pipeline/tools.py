"""The processes that the comparison of generated code with its source needs, and the inputs of that comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache

from metalift.check.assumptions import Stated
from metalift.ir.expr.nodes import Expr
from metalift.ir.program.assumption import Overlap
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary
from metalift.pipeline.context import Job
from metalift.pipeline.target import start_worker
from metalift.run.compare.cases import Reference, references
from metalift.run.inputs.inputs import Run
from metalift.run.workers.jobs import NotRunnable, Runnable
from metalift.run.workers.process import Worker

COMPARED = 220  # inputs for the generated code; of these some are discarded, because rounding decides about a branch


@dataclass(frozen=True, slots=True)
class Tools:
    """Processes that were started early: the compiler, and one for each target; a text says why there is none.

    `executed` is what the source's runs are compared with.
    """

    executed: Fragment
    native: Runnable | str
    workers: Mapping[str, Worker | str]


def start_tools(job: Job, fragment: Fragment, stack: ExitStack) -> Tools:
    """Start what the comparison of the generated code with the source will need."""
    workers: dict[str, Worker | str] = {}
    for target in job.targets:
        worker = start_worker(job.target(target))
        workers[target] = stack.enter_context(worker) if isinstance(worker, Worker) else worker
    executed = job.executed(fragment)
    if isinstance(executed, str):
        return Tools(fragment, executed, workers)
    try:
        return Tools(executed, stack.enter_context(job.native(executed)), workers)
    except NotRunnable as problem:
        return Tools(executed, str(problem), workers)


def compared_on(
    tools: Tools, fragment: Fragment, stated: Sequence[Stated], summary: Summary, tried: Sequence[Run]
) -> Callable[[tuple[Expr, ...]], Sequence[Reference]]:
    """The inputs on which code is compared, by the conditions that they satisfy."""

    @cache
    def found(conditions: tuple[Expr, ...]) -> Sequence[Reference]:
        pairs = [one.assumption for one in stated if one.assumption.overlap is not Overlap.DISJOINT]
        embedded = {param.var.name for param in fragment.params if param.embedded}
        shared = [pair.arrays for pair in pairs if pair.arrays and embedded.isdisjoint(pair.arrays)]
        first = tried if tools.executed == fragment else ()
        return references(tools.executed, conditions, extents=summary.shapes, shared=shared, wanted=COMPARED, first=first)

    return found
