"""Checking a certificate: obligations are derived again from the recorded source, summary, programs and driver, and proved."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from metalift.check import certificate
from metalift.check.assumptions import of_source
from metalift.check.certificate import Recorded, RecordedObligation
from metalift.check.claims import claimed, read_kernel
from metalift.check.reached import Reached
from metalift.check.records import with_records
from metalift.check.second_opinion import LIMIT, Opinions
from metalift.check.staged import StagedClaims
from metalift.check.user_assumptions import parse_assumptions
from metalift.check.witnessing import why_not_taken, witnesses_among
from metalift.driver import CannotWrite, Driver
from metalift.driver import files as driver_files
from metalift.frontend import Module, find_nests, import_function, import_nest, open_source, with_pure
from metalift.frontend.llvm.compile.clang import Unit
from metalift.frontend.llvm.compile.confined import Reach, named
from metalift.frontend.llvm.compile.options import strict_options
from metalift.frontend.python import SUFFIXES
from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.walk import free_vars
from metalift.ir.program.fragment import Fragment, Unsupported
from metalift.ir.program.summary import StagedProgram, StagedSummary, Summary, TargetProgram
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_program, check_summary
from metalift.prove.cores import is_part
from metalift.prove.efforts import EFFORTS
from metalift.prove.encode import NotEncodable
from metalift.prove.lemmas import LEMMAS
from metalift.prove.prover import script_for
from metalift.prove.solver import SolverPool
from metalift.result.checked import CheckResult, ObligationResult
from metalift.result.errors import UsageError
from metalift.result.verdict import FunctionVerdict, ObligationVerdict
from metalift.run.inputs.inputs import Run as Input
from metalift.run.inputs.inputs import runs
from metalift.system import confinement
from metalift.system.files import read_text_of
from metalift.vcgen.obligation import Obligation, ObligationError
from metalift.vcgen.paths import PathGenerator
from metalift.vcgen.plans import Run
from metalift.version import __version__

TRIED = (16, 120)  # inputs, for runs that witness the obligations: more where those of the fewer do not
UNCONFINED = (
    "the kernel has no Landlock: what the source includes was compared with what it may after clang had opened it, not before"
)
INCLUDE = re.compile(r"(?:#|%:|\?\?=)\s*(?:include|include_next|import|embed)\b\s*(.*)")
NEARBY = re.compile(r"""["<](?!/|[A-Za-z]:)([^">]*)[">]\s*(?://.*|/\*.*)?$""")


def check(
    folder: Path,
    pool: SolverPool,
    solver: str,
    smt_only: bool,
    driver: str | None,
    proof: Path | None = None,
    clang_args: Sequence[str] = (),
) -> CheckResult:
    """Check a certificate's folder. Raises UsageError where it cannot be read, or asks for more than reading.

    A certificate may come from anybody: no driver file that it names is run unless the caller names it too (`driver`), no
    argument reaches clang that could make it load code, its source includes nothing outside of its folder and of the folders
    that the caller's own arguments of clang name, and solvers get no commands but those that proofs are made of. `proof` is a
    folder for the proof objects.
    """
    recorded = certificate.read(folder)
    root = folder if folder.is_dir() else folder.parent
    differences: list[str] = []
    if not smt_only:
        differences += edited(root, recorded)
        reach = Reach((root, *map(Path, named(clang_args))))
        recorded = replace(
            recorded,
            driver=trusted_driver(recorded.driver, driver),
            clang_args=(*harmless(root, recorded.clang_args, reach), *clang_args),
            others=tuple(
                replace(other, clang_args=(*harmless(root, other.clang_args, reach), *clang_args)) for other in recorded.others
            ),
        )
        differences += differing(root, recorded, pool, reach)
    opinions = Opinions(pool, solver, proof)
    results = tuple(reproved(root, one, opinions) for one in recorded.obligations)
    told = opinions.told(sum(len(one.proofs) for one in recorded.obligations))
    said = notes(recorded, smt_only)
    return CheckResult(str(folder), solver, not smt_only, results, tuple(differences), tuple(opinions.disagreements), told, said)


def notes(recorded: Recorded, smt_only: bool) -> tuple[str, ...]:
    """What a reader should know: other versions than these have made it, or nothing has watched over what clang opens."""
    made = {"metalift": recorded.metalift, **recorded.tools}
    here = {"metalift": __version__, **certificate.tools()}
    versions = (f"made with {_told(made)}; checked with {_told(here)}",) if made != here else ()
    compiled = not smt_only and Path(recorded.source).suffix not in SUFFIXES
    return (*versions, UNCONFINED) if compiled and not confinement.can_limit_files() else versions


def _told(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def edited(root: Path, recorded: Recorded) -> Iterator[str]:
    """What differs from a certificate that a lift writes, whatever the source: form, lemmas, files that are no part of it."""
    if read_file(root, certificate.CLAIM) != certificate.claim_text(recorded):
        yield f"{certificate.CLAIM}: it is not the text that a lift writes of what it says"
    if recorded.verdict != FunctionVerdict.PROVED.value:
        yield f"{certificate.CLAIM}: the verdict is {recorded.verdict!r}; certificates are of what is proved"
    lemmas = certificate.lemma_texts(recorded)
    yield from (name for name, text in lemmas.items() if read_file(root, name) != text)
    proofs = [proof.file for one in recorded.obligations for proof in one.proofs]
    if proofs != [certificate.proof_name(number) for number in range(len(proofs))]:
        yield f"{certificate.CLAIM}: the proof files are not numbered in their order"
    people = ("fragment.txt", "summary.txt", *(f"programs/{target}.txt" for target in recorded.programs))
    people = (*people, *map(certificate.kernel_name, recorded.kernels))
    others = [other.file for other in recorded.others]
    if others != [certificate.other_name(number, Path(name).name) for number, name in enumerate(others)]:
        yield f"{certificate.CLAIM}: the other files are not numbered in their order"
    known = {certificate.CLAIM, recorded.source, *others, *lemmas, *proofs, *people}
    folders = {str(above) for name in known for above in Path(name).parents}
    for place, _, files in os.walk(root):
        inner = os.path.relpath(place, root)
        found = [os.path.normpath(os.path.join(inner, name)) for name in files]
        unknown = [*(name for name in found if name not in known), *([inner] if inner not in folders else [])]
        yield from (f"{name!r}: nothing in the certificate refers to it" for name in sorted(unknown))


def trusted_driver(recorded: str, named: str | None) -> str:
    """The driver to load: one of metalift's own, or the one that the caller names; no certificate has another's code run."""
    if named is not None or recorded in driver_files.own():
        return named or recorded
    raise UsageError(f"the certificate was made with the driver {recorded!r}, which is not metalift's own: name it with --driver")


def harmless(root: Path, clang_args: tuple[str, ...], reach: Reach) -> Iterator[str]:
    """The certificate's arguments, which only say where headers are, what is defined, and which language it is.

    Raises UsageError where they say more, or name what is neither in the certificate nor named by the caller.
    """
    for option in strict_options(clang_args, "the certificate asks clang for"):
        if option.kind.names_file and not reach.holds(option.value):
            raise UsageError(
                f"the certificate asks clang for {option.word!r}, which is outside of it: if you trust what is there, "
                f"end the command with `-- -I {option.value}`"
            )
        yield option.word


def reproved(root: Path, one: RecordedObligation, opinions: Opinions) -> ObligationResult:
    """Ask the solver about the recorded files of an obligation, and about the lemmas that they use."""
    seconds, reason = 0.0, "" if one.proofs else "it has no proof file"
    for proof in one.proofs:
        for name, text in texts_of(root, proof.file, proof.lemmas):
            answer = opinions.ask(name, text)
            seconds += answer.seconds
            if answer.answer != "unsat" and not reason:
                reason = f"{name}: {answer.answer} {answer.reason}".rstrip()
    verdict = ObligationVerdict.UNKNOWN if reason else ObligationVerdict.PROVED
    return ObligationResult(one.name, one.line, verdict, reason, round(seconds, 4))


def texts_of(root: Path, file: str, lemmas: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """A proof file and the proofs of the lemmas in it; the lemmas are this version's own."""
    yield file, read_file(root, file)
    for name in lemmas:
        for script in LEMMAS[name].scripts if name in LEMMAS else ("",):
            yield f"lemma {name}", script


def read_file(root: Path, name: str) -> str:
    """The text; what is no plain file of the certificate is an empty one, which proves nothing."""
    try:
        return read_text_of(root, name, certificate.LARGEST)
    except OSError:
        return ""


def differing(root: Path, recorded: Recorded, pool: SolverPool, reach: Reach) -> Iterator[str]:
    """The files of the certificate that are not what its source and summary give, and obligations that say nothing."""
    try:
        fragment = source_fragment(root, recorded, reach)
        user = tuple(parse_assumptions(recorded.assume, fragment))
        subjects = list(derived(fragment, recorded, user))
        obligations = [obligation for subject in subjects for obligation in subject.obligations]
    except (Unsupported, ObligationError, IllTyped, CannotWrite, UsageError) as problem:
        yield f"{certificate.CLAIM}: the obligations cannot be derived anew: {problem}"
        return
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError, RuntimeError) as problem:  # made-up data
        yield f"{certificate.CLAIM}: the obligations cannot be derived anew: {type(problem).__name__}: {problem}"
        return
    if not recorded.programs:
        yield f"{certificate.CLAIM}: there is no program, so nothing is claimed of a target"
    texts = certificate.texts_for_people(fragment, recorded.summary, recorded.programs)
    yield from (name for name, text in texts.items() if read_file(root, name) != text)
    yield from differing_proofs(root, recorded, obligations)
    for subject in subjects:
        yield from vacuous(subject, pool)


def vacuous(subject: Subject, pool: SolverPool) -> Iterator[str]:
    """The obligations that say nothing."""
    obligations = subject.obligations
    params = {param.var for param in subject.fragment.params}
    found: set[int] = set()
    ends = False
    for others in (False, True):
        left = dict.fromkeys(one.assumed for at, one in enumerate(obligations) if at not in found)
        for assumed in left if others else [()]:
            conditions = [each for each in assumed if free_vars(each) <= params]
            witnesses = witnesses_among(subject.sample(others, conditions), subject.fragment, subject.summary)
            open_ones = [(at, one) for at, one in enumerate(obligations) if at not in found]
            found |= {at for at, obligation in open_ones if witnesses.find(obligation) is not None}
            ends = ends or witnesses.has_end()
    seen = frozenset(obligations[position].name for position in found)
    for position, obligation in enumerate(obligations):
        if position not in found and why_not_taken(obligation, seen if ends else None, pool, LIMIT) is None:
            yield f"{certificate.CLAIM}: {obligation.name} is vacuous: no run of the source satisfies its hypotheses"


def differing_proofs(root: Path, recorded: Recorded, obligations: Sequence[Obligation]) -> Iterator[str]:
    """The proof files that are not those of the obligations."""
    if [o.name for o in obligations] != [o.name for o in recorded.obligations]:
        yield f"{certificate.CLAIM}: the obligations are not those of the source and summary"
        return
    for obligation, one in zip(obligations, recorded.obligations, strict=True):
        if obligation.location.line != one.line:
            yield f"{certificate.CLAIM}: {one.name} is about line {obligation.location.line}, not {one.line}"
        expected = list(scripts(obligation, one))
        if len(expected) != len(one.proofs):
            yield f"{certificate.CLAIM}: the number of proof files of {one.name} is not that of its goals"
        for proof, text in zip(one.proofs, expected, strict=False):
            if not is_part(read_file(root, proof.file), text):
                yield proof.file


def scripts(obligation: Obligation, one: RecordedObligation) -> Iterator[str]:
    """The texts that the proof files of an obligation must have, or parts of."""
    goals = [obligation.goal] if len(one.proofs) == 1 else [goal.formula for goal in obligation.goals]
    efforts = {effort.name: effort for effort in EFFORTS}
    for goal, proof in zip(goals, one.proofs, strict=False):
        effort = efforts.get(proof.effort)
        try:
            script, lemmas = script_for((*obligation.premises, *obligation.assumed), goal, effort) if effort else ("", ())
        except NotEncodable:
            script, lemmas = "", ()
        yield f"; {obligation.name}\n{script}" if lemmas == proof.lemmas else ""
    for _ in goals[len(one.proofs) :]:
        yield ""


def source_fragment(root: Path, recorded: Recorded, reach: Reach) -> Fragment:
    """The function or loop nest in the recorded source."""
    driver = driver_files.load(recorded.driver, meaning=True).driver
    for file in (recorded.source, *(other.file for other in recorded.others)):
        refuse_includes(root, file)
    others = [Unit(root / other.file, other.clang_args) for other in recorded.others]
    source = root / recorded.source
    module = open_source(source, recorded.clang_args, driver.externals, reach, others, leaves=driver.leaves)
    if isinstance(module, Module) and module.left_out:
        raise UsageError(f"{module.left_out[0].path} cannot be linked: {module.left_out[0].why}")
    module, problems = with_pure(module, recorded.pure)
    for problem in problems.values():
        raise UsageError(problem)
    if recorded.nest:
        nests = find_nests(module)
        return import_nest(nests, nests.named(recorded.function))
    return import_function(module, recorded.function)


def refuse_includes(root: Path, source: str) -> None:
    """Raises UsageError where the source is no file of the certificate, or includes what lies outside of its folder."""
    try:
        text = read_text_of(root, source, certificate.LARGEST)
    except OSError as problem:
        raise UsageError(f"{source} cannot be read: {problem.strerror}") from None
    if source.endswith((".py", ".pyw")):
        return
    for line in text.replace("\\\n", "").splitlines():
        for found in INCLUDE.finditer(line):
            named = NEARBY.match(found[1])
            if named is None or ".." in Path(named[1]).parts:
                what = found[1].strip()[:80]
                raise UsageError(f"{source} includes {what}, which is neither beside it nor a header by its plain name")


@dataclass(frozen=True, slots=True)
class Subject:
    """What obligations are about: a function, or a part of one. Its runs are their witnesses: some, or `others` as well, of which
    conditions are asked.
    """

    fragment: Fragment
    summary: Summary
    obligations: list[Obligation]
    sample: Callable[[bool, Sequence[Expr]], Sequence[Input]]


def derived(fragment: Fragment, recorded: Recorded, user: Sequence[tuple[str, Expr]]) -> Iterator[Subject]:
    """The obligations of the recorded source, summary and programs."""
    driver = with_records(driver_files.load(recorded.driver, meaning=True).driver, fragment)
    if isinstance(recorded.summary, StagedSummary):
        yield from derived_staged(fragment, recorded, user, driver)
        return
    summary = recorded.summary
    check_summary(summary, fragment)
    given = (*summary.requires, *(formula for _, formula in user))
    obligations = list(PathGenerator(fragment, summary, given, recorded.identical).obligations())
    stated = of_source(fragment, summary, recorded.identical, user)
    tiled = {target for target in recorded.programs if driver.target(target).machine is not None}
    if tiled != recorded.kernels.keys():
        raise UsageError(f"there are kernels for {sorted(recorded.kernels)}, and programs on tiles for {sorted(tiled)}")
    for target, program in recorded.programs.items():
        assert isinstance(program, TargetProgram)
        check_program(program, fragment, summary)
        text = recorded.kernels.get(target)
        kernel = None if text is None else read_kernel(text, fragment, program, driver, target)
        obligations += claimed(fragment, summary, program, kernel, driver, target, stated)

    def sample(others: bool, more: Sequence[Expr]) -> list[Input]:
        return runs(fragment, (*given, *more), tried=TRIED[others], extents=summary.shapes)

    yield Subject(fragment, summary, obligations, sample)


def derived_staged(fragment: Fragment, recorded: Recorded, user: Sequence[tuple[str, Expr]], driver: Driver) -> Iterator[Subject]:
    """The same for a function with loops that stay."""
    assert isinstance(recorded.summary, StagedSummary)
    claims = StagedClaims.of(fragment, recorded.summary, user)
    reached = Reached(fragment, tuple(formula for _, formula in user))

    def subject(run: Run, obligations: Iterable[Obligation]) -> Subject:
        def sample(others: bool, more: Sequence[Expr]) -> list[Input]:
            return reached.sample(run.part, (*run.summary.requires, *claims.given(run), *more), run.summary, others)

        return Subject(run.part.fragment, run.summary, list(obligations), sample)

    yield from (subject(run, claims.of_part(run)) for run in claims.parts)
    yield from (subject(run, claims.of_all_extents(run)) for run in claims.parts)
    for target, programs in recorded.programs.items():
        assert isinstance(programs, StagedProgram) and driver.target(target).loops
        yield from (subject(run, obligations) for run, obligations in claims.of_target(programs, driver, target))
