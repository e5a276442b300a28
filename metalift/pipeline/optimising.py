"""`metalift optimise`: a beam search over moves of kernels on tiles, by the model of the machine; the best that proves is lifted.

A candidate is proved as far as it is a kernel of its program; goals that candidates share are proved once. The first that proves
is lifted as any kernel is: all of it is proved anew, its text is run beside the source in the simulator, and it has a
certificate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from metalift.check.assumptions import formulas, of_source
from metalift.check.claims import read_kernel, with_target
from metalift.check.proving import claim
from metalift.driver import CannotWrite, Driver, Request
from metalift.driver.choosing import select
from metalift.driver.moves import Optimiser
from metalift.frontend import Source, functions_of, import_function, open_source
from metalift.ir.expr.types import BOOL
from metalift.ir.program.fragment import Unsupported
from metalift.ir.program.kernel import Kernel
from metalift.ir.text import show, show_program
from metalift.ir.text.kernels import show_kernel
from metalift.pipeline.search_log import Candidate, SearchLog, key_of
from metalift.prove.goal_cache import GoalCache
from metalift.prove.solver import SolverPool
from metalift.result import FunctionResult
from metalift.result.errors import UsageError
from metalift.result.verdict import FunctionVerdict
from metalift.synth.cover import NotCovered, cover
from metalift.synth.derive import NotDerived, derive
from metalift.system.names import chosen_by_part
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.tile_obligations import TileGenerator


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far a search goes: candidates that a round keeps, rounds, seconds; how many of the best are tried to be proved."""

    beam: int = 4
    rounds: int = 8
    seconds: float = 180.0
    best: int = 3
    timeout: float = 10.0  # seconds for an obligation


@dataclass(frozen=True, slots=True)
class Optimised:
    """What became of a function: its lift with the kernel that was chosen, what that takes by the model, and before the search.

    `left` says what a search that did not come to its end left out; `reason` why there is no lift.
    """

    function: str
    lifted: FunctionResult | None = None
    before: str = ""
    after: str = ""
    candidates: int = 0
    tried: tuple[tuple[str, str], ...] = ()
    left: str = ""
    reason: str = ""

    @property
    def proved(self) -> bool:
        """Whether there is a kernel that is proved and agrees with the source."""
        return self.lifted is not None and self.lifted.verdict is FunctionVerdict.PROVED


def optimise(
    source: Path, *, function: str | None = None, to: str, driver: str | None = None, out: Path, limits: Limits,
    clang_args: tuple[str, ...] = (), watch: Callable[[str], None] = lambda _: None,
) -> Iterator[Optimised]:  # fmt: skip
    """Search for a faster kernel of each function of a file, or of one. Raises UsageError."""
    loaded = select(driver, [to])[to]
    if loaded.driver.target(to).optimiser is None:
        raise UsageError(f"there are no moves for {to}: only a target with a model of its machine has them, such as nki")
    module = open_source(source, clang_args)
    names = [name for name, _ in functions_of(module)]
    if not names:
        raise UsageError(f"{source} has no function with a body")
    for name in chosen_by_part([function], names, "function", f"in {source}") if function else names:
        search = Search(module, name, loaded.driver, to, out / "search" / name.rpartition("::")[2], limits, watch)
        try:
            yield search.lifted(source, driver or loaded.name, out, clang_args)
        except (NotCovered, NotDerived, Unsupported, CannotWrite, ObligationError) as problem:
            yield Optimised(name, reason=str(problem))


class Search:
    """The search for one function."""

    def __init__(
        self, module: Source, name: str, driver: Driver, target: str, folder: Path, limits: Limits, watch: Callable[[str], None]
    ) -> None:
        self.module, self.name, self.driver, self.target = module, name, driver, target
        self.folder, self.limits, self.watch = folder, limits, watch
        self.cache = GoalCache()
        self.left = ""

    def lifted(self, source: Path, driver: str, out: Path, clang_args: tuple[str, ...]) -> Optimised:
        """The lift with the best kernel that is proved."""
        request = self.requested()
        log = SearchLog.open(self.folder, self.about(request))
        self.run(request, log)
        first = min(log.candidates.values(), key=lambda each: (each.round, each.move != "default"))
        begun = Optimised(self.name, before=self.optimiser.told(request, self.kernel(request, log, first.key)), left=self.left)
        tried: list[tuple[str, str]] = []
        for candidate in self.proved(request, log):
            kernel = self.kernel(request, log, candidate.key)
            self.watch(f"lift {candidate.key}")
            result = self.lift(source, driver, out, clang_args, request, kernel)
            tried.append((candidate.key, result.verdict.value))
            log.write({"proof": candidate.key, "verdict": result.verdict.value, "all": True, "lifted": True})
            if result.verdict is FunctionVerdict.PROVED:
                after = self.optimiser.told(request, kernel)
                self.paged(log)
                return replace(begun, lifted=result, after=after, candidates=len(log.candidates), tried=tuple(tried))
        self.paged(log)
        return replace(begun, candidates=len(log.candidates), tried=tuple(tried), reason="no candidate is proved")

    def paged(self, log: SearchLog) -> None:
        """Write the page."""
        (self.folder / "tree.html").write_text(log.page(), encoding="utf-8")

    @property
    def optimiser(self) -> Optimiser:
        """The target's."""
        found = self.driver.target(self.target).optimiser
        assert found is not None
        return found

    def requested(self) -> Request:
        """What the driver is given. Raises Unsupported, NotDerived, NotCovered."""
        fragment = import_function(self.module, self.name)
        summary = derive(fragment)
        return Request(fragment, summary, cover(summary, fragment, self.driver, self.target))

    def about(self, request: Request) -> str:
        """What a log is of: the program, and the model by which candidates are compared."""
        return f"{self.target}, model {self.optimiser.version}\n{show_program(request.program)}"

    def kernel(self, request: Request, log: SearchLog, key: str) -> Kernel:
        """A candidate's kernel, read from its text. Raises ObligationError."""
        return read_kernel(log.text(key), request.fragment, request.program, self.driver, self.target)

    # The search

    def run(self, request: Request, log: SearchLog) -> None:
        """Rounds, each of all moves of the best candidates of the one before, from where the log ends."""
        end = time.monotonic() + self.limits.seconds
        if not log.beams:
            for number, kernel in enumerate(self.optimiser.starts(request)):
                self.add(request, log, kernel, Candidate("", "", "width" if number else "default", (), "", 0, 0.0))
            log.write({"beam": [each.key for each in log.best()[: self.limits.beam]]})
        while len(log.beams) <= self.limits.rounds:
            number, before = len(log.beams), len(log.candidates)
            for key in log.beams[-1]:
                if not self.moved(request, log, key, number, end):
                    self.left = f"the time was over in round {number} of {self.limits.rounds}"
                    return
            kept = [each for each in log.best() if each.round == number][: self.limits.beam]
            log.write({"beam": [each.key for each in kept]})
            least = log.best()[0]
            self.watch(f"round {number}: {len(log.candidates) - before} new candidates, the best {least.score:.4f} (modelled)")
            if not kept:
                return

    def moved(self, request: Request, log: SearchLog, key: str, number: int, end: float) -> bool:
        """All candidates that one move makes of one; whether the time was enough."""
        kernel = self.kernel(request, log, key)
        for move in self.optimiser.moves:
            for site in move.sites(kernel):
                if time.monotonic() > end:
                    return False
                made = move.apply(kernel, site)
                guard = show(made.guard, BOOL)
                self.add(request, log, made.kernel, Candidate("", key, move.NAME, site, guard, number, 0.0))
        return True

    def add(self, request: Request, log: SearchLog, kernel: Kernel, made: Candidate) -> None:
        """A candidate, unless it is known, or the model cannot count it."""
        text = show_kernel(kernel)
        key = key_of(text)
        if key in log.candidates:
            return
        try:
            log.add(replace(made, key=key, score=self.optimiser.score(request, kernel)), text)
        except CannotWrite:
            return

    # Proofs

    def proved(self, request: Request, log: SearchLog) -> Iterator[Candidate]:
        """The best candidates that are proved to compute the program, the best one first; only a few are tried."""
        stated = of_source(request.fragment, request.summary, {}, ())
        assumed = formulas(with_target(request.program, self.driver, self.target, stated))
        with SolverPool(2, keep=True) as pool:
            for candidate in log.best()[: self.limits.best]:
                known = log.proofs.get(candidate.key)
                if known is None or not known.get("all"):
                    kernel = self.kernel(request, log, candidate.key)
                    generator = TileGenerator(request.fragment, request.program, kernel, self.driver, assumed)
                    try:
                        wanted = [claim(each) for each in generator.obligations()]
                    except ObligationError as problem:
                        log.write({"proof": candidate.key, "verdict": "UNKNOWN", "failing": str(problem)})
                        continue
                    found = self.cache.settle(wanted, pool, self.limits.timeout)
                    verdict = "PROVED" if found.all else "UNKNOWN"
                    self.watch(f"{candidate.key}: {verdict}, {found.goals} goals, {found.known} known, {found.seconds:.1f} s")
                    goals = {"goals": found.goals, "known": found.known}
                    log.write({"proof": candidate.key, "verdict": verdict, "all": found.all, "failing": found.failing, **goals})
                    if not found.all:
                        continue
                yield candidate

    def lift(
        self, source: Path, driver: str, out: Path, clang_args: tuple[str, ...], request: Request, kernel: Kernel
    ) -> FunctionResult:
        """The function lifted with that kernel."""
        from metalift.pipeline import lift  # which may import this module in its turn

        def lower(wanted: Request) -> Kernel:
            if wanted.program == request.program:
                return kernel
            own = self.driver.target(self.target).lower
            assert own is not None
            return own(wanted)

        found = lift(
            source, functions=[self.name], to=[self.target], driver=driver, out=out, clang_args=clang_args,
            timeout=self.limits.timeout, change={self.target: lambda own: replace(own, lower=lower)},
        )  # fmt: skip
        return found.functions[0]
