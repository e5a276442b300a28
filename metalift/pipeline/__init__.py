"""`lift` and `check`: what the command line and `metalift.lift` call."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from metalift.codegen.request import Style
from metalift.driver import choosing
from metalift.driver.files import Loaded
from metalift.frontend import Nest, Nests, PythonModule, Source, find_nests, functions_of, open_source, outermost_nests, with_pure
from metalift.frontend.files import Program
from metalift.pipeline.context import Job, Stages, in_words
from metalift.pipeline.function import lift_function
from metalift.pipeline.hosts import with_hosts
from metalift.pipeline.listening import Listener
from metalift.pipeline.proposer import SEARCH, Proposer
from metalift.prove.solver import SolverPool
from metalift.result import CheckResult, DiagnosticResult, FunctionResult, LeftOutResult, Result
from metalift.result.errors import UsageError
from metalift.result.reason import ReasonResult
from metalift.result.verdict import FunctionVerdict
from metalift.system import arguments
from metalift.system.names import by_name, chosen_by_part
from metalift.system.parallel import Limits, Pool

if TYPE_CHECKING:
    from metalift.codegen.request import Generated
    from metalift.driver import Target
    from metalift.ir.program.fragment import Fragment
    from metalift.llm.ask import Asker

NO_LIMITS = Limits()
NOTHING: Mapping[str, Sequence[str]] = {}
SOLVERS = 2  # processes; most functions have a handful of obligations of a few milliseconds


@dataclass(frozen=True, slots=True)
class Units:
    """What is lifted one by one: functions by their lines, or with `nests` these and their loop nests; or what is `at` a line."""

    job: Job
    nests: bool
    lines: Mapping[str, int]
    at: int | None
    compiled: Stages

    @property
    def names(self) -> tuple[str, ...]:
        """What each is called."""
        return tuple(self.lines) if self.at is None else (f"line {self.at}",)

    def line_of(self, number: int) -> int:
        """Where each begins."""
        return self.lines[self.names[number]] if self.at is None else self.at

    def lifted(self, number: int) -> tuple[FunctionResult, ...]:
        """The results of one."""
        if self.at is not None:
            return tuple(nest_at(self.job, self.at, self.nests, self.compiled))
        name = self.names[number]
        if self.nests:
            return tuple(whole_or_nests(self.job, name, self.lines[name], self.compiled))
        return (one(self.job, name, self.lines[name], self.compiled, len(self.lines) > 1),)


Change: TypeAlias = "Callable[[Target], Target]"
NO_CHANGES: Mapping[str, Change] = {}
Lifts: TypeAlias = "tuple[Sequence[FunctionResult], dict[tuple[str, str], tuple[Fragment, Generated]]]"


def lift(
    source: Path,
    *,
    functions: Sequence[str] = (),
    to: Sequence[str] = ("numpy",),
    driver: str | None = None,
    assume: Sequence[str] = (),
    assume_of: Mapping[str, Sequence[str]] = NOTHING,
    out: Path | None = None,
    clang_args: Sequence[str] = (),
    program: Program | None = None,
    pure: Sequence[str] = (),
    dump_dir: Path | None = None,
    timeout: float = 10.0,
    line: int | None = None,
    nests: bool = False,
    proposer: Proposer = SEARCH,
    watch: Callable[[str, bool], None] | None = None,
    listener: Listener | None = None,
    jobs: int = 1,
    limits: Limits = NO_LIMITS,
    change: Mapping[str, Change] = NO_CHANGES,
    style: Style = Style(),  # noqa: B008 - it cannot be changed
) -> Result:
    """Lift functions of a C, C++ or Python file, or loop nests of them. See `metalift.lift`; `watch` is that of `Stages`.

    `program` has the arguments of clang and the other files instead of `clang_args`, which are for a file alone; `assume_of` are
    conditions for some of the functions. `jobs` functions
    are lifted at a time, each within the limits, and `listener` is told of them as they end. `change` makes another target
    of some, such as one whose kernels are given; `style`: how code is written.
    """
    listener = listener or Listener()
    arguments.source_text(source)
    program = program or Program(tuple(clang_args))
    with SolverPool(SOLVERS, keep=True) as pool:
        pool.warm_up()
        drivers = {target: changed(loaded, target, change.get(target)) for target, loaded in choosing.select(driver, to).items()}
        every_pure = tuple(dict.fromkeys((*program.pure, *pure)))
        reading = next(iter(drivers.values())).driver
        stages = Stages(watch=watch)
        with stages("compile"):
            module = open_source(
                source,
                program.clang_args,
                reading.externals,
                named=program.named,
                offered=program.offered,
                pure=every_pure,
                of=functions,
                leaves=reading.leaves,
            )
            module, no_pure = with_pure(module, every_pure)
        available = dict(functions_of(module))
        if not available:
            raise UsageError(f"{source} has no function with a body")
        names = chosen_by_part(functions, available, "function", f"in {source}") if functions else tuple(available)
        for folder in (out, dump_dir):
            if folder is not None:
                arguments.writable_folder(folder)
        job = Job(
            path=source,
            module=module,
            drivers=drivers,
            assume=tuple(assume),
            assume_of=assume_of,
            pure=tuple(name for name in every_pure if name not in no_pure),
            out=out,
            clang_args=program.clang_args,
            dump_dir=dump_dir,
            timeout=timeout,
            pool=pool,
            proposer=proposer,
            style=style,
            drafted=listener.drafted if listener.wants_drafts else None,
        )
        if nests or line is not None:
            with stages("nests"):
                job = replace(job, nests=find_nests(module))
        found = Result(str(source), **linked(module, program))
        unknown = tuple(LeftOutResult(f"--pure {name}", why, failed=True) for name, why in no_pure.items() if name in pure)
        found = replace(found, left_out=(*found.left_out, *unknown))
        lines = {name: available[name] for name in names}
        units = Units(job, nests, lines, line, stages)
        listener.begins(str(source), units.names, job.targets)
        results = each(units, listener, jobs, limits)
        return with_hosts(job, found, results) if job.nests is not None else replace(found, functions=results)


def changed(loaded: Loaded, target: str, change: Change | None) -> Loaded:
    """A driver with another target of a name."""
    if change is None:
        return loaded
    targets = tuple(change(each) if each.name == target else each for each in loaded.driver.targets)
    return replace(loaded, driver=replace(loaded.driver, targets=targets))


def linked(module: Source, program: Program) -> dict[str, Any]:
    """What a result says of other files: those that are part of the program, those that are not, and notes."""
    if isinstance(module, PythonModule):
        return {}
    asked = {unit.path for unit in program.named}
    out = tuple(LeftOutResult(str(each.path), each.why, each.broken and each.path in asked) for each in module.left_out)
    return {"others": tuple(str(unit.path) for unit in module.others), "left_out": out, "notes": program.notes}


def each(units: Units, listener: Listener, jobs: int, limits: Limits) -> tuple[FunctionResult, ...]:
    """The results of all units in their order, which the listener is told as far as none is missing."""
    if units.job.proposer.asker is not None:
        if limits.any:
            raise UsageError("a limit of time or memory is for lifts that ask no model: add --proposer search")
        return until_answered(units, units.job.proposer.asker, listener)
    if limits.any or (jobs > 1 and len(units.names) > 1):
        ended = in_processes(units, jobs, limits, listener)
    else:
        ended = ((at, units.lifted(at)) for at in range(len(units.names)))
    found: dict[int, Sequence[FunctionResult]] = {}
    told = 0
    with closing(ended):
        for at, results in ended:
            found[at] = results
            while told in found:
                listener.ended(found[told])
                told += 1
    return tuple(result for at in sorted(found) for result in found[at])


def in_processes(
    units: Units, jobs: int, limits: Limits, listener: Listener
) -> Generator[tuple[int, Sequence[FunctionResult]], None, None]:
    """The results of the units as they end, each lifted in one of several processes."""

    @contextmanager
    def opened(say: Callable[[str], None]) -> Iterator[Callable[[int], Lifts]]:
        def watch(stage: str, begins: bool) -> None:
            if begins and (words := in_words(stage)):
                say(words)

        with SolverPool(SOLVERS) as pool:
            compiled = Stages(dict(units.compiled.seconds), watch if limits.seconds is not None else None)
            own = replace(units, job=replace(units.job, pool=pool), compiled=compiled)
            yield lambda at: (own.lifted(at), own.job.kept)

    def tick(running: Sequence[tuple[int, float]]) -> None:
        listener.runs([(units.names[at], seconds) for at, seconds in running])

    units.job.pool.close()  # its processes answer this one, which has nothing to ask
    for at, lifts in Pool(opened, min(jobs, len(units.names)), limits, tick).results(len(units.names)):
        if isinstance(lifts, str):
            where = DiagnosticResult(str(units.job.path), units.line_of(at), 0, lifts)
            yield at, (explained(units.job, FunctionResult(units.names[at], units.line_of(at), diagnostics=(where,))),)
        else:
            results, kept = lifts
            units.job.kept.update(kept)
            yield at, results


def until_answered(units: Units, asker: Asker, listener: Listener) -> tuple[FunctionResult, ...]:
    """The results of all units; those that answers were missing for again, as long as answers come."""
    found = {at: units.lifted(at) for at in range(len(units.names))}
    while asker.more():
        for at, results in found.items():
            if any(result.verdict is not FunctionVerdict.PROVED for result in results):
                found[at] = units.lifted(at)
    for results in found.values():
        listener.ended(results)
    return tuple(result for results in found.values() for result in results)


def whole_or_nests(job: Job, name: str, line: int, compiled: Stages) -> Iterator[FunctionResult]:
    """A function; where it is not lifted, its outermost loop nests too, and of one that is not lifted those in it."""
    assert job.nests is not None
    whole = one(job, name, line, compiled, True)
    parts = outermost_nests(job.nests, job.module, name)
    yield replace(whole, split=not lifted(whole))
    if not lifted(whole):
        for nest in parts:
            yield from nest_or_inner(job, nest, compiled)


def nest_or_inner(job: Job, nest: Nest, compiled: Stages, line: int | None = None) -> Iterator[FunctionResult]:
    """A nest; where it is not lifted and has loops in it, those too: with a line, those that begin before it and it is in."""
    assert job.nests is not None
    result = one(replace(job, nest=nest), nest.name, nest.first, compiled, True)
    nearer = () if lifted(result) or nest.first == line else job.nests.inside(nest.symbol)
    inner = [part for part in nearer if line is None or part.covers(line)]
    yield replace(result, split=bool(inner))
    for part in inner:
        yield from nest_or_inner(job, part, compiled, line)


def nest_at(job: Job, line: int, inner: bool, compiled: Stages) -> Iterator[FunctionResult]:
    """The nest that begins at a line; where none does, the largest around it that is lifted. `inner`: else the loops in it."""
    assert job.nests is not None
    for nest in at_line(job.nests, line):
        yield from nest_or_inner(job, nest, compiled, None if nest.first == line and inner else line)


def at_line(nests: Nests, line: int) -> tuple[Nest, ...]:
    """What a line means: the outermost loop that begins there, else the outermost ones around it.

    Raises UsageError, with the lines of the loops that there are, where the line is in no loop.
    """
    own = [nest for nest in nests.found if not nest.inlined]
    for nest in own:
        if nest.first == line:
            return (nest,)
    around = tuple(nest for nest in nests.found if not nest.outer and nest.covers(line))
    if around:
        return around
    lines = sorted({nest.first for nest in own if not nest.outer})
    there = f"loop nests begin at the lines {', '.join(map(str, lines))}" if lines else "the file has no loops"
    raise UsageError(f"{nests.module.path}: no loop at line {line}; {there}")


def lifted(result: FunctionResult) -> bool:
    """Whether there is code for it."""
    return result.verdict in (FunctionVerdict.PROVED, FunctionVerdict.TESTED)


def one(job: Job, name: str, line: int, compiled: Stages, several: bool) -> FunctionResult:
    """One function; the stages of the first include compiling the file."""
    if several and job.dump_dir is not None:
        job = replace(job, dump_dir=job.dump_dir / name)
    job = replace(job, assume=(*job.assume, *by_name(job.assume_of, name, ())))
    stages = Stages(dict(compiled.seconds), compiled.watch)
    try:
        return explained(job, lift_function(job, name, line, stages))
    except UsageError:
        raise
    except Exception as problem:  # a defect of ours in one function: the others are lifted all the same
        logging.exception("internal error in the function %s", name)
        message = f"internal error: {type(problem).__name__}: {problem}"
        where = DiagnosticResult(str(job.path), line, 0, message)
        return explained(job, FunctionResult(name, line, diagnostics=(where,), seconds=stages.seconds))


def explained(job: Job, result: FunctionResult) -> FunctionResult:
    """The result with the reasons why it is no more than it is."""
    if result.ok:
        return result
    from metalift.result.reasons import reasons_of  # which most lifts do not need

    reasons = reasons_of(result, str(job.path), any(job.target(name).loops for name in job.targets))
    python = isinstance(job.module, PythonModule)  # where statements may stand between functions
    lines = [] if python else sorted((line, name) for name, line in dict(functions_of(job.module)).items())
    return replace(result, reasons=tuple(replace(each, inside=other_function(lines, result, each, job.path)) for each in reasons))


def other_function(lines: Sequence[tuple[int, str]], result: FunctionResult, reason: ReasonResult, path: Path) -> str:
    """The function that the line of a reason is in, of those of a file with the lines that they begin at; empty where it is the
    one that the result is about, or in another file."""

    def holder(line: int) -> str:
        return next((name for first, name in reversed(lines) if 0 < first <= line), "")

    found = holder(reason.line) if Path(reason.file).resolve() == path.resolve() else ""
    return found if found != holder(result.line) else ""


def check(
    certificate: Path,
    *,
    solver: str = "cvc5",
    smt_only: bool = False,
    driver: str | None = None,
    proof: Path | None = None,
    clang_args: Sequence[str] = (),
) -> CheckResult:
    """Derive the obligations of a certificate anew, require the recorded files to be these, and prove them again.

    `proof` is a folder for the proof objects; `clang_args` name folders with headers that the source may include.
    """
    with SolverPool(SOLVERS, keep=True) as pool:
        from metalift.check import recheck  # which a lift does not need

        return recheck.check(certificate, pool, solver, smt_only, driver, proof, clang_args)
