"""Mutates the sources of the suites in five ways, lifts the mutants, and prints what becomes of them.

Usage, from the root of the project: python -m benchmarks.sources [--mutants N] [--seed S] [--share F] [--skip N] [SUITE ...]

A mutant "differs" if some input tells its source from the summary of the source that it was made of. One that differs has to be
lifted for what it computes itself ("own": proved, with code that agrees with the mutant compiled, and no input tells the mutant
from the summary that was proved), or not to be proved at all. "wrong" are those for which neither holds: exit status 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from benchmarks.source_mutants import SourceMutant, source_mutants
from benchmarks.suites import Kernel, read_suite, suite_names
from metalift import lift
from metalift.frontend import import_function, open_source
from metalift.ir.program.fragment import Fragment, Unsupported
from metalift.ir.program.summary import Summary
from metalift.result import FunctionResult
from metalift.result.errors import MetaliftError, SourceError
from metalift.result.verdict import Agreement, FunctionVerdict
from metalift.run.compare.falsify import falsify
from metalift.synth.derive import NotDerived, derive
from metalift.vcgen.obligation import ObligationError

INPUTS = 600  # that are tried to tell a mutant from a summary
SECONDS = 5.0  # for an obligation


class Fate(Enum):
    """What became of a mutant."""

    OWN = "own"
    SAME = "same"
    REFUSED = "refused"
    BROKEN = "broken"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Lifted:
    """A mutant, what became of it, and why."""

    mutant: SourceMutant
    fate: Fate
    reason: str = ""


def fates(kernel: Kernel, count: int, seed: int, folder: Path) -> Iterator[Lifted]:
    """Lift the mutants of one kernel."""
    original = derive(import_function(open_source(kernel.path), kernel.function))
    for mutant in source_mutants(kernel.path.read_text(encoding="utf-8"), count, seed):
        path = folder / kernel.path.name
        path.write_text(mutant.text, encoding="utf-8")
        yield fate(mutant, path, kernel.function, original)


def fate(mutant: SourceMutant, path: Path, function: str, original: Summary) -> Lifted:
    """Lift one mutant, and check what is claimed of it."""
    try:
        fragment = import_function(open_source(path), function)
    except SourceError as problem:
        return Lifted(mutant, Fate.BROKEN, str(problem).splitlines()[0])
    except Unsupported as problem:
        return Lifted(mutant, Fate.REFUSED, problem.diagnostic.message)
    try:
        (result,) = lift(path, functions=[function], timeout=SECONDS).functions
    except MetaliftError as problem:
        return Lifted(mutant, Fate.REFUSED, str(problem))
    if result.verdict is not FunctionVerdict.PROVED:
        return Lifted(mutant, Fate.REFUSED, result.verdict.value)
    if (wrong := false(result, fragment)) is not None:
        return Lifted(mutant, Fate.WRONG, wrong)
    return Lifted(mutant, Fate.OWN if tells_apart(fragment, original) else Fate.SAME)


def false(result: FunctionResult, fragment: Fragment) -> str | None:
    """What is wrong with a claim that the function is proved; None if nothing is found."""
    disagreeing = [name for name, target in result.targets.items() if target.checked is Agreement.DIFFERS]
    if disagreeing:
        return f"the code for {disagreeing[0]} differs from the mutant's: {result.summary}"
    try:
        derived = derive(fragment)
    except (NotDerived, ObligationError):
        return None  # proved for another summary than the one that is derived; its code was compared
    return f"an input tells it from {result.summary}" if tells_apart(fragment, derived) else None


def tells_apart(fragment: Fragment, summary: Summary) -> bool:
    """Whether some input tells a source from a summary; one that does not even fit its parameters does."""
    try:
        return falsify(fragment, summary, summary.requires, tried=INPUTS, seed=1) is not None
    except (ValueError, KeyError, TypeError):
        return True


def kernels(suites: Sequence[str], share: float, seed: int) -> list[Kernel]:
    """The kernels that are expected to be proved, or a share of them, drawn with the seed."""
    found = [kernel for suite in suites for kernel in read_suite(suite) if kernel.expected == "PROVED"]
    drawn = random.Random(seed).sample(range(len(found)), max(1, round(share * len(found))))
    return [found[place] for place in sorted(drawn)]


def main(argv: Sequence[str] | None = None) -> int:
    """Mutate and lift; a line for each kernel, and the totals."""
    parser = argparse.ArgumentParser(description="Lift mutants of the sources; none may be proved for what it does not compute.")
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--mutants", type=int, default=5, help="of each source (default: 5)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="of the sources that are taken (default: 1)")
    parser.add_argument("--skip", type=int, default=0, help="so many sources, which a run that was stopped has done")
    options = parser.parse_args(argv)
    say = sys.stdout.write
    say(f"{'kernel':<28}{'style':<26}" + "".join(f"{fate.value:>9}" for fate in Fate) + "\n")
    totals: Counter[Fate] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for kernel in kernels(options.suites or suite_names(), options.share, options.seed)[options.skip :]:
            found = list(fates(kernel, options.mutants, options.seed, Path(folder)))
            counts = Counter(each.fate for each in found)
            totals += counts
            say(f"{kernel.label:<28}{kernel.style:<26}" + "".join(f"{counts[fate]:>9}" for fate in Fate) + "\n")
            for each in found:
                if each.fate is Fate.WRONG:
                    change = f"line {each.mutant.line}, {each.mutant.kind}: {each.mutant.old!r} became {each.mutant.new!r}"
                    say(f"    WRONG: {change}: {each.reason}\n")
            sys.stdout.flush()
    say(f"\n{totals.total()} mutants of sources: {totals[Fate.OWN]} proved for what they compute themselves, ")
    say(f"{totals[Fate.SAME]} compute the same as before, {totals[Fate.REFUSED]} not proved, ")
    say(f"{totals[Fate.BROKEN]} do not compile, {totals[Fate.WRONG]} wrong\n")
    return 1 if totals[Fate.WRONG] else 0


if __name__ == "__main__":
    raise SystemExit(main())
