"""The texts of a target that is not Python: what its writer makes of an operator's sample program, run by its runner."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

from metalift.app.conformance.changed import smaller
from metalift.app.conformance.cpython import agrees, first_difference
from metalift.app.conformance.programs import SampleProgram
from metalift.app.conformance.same_results import Runs
from metalift.app.conformance.samples import Nested, Sample, application, show
from metalift.check.assumptions import of_target, testable
from metalift.check.claims import claimed, with_target
from metalift.codegen import CannotSpell, Generated, GenerateRequest, generate
from metalift.driver import CannotWrite, Driver, Request, Target
from metalift.driver.layout import DriverFails
from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.types import BOOL
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, Tensor, evaluate
from metalift.ir.program.kernel import Expand, Fused, Loop, Map, Statement, Step, When
from metalift.ir.program.summary import TargetProgram
from metalift.pipeline.target import lowered
from metalift.run.compare.keyed_results import entries
from metalift.run.workers.process import Answer, Worker, WorkerFailed
from metalift.vcgen.obligation import ObligationError
from metalift.version import __version__

MOST = 60  # applications of one operator
FEW = 8  # of which there are others with smaller numbers beside them
REST = 3  # elements of the output array behind those that are written, which stay as they are


def in_runner(sample: SampleProgram, program: TargetProgram, driver: Driver, target: Target, samples: Sequence[Sample]) -> Runs:
    """The text of the program, run on the samples of its types beside the interpreter."""
    try:
        made, conditions, used = _written(sample, program, driver, target)
    except (CannotSpell, CannotWrite, ObligationError) as problem:
        failed = isinstance(problem.__cause__, DriverFails) or isinstance(problem, DriverFails)
        return Runs(0, str(problem)) if failed else Runs(refused=str(problem))
    fitted = list(filter(None, map(sample.fitted, samples)))
    usable = [(each, args) for each in fitted if (args := _arguments(sample, conditions, each)) is not None]
    if len(usable) < FEW:
        more = filter(None, map(sample.fitted, smaller(sample.operator, fitted)))
        usable += [(each, args) for each in more if (args := _arguments(sample, conditions, each)) is not None]
    kept = usable if len(usable) <= MOST else [*usable[: MOST // 2], *usable[-MOST // 2 :]]  # the last ones are at the edges
    with tempfile.TemporaryDirectory(prefix="metalift-") as folder:
        file = Path(folder) / f"{sample.operator.meaning.name}{target.suffix}"
        file.write_text(made.text, encoding="utf-8")
        try:
            with Worker(target) as worker:
                answers = worker.run(_job(sample, made, file, [args for _, args in kept]), len(kept))
                for position, ((each, _), answer) in enumerate(zip(kept, answers, strict=True)):
                    if failure := _failure(sample, each, answer["emitted"]):
                        return Runs(position, failure)
        except WorkerFailed as problem:
            on = "" if problem.answered is None else f" on {application(sample.operator, kept[problem.answered][0])}"
            return Runs(problem.answered or 0, f"the runner fails{on}: {problem}", ended=True)
    return Runs(len(kept), uses=used)


def _written(
    sample: SampleProgram, program: TargetProgram, driver: Driver, target: Target
) -> tuple[Generated, tuple[Expr, ...], frozenset[str]]:
    """The text, what its arguments have to satisfy, and the operators that it uses. Raises CannotSpell, CannotWrite,
    ObligationError.
    """
    if target.tile is not None:
        program = target.tile(Request(sample.fragment, sample.summary, program))
    kernel = lowered(sample.fragment, sample.summary, program, driver, target.name)
    if kernel is not None:  # one that is not well formed is never written where functions are lifted
        tuple(claimed(sample.fragment, sample.summary, program, kernel, driver, target.name, ()))
    asked = (sample.fragment, sample.summary, program, driver, target)
    made = generate(GenerateRequest(*asked, verdict="PROVED", version=__version__, kernel=kernel))
    stated = (*with_target(program, driver, target.name, ()), *of_target((), () if kernel is None else kernel.ranges, ()))
    return made, testable(stated), frozenset((*program.called, *_instructions(() if kernel is None else kernel.body)))


def _instructions(body: Sequence[Statement]) -> Iterator[str]:
    """The operators that statements of a kernel are, those that others are made of included."""
    for each in body:
        match each:
            case Map():
                yield each.op
            case Expand():
                yield from (step.op for step in each.idiom.steps if isinstance(step, Step))
            case Loop() | When() | Fused():
                yield from _instructions(each.body)


def _arguments(sample: SampleProgram, conditions: Sequence[Expr], each: Sample) -> list[object] | None:
    """The arguments in order; None where they do not satisfy the conditions."""
    given = sample.arguments(each)
    try:
        if sample.shape:
            extents = [max(int(str(evaluate(extent, given))), 0) for extent in sample.shape]
            given["out"] = [False if each.result == BOOL else 0] * (prod(extents) + REST)
        longest = max((len(value) for value in given.values() if isinstance(value, list)), default=0)
        if not all(evaluate(condition, given, domain=lambda binder: range(-1, longest + 1)) for condition in conditions):
            return None
    except (SourceUndefined, LimitExceeded, LookupError, ValueError):
        return None
    return [given[param.var.name] for param in sample.fragment.params]


def _job(sample: SampleProgram, made: Generated, file: Path, listed: Sequence[Sequence[object]]) -> Mapping[str, object]:
    cases = [{"args": list(args), "native": False, "emitted": True} for args in listed]
    told = {"emitted": str(file), "function": made.function, "written": list(made.written), "cases": cases}
    return {"source": None, **entries(sample.fragment), **told}


def _failure(sample: SampleProgram, each: Sample, answer: Answer) -> str:
    """What disagrees, nothing where the text computes the meaning."""
    where = application(sample.operator, each)
    if "error" in answer:
        return f"{where} raises {answer['error']}"
    if sample.operator.holds:
        place = [param.var.name for param in sample.fragment.params].index(sample.operator.holds[0])
        found, wanted = answer["arrays"][place][0], each.wanted
    elif not sample.shape:
        found, wanted = answer["results"][0], each.wanted
    else:
        found = answer["arrays"][[param.var.name for param in sample.fragment.params].index("out")]
        wanted = _row_by_row(each.wanted)
        assert isinstance(wanted, list)
        found, rest = found[: len(wanted)], found[len(wanted) :]
        if any(rest):
            return f"{where} writes behind the end of its result"
    if agrees(found, wanted, each.result):
        return ""
    here, value, gives = first_difference(found, wanted, each.result)
    return f"{where}{here} is {show(value)}, the text gives {show(gives)}"


def _row_by_row(value: Any) -> Nested:  # noqa: ANN401 - of a tensor, or lists of lists
    if isinstance(value, Tensor):
        value = value.nested()
    return [cell for row in value for cell in _row_by_row(row)] if isinstance(value, list) else [value]
