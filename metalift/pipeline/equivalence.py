"""`equiv`: whether two functions compute the same, for all inputs.

Of each the summary is derived and proved to be what it computes; then the summaries are proved to be equal. Both are run, too:
only what both really gave counts as a difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Protocol

from metalift.check.assumptions import Origin, formulas, written_arrays
from metalift.check.proving import BRISK, QUICK, Evidence, prove_all
from metalift.check.user_assumptions import parse_assumptions
from metalift.driver import choosing
from metalift.frontend import functions_of, open_source
from metalift.frontend.files import Program as Files
from metalift.ir.expr.nodes import Const, Expr
from metalift.ir.expr.types import INT, TensorType, is_integer
from metalift.ir.program.fragment import Fragment
from metalift.ir.text import show
from metalift.pipeline.conditions import needed, plain
from metalift.pipeline.context import Job
from metalift.pipeline.matching import Stated as Said
from metalift.pipeline.matching import check_results, like, matched
from metalift.pipeline.only_run import seen_to_differ
from metalift.pipeline.sides import NotKnown, Side, proved_side, read_as, where_integers_fit
from metalift.pipeline.suspects import TRIED, alike, broken, suspected
from metalift.pipeline.target import start_worker
from metalift.prove.solver import SolverPool
from metalift.result.errors import UsageError
from metalift.run.compare.beside import Both, Exactly, Program, Ran
from metalift.run.compare.falsify import Counterexample, exactly
from metalift.run.inputs.inputs import Input, Run, inputs
from metalift.run.workers.jobs import NotRunnable
from metalift.run.workers.process import Worker, WorkerFailed
from metalift.system import alarm, arguments
from metalift.system.names import chosen_by_part
from metalift.vcgen.correspondence import Correspondence, NoCorrespondence, with_locals
from metalift.vcgen.equality import EqualityGenerator
from metalift.vcgen.given_back import without_given_back
from metalift.vcgen.obligation import Obligation, ObligationError

RUN = 40  # inputs on which both are run
LARGE = 17  # a size from which on a condition counts as one that admits all
FORWARD = "forward"  # the method that a call of a module of PyTorch is
TARGET, OF_TENSORS = "numpy", "pytorch"  # whose workers run sources


class EquivVerdict(Enum):
    """What is known of two functions."""

    EQUAL = "EQUAL"
    EQUAL_WHERE = "EQUAL WHERE"
    DIFFERENT = "DIFFERENT"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class EquivResult:
    """Two functions and what is known of them.

    `where`: conditions, as `--assume` takes them; `shapes`: how long the second function's arrays are, as `--shapes` takes it;
    `reason`: an input on which they differ, or what is left; `assumptions` with their origins; `obligations` with their verdicts;
    `inputs`: on how many both were run.
    """

    first: str
    second: str
    verdict: EquivVerdict
    where: tuple[str, ...] = ()
    shapes: str = ""
    reason: str = ""
    assumptions: tuple[tuple[str, str], ...] = ()
    obligations: tuple[tuple[str, str], ...] = ()
    inputs: int = 0


def equiv(
    first: Path,
    second: Path,
    *,
    functions: tuple[str | None, str | None] = (None, None),
    names: Sequence[str] = (),
    shapes: str = "",
    assume: Sequence[str] = (),
    clang_args: Sequence[str] = (),
    timeout: float = 10.0,
    time_limit: float | None = None,
) -> EquivResult:
    """Prove that the second function computes what the first one does. Raises UsageError.

    `timeout`: seconds for an obligation; `time_limit`: for all of it, only in the main thread.
    """
    said = Said.of(names, shapes)
    for path in (first, second):
        arguments.source_text(path)
    found: list[EquivResult] = []
    with SolverPool(2, keep=True) as pool, ExitStack() as stack:
        pool.warm_up()
        jobs = [job_of(path, clang_args, timeout, pool, assume if path is first else ()) for path in (first, second)]
        picked = picked_names(jobs, functions)
        shown = [f"{job.path}: {name}" for job, name in zip(jobs, picked, strict=True)]
        unknown = EquivResult(shown[0], shown[1], EquivVerdict.UNKNOWN)
        try:
            with alarm.time_limit(time_limit):
                for each in results((jobs[0], picked[0]), (jobs[1], picked[1]), said, unknown, stack):
                    found.append(each)
        except alarm.TookTooLong as problem:
            found.append(replace(unknown, reason=str(problem)))
    return best(found)


def results(
    first: tuple[Job, str], second: tuple[Job, str], said: Said, unknown: EquivResult, stack: ExitStack
) -> Iterator[EquivResult]:
    """What is known where the second function's arrays have these and those axes, until they are equal."""
    proved = True
    try:
        fragment = read_as(*first, {})
        runs = Program(fragment, stack.enter_context(first[0].native(fragment)))
        one = proved_side(first[0], fragment)
    except NotRunnable as problem:
        yield replace(unknown, reason=str(problem))
        return
    except NotKnown as problem:
        unknown = replace(unknown, reason=str(problem))
        if problem.side is None:
            yield unknown
            return
        one, proved = problem.side, False
    read: list[Fragment] = []
    for arrays in like(one.fragment, one.summary, said):
        try:
            fragment = read_as(*second, arrays)
            if fragment in read:
                continue
            read.append(fragment)
            other = Program(fragment, stack.enter_context(second[0].native(fragment)))
            judge = known if proved else only_run
            result = judge(one, second[0], said, (runs, other), unknown)
        except (NotKnown, NotRunnable, NoCorrespondence) as problem:
            result = replace(unknown, reason=str(problem))
        yield result
        if is_final(result, one.fragment):
            return


def is_final(result: EquivResult, first: Fragment) -> bool:
    """Whether the parameters need not be matched otherwise. Where sizes have to be in a relation, other shapes may be meant."""
    sizes = [re.compile(rf"\b{param.var.name}\b") for param in first.params if is_integer(param.var.type)]
    related = any(sum(bool(size.search(each)) for size in sizes) > 1 for each in result.where)
    return result.verdict in (EquivVerdict.EQUAL, EquivVerdict.EQUAL_WHERE) and not related


def known(one: Side, job: Job, said: Said, programs: tuple[Program, Program], unknown: EquivResult) -> EquivResult:
    """The verdict where the first function is known in closed form. Raises NoCorrespondence, NotRunnable."""
    try:
        return attempted(one, job, said, programs, unknown)
    except NotKnown as problem:
        return only_run(one, job, said, programs, replace(unknown, reason=str(problem)))


def job_of(path: Path, clang_args: Sequence[str], timeout: float, pool: SolverPool, assume: Sequence[str]) -> Job:
    """What is the same for all that is done with one file."""
    drivers = choosing.select(None, (TARGET,))
    program = Files(tuple(clang_args))
    module = open_source(path, program.clang_args, drivers[TARGET].driver.externals)
    return Job(
        path=path,
        module=module,
        drivers=drivers,
        assume=tuple(assume),
        pure=(),
        out=None,
        clang_args=program.clang_args,
        dump_dir=None,
        timeout=timeout,
        pool=pool,
    )


def picked_names(jobs: Sequence[Job], asked: tuple[str | None, str | None]) -> list[str]:
    """The functions that are compared: those that are named, or the only ones, or those of one name."""
    available = [list(dict(functions_of(job.module))) for job in jobs]
    found: list[str | None] = []
    for job, name, names in zip(jobs, asked, available, strict=True):
        if name is not None:
            method = f"{name}.{FORWARD}"
            found.append(method if method in names else chosen_by_part([name], names, "function", f"in {job.path}")[0])
        else:
            found.append(names[0] if len(names) == 1 else None)
    both = [name for name in available[0] if name in available[1]]
    for at, name in enumerate(found):
        if name is None:
            other = found[1 - at]
            spelled = () if other is None else (other, other.rpartition("::")[2], f"{other.rpartition('::')[2]}_")
            same = next((each for each in spelled if each in available[at]), both[0] if len(both) == 1 else None)
            if same is None:
                there = ", ".join(available[at]) or "no function"
                raise UsageError(f"{jobs[at].path} has {there}; name one, as in FILE:FUNCTION")
            found[at] = same
    return [name for name in found if name is not None]


def attempted(one: Side, job: Job, said: Said, programs: tuple[Program, Program], unknown: EquivResult) -> EquivResult:
    """The verdict on a function that was read; where nothing comes out, where its integers do not wrap around. Of exact integers
    also where it is another function only where they do not fit 64 bits: libraries have no larger ones. Raises NotKnown,
    NoCorrespondence, NotRunnable.
    """
    problem, fragment = None, programs[1].fragment
    try:
        result = compared(one, proved_side(job, fragment), said, programs, unknown)
    except NotKnown as found:
        problem, result = found, unknown
    different = result.verdict is EquivVerdict.DIFFERENT
    if result.verdict is EquivVerdict.UNKNOWN or (different and is_exact(one.fragment)):
        fitting, texts = where_integers_fit(fragment, exact=different)
        try:
            other = compared(one, proved_side(job, fitting, texts), said, programs, unknown) if texts else unknown
        except NotKnown:
            other = unknown
        if other.verdict is not EquivVerdict.UNKNOWN:
            return other
    if problem is not None:
        raise problem
    return result


def is_exact(fragment: Fragment) -> bool:
    """Whether it takes integers of any size, as Python's are."""
    types = (param.var.type for param in fragment.params)
    return any(each.element == INT if isinstance(each, TensorType) else each == INT for each in types)


def compared(one: Side, other: Side, said: Said, programs: tuple[Program, Program], unknown: EquivResult) -> EquivResult:
    """The verdict on two functions that are proved to be what their summaries say."""
    check_results(one.fragment, other.fragment, said)
    reason = ""
    found: list[EquivResult] = []
    counterparts = said.counterparts(one.fragment, other.fragment)
    for names in matched(one.fragment, one.summary, other.fragment, said):
        try:
            both = Both(*programs, names, counterparts, written(one.fragment, other.fragment, names))
            made = judged(one, other, both, replace(unknown, shapes=names.shapes))
        except (NoCorrespondence, ObligationError) as problem:
            reason = reason or str(problem)
            continue
        found.append(made)
        if is_final(made, one.fragment):
            break
    return best(found) if found else replace(unknown, reason=reason or "no way to match the parameters was found")


def written(first: Fragment, second: Fragment, names: Correspondence) -> frozenset[str]:
    """The second function's arrays that either function writes, but for those for which the second one has a result."""
    mine = set(written_arrays(first)) - {lengths.array.name for lengths in names.results}
    changed = (name for name, lengths in names.arrays.items() if lengths.array.name in mine)
    return frozenset((*written_arrays(second), *changed))


def only_run(one: Side, job: Job, said: Said, programs: tuple[Program, Program], unknown: EquivResult) -> EquivResult:
    """The verdict on two functions of which one is not known in closed form: DIFFERENT where that is seen."""
    second = without_given_back(programs[1].fragment)
    try:
        check_results(one.fragment, second, said)
    except NoCorrespondence:
        return unknown
    given = (*formulas(one.stated), *(formula for _, formula in parse_assumptions(one.job.assume, one.fragment)))
    found = []
    try:
        for names in matched(one.fragment, one.summary, second, said):
            both = Both(*programs, names, said.counterparts(one.fragment, second), written(one.fragment, second, names))
            seen = seen_to_differ(both, one.summary, given, lambda: started(job, *(each.fragment for each in programs)))
            if seen is None:
                return unknown
            smallest, how, count = seen
            reason = f"{smallest.text()}: {how}"
            found.append(replace(unknown, verdict=EquivVerdict.DIFFERENT, shapes=names.shapes, reason=reason, inputs=count))
    except (WorkerFailed, NotRunnable):
        return unknown
    return found[0] if found else unknown


def best(found: Sequence[EquivResult]) -> EquivResult:
    """The result of the way to match parameters in which most is equal: whoever calls a port does so in that way. Where none is
    equal, of the likeliest in which both were run.
    """
    equal = [each for each in found if each.verdict in (EquivVerdict.EQUAL, EquivVerdict.EQUAL_WHERE)]
    if equal:
        return min(equal, key=lambda each: list(EquivVerdict).index(each.verdict))
    return next((each for each in found if each.inputs), found[0])


def judged(one: Side, other: Side, both: Both, result: EquivResult) -> EquivResult:
    """The verdict where the parameters correspond in one way. Raises NoCorrespondence, ObligationError."""
    job, fragment, names = one.job, one.fragment, both.names
    second, in_range = names.summary(other.fragment, other.summary)
    conditions = tuple(names.formula(other.fragment, each) for each in (*other.always, *other.long_enough, *other.resolved))
    user = tuple(formula for _, formula in parse_assumptions(job.assume, fragment))
    lengths, elements = tuple(dict.fromkeys(names.lengths())), dict(names.elements(other.fragment))
    own = (*formulas(one.stated), *user, *lengths, *elements.values())
    given = tuple(dict.fromkeys((*own, *second.requires, *conditions)))
    candidate = replace(second, loops=(), requires=(), facts=())
    extents = one.summary.shapes | names.flat(fragment)
    more = inputs(fragment, given, extents=extents)
    tried = list(islice(more, RUN))
    if not tried:
        return replace(result, reason="no input was found that both functions take")
    wide = with_locals(fragment, other.fragment)
    if other.fitting:
        conditions, in_range = (*conditions, *in_range), ()
    tried, found = suspected(wide, candidate, given, tried, conditions if other.fitting else None)
    suspects = [found.run] if found is not None else []
    exact = partial(exactly, wide, candidate)
    try:
        ran = both.ran(lambda: started(job, fragment, other.fragment), [*suspects, *tried], exact)
    except (WorkerFailed, NotRunnable) as problem:
        return replace(result, reason=f"the functions cannot be run: {problem}")
    count = len(ran.compared)
    near = alike(fragment, found.input, given, extents) if found is not None else ()
    later = partial(seen_later, both, near, more, exact, lambda: started(job, fragment, other.fragment))
    if (shown := by_runs(ran, found, in_range, result)) is not None:
        shown = replace(shown, inputs=count)
        return later(shown) if found is not None and shown.verdict is EquivVerdict.UNKNOWN else shown
    generator = EqualityGenerator(fragment, one.summary, second, (*one.always, *conditions), (*own, *second.requires), in_range)
    witnessed = replace(one.summary, bindings=(*one.summary.bindings, *second.bindings))  # of both, for runs to show

    def prove(goals: Sequence[Obligation], quick: int = 0) -> list[Evidence]:
        return prove_all(goals, wide, witnessed, tried, job.pool, job.timeout, quick)

    evidence = [proof for goal in generator.obligations() for proof in proofs(goal, generator, prove)]
    obligations = tuple(dict.fromkeys((each.obligation.name, each.settled.verdict.value) for each in evidence))
    result = replace(result, inputs=count, obligations=obligations, assumptions=told(one, other, names, lengths, elements))
    failing = next((each for each in evidence if not each.proved), None)
    if failing is not None or not evidence:
        why = f"{failing.obligation.name}: {failing.settled.reason}" if failing is not None else "nothing is computed"
        result = replace(result, reason=f"not proved: {why}")
        return later(result)
    wanted = (*one.summary.requires, *second.requires, *one.restrictions, *one.resolved, *conditions)
    where = needed(one, wanted, (*user, *lengths, *elements.values(), *one.long_enough))
    arrays = any(isinstance(param.var.type, TensorType) for param in fragment.params)
    if where and arrays and not any(is_large(each.input) for each in tried):
        return replace(result, reason=f"equal only for small sizes: {', '.join(map(show, where))}")
    raises = [f"{other.fragment.name} does not raise, as on {given.text()}: {why}" for given, why in ran.refused[:1]]
    stated = [*map(show, where), *one.later(asserted=False), *other.later(asserted=True), *other.fitting, *raises]
    verdict = EquivVerdict.EQUAL_WHERE if stated else EquivVerdict.EQUAL
    return replace(result, verdict=verdict, where=tuple(stated))


def by_runs(ran: Ran, found: Counterexample | None, in_range: Sequence[Expr], result: EquivResult) -> EquivResult | None:
    """The verdict that runs give, if they do; `found`: on what the second function's summary says something else."""
    if (seen := ran.smallest_difference) is not None:
        return replace(result, verdict=EquivVerdict.DIFFERENT, reason=seen)
    if found is not None:
        return replace(result, reason=f"they may differ on {found.text()}, where both runs give the same")
    if not ran.compared:
        return replace(result, reason="on no input that was tried are both defined")
    if any(broken(in_range, given) for given, _ in ran.compared):
        return replace(result, reason="a result of another shape than the array that it stands for")
    return None


def seen_later(
    both: Both,
    near: Iterable[Run],
    more: Iterable[Run],
    exact: Exactly,
    start: Callable[[], Worker],
    result: EquivResult,
) -> EquivResult:
    """What is not proved, on more inputs: DIFFERENT where that is seen. `exact`: what both give `near` a suspect."""
    try:
        ran = both.ran(start, list(islice(more, TRIED)), exact, list(near))
    except (WorkerFailed, NotRunnable):
        return result
    count = result.inputs + len(ran.compared)
    if (seen := ran.smallest_difference) is None:
        return replace(result, inputs=count)
    return replace(result, verdict=EquivVerdict.DIFFERENT, reason=seen, inputs=count)


class Prove(Protocol):
    """Proves obligations, if `quick` with so many efforts."""

    def __call__(self, goals: Sequence[Obligation], quick: int = 0) -> list[Evidence]: ...


def proofs(goal: Obligation, generator: EqualityGenerator, prove: Prove) -> list[Evidence]:
    """The evidence for an obligation: as it stands, if that takes little; else part by part, in other ways."""
    (first,) = prove([goal], quick=QUICK)
    if first.proved:
        return [first]
    parts = list(generator.by_parts(goal.name))
    if any(ways for _, ways in parts):
        found = [proof_of(plain, ways, prove, alone=len(parts) == 1) for plain, ways in parts]
        if all(each is not None for each in found):
            return [each for each in found if each is not None]
    return prove([goal])


def proof_of(plain: Obligation, ways: Sequence[Obligation], prove: Prove, *, alone: bool) -> Evidence | None:
    """The proof of a part, if there is one: briskly as it stands, or in one of the ways by induction; `alone`: it is all."""
    for goals, quick in (((plain,), BRISK), (ways, 0), (() if alone or ways else (plain,), 0)):
        for goal in goals:
            (made,) = prove([goal], quick=quick)
            if made.proved:
                return made
    return None


def started(job: Job, *fragments: Fragment) -> Worker:
    """A process that runs a source."""
    tensors = any(param.tensor for fragment in fragments for param in fragment.params)
    worker = start_worker(job.driver(TARGET).target(OF_TENSORS if tensors else TARGET))
    if isinstance(worker, str):
        raise NotRunnable(worker)
    return worker


def is_large(given: Input) -> bool:
    """Whether an input has a size from which on a condition counts as one that admits all."""
    return given.cells >= LARGE


def told(
    one: Side, other: Side, names: Correspondence, lengths: Sequence[Expr], elements: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """What the verdict relies on, of both functions, each once; `lengths`: none is below 0; `elements`: what they are."""
    pairs = [(text, Origin.USER.value) for text, _ in parse_assumptions(one.job.assume, one.fragment)]
    lengths_of = f"lengths of the arrays of {other.fragment.name}"
    pairs += [(f"{show(plain(each))}: {lengths_of}", Origin.EXTENT.value) for each in lengths]
    pairs += [(text, Origin.TYPES.value) for text in elements]
    defaults = [(name, value.value) for name, value in names.scalars.items() if isinstance(value, Const)]
    numbers = [(name, float(value) if isinstance(value, Fraction) else value) for name, value in defaults]
    pairs += [(f"{name} of {other.fragment.name} is {value}, as by default", Origin.VALUES.value) for name, value in numbers]
    pairs += [(each.assumption.text, each.origin.value) for side in (one, other) for each in side.stated]
    if one.fragment.gives and other.fragment.result is None and not other.fragment.gives:
        text = f"{other.fragment.name} returns nothing: it changes {one.fragment.gives}, which {one.fragment.name} returns too"
        pairs.append((text, Origin.RESULTS.value))
    return tuple(dict.fromkeys(pairs))


