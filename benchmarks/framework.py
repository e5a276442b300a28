"""Mutates the framework's own obligations and encoding, and runs the tests that claim things: which mutants does none notice?

Usage, from the root of the project:
    python -m benchmarks.framework [--seed S] [--count N] [--seconds S] [--log FILE] [TEXT ...]

The mutants are in framework.toml: a dropped hypothesis, a bound off by one, operands exchanged, a conjunct lost, a case of
aliasing forgotten. Each is applied to the text of one module, in a process of its own, as the module is imported; TEXT chooses
those whose description or file contains it. The test that fails is run twice more, alone: it has to fail under the mutant and to
pass without it, so that a proof that comes too late on a busy machine catches nothing ("unclear").
With --log, results are recorded and mutants with a result are not tried again.
Exit status 1 where a mutant survives, does not apply, or the tests fail without any.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import json
import random
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
TESTS = (
    "tests/vcgen/test_claims.py",
    "tests/vcgen/test_wrong_summaries.py",
    "tests/trust/test_programs.py",
    "tests/trust/test_lemma_instances.py",
    "tests/ir/test_three_way.py",
    "tests/vcgen/test_parts.py",
    "tests/vcgen/test_cuts.py",
    "tests/vcgen/test_nested.py",
    "tests/prove",
    "tests/trust/test_kept_instances.py",
    "tests/trust/test_real_arithmetic.py",
    "tests/trust/test_overlap_guards.py",
    "tests/trust/test_empty_rows.py",
    "tests/trust/test_restrictions.py",
    "tests/trust/test_early_values.py",
)
INSTANCES = "tests/trust/test_lemma_instances.py"
FIRST = {"prove/folds.py": INSTANCES, "prove/extents.py": INSTANCES, "prove/indices.py": INSTANCES}
FIRST |= {"prove/kept.py": "tests/trust/test_kept_instances.py"}
FIRST |= {"vcgen/refinement.py": "tests/trust/test_programs.py", "vcgen/bounded.py": "tests/vcgen/test_parts.py"}
FIRST |= {"prove/encode.py": "tests/ir/test_three_way.py", "codegen/guards.py": "tests/trust/test_overlap_guards.py"}
FIRST |= {"frontend/lower/shape.py": "tests/trust/test_restrictions.py"}
FIRST |= {"prove/relations.py": "tests/prove/test_folds.py", "vcgen/same_results.py": "tests/vcgen/test_nested.py"}
REALS = "tests/trust/test_real_arithmetic.py"
FIRST |= {"check/assumptions.py": REALS, "frontend/llvm/importer/params.py": REALS, "codegen/rounding.py": REALS}
REBINDING = "tests/trust/test_rebinding.py"
NAMES = ("bindings", "module", "namespaces", "own_names", "rebinding")
FIRST |= {f"frontend/python/naming/{name}.py": REBINDING for name in NAMES}
FIRST |= {f"frontend/python/{name}.py": REBINDING for name in ("function", "reader/libraries")}
FIRST |= {"frontend/llvm/compile/options.py": "tests/trust/test_clang_arguments.py"}
FIRST |= {"frontend/llvm/compile/confined.py": "tests/trust/test_includes.py"}
FIRST |= {"check/recheck.py": "tests/certificate/test_edited.py"}
ROUNDING, LEFT = "tests/trust/test_rounding.py", "tests/trust/test_left_inputs.py"
FIRST |= {f"run/compare/{name}.py": ROUNDING for name in ("undecided", "precision", "agreement")}
FIRST |= {"pipeline/target.py": ROUNDING}
FIRST |= {f"run/compare/{name}.py": LEFT for name in ("cases", "lost")} | {"check/ranges.py": LEFT}
EARLY = "tests/trust/test_early_values.py"
FIRST |= {f"codegen/{name}.py": EARLY for name in ("partial", "plain_numbers", "known_sizes", "entry", "scalars")}
FIRST |= {"frontend/lower/c_scalars.py": EARLY}
FIRST |= {f"prove/{name}.py": "tests/prove/test_before_instances.py" for name in ("choices", "wraps")}
FIRST |= {f"frontend/python/{name}.py": "tests/frontend/python/test_names_of_lists.py" for name in ("flow", "reader/loops")}
SECONDS = 600  # for the tests under one mutant
TOO_LATE = -1
UNCLEAR = -2
MOST_UNCLEAR = 3  # tests that may be left out under a mutant
FATES = {0: "SURVIVES", 1: "caught", UNCLEAR: "UNCLEAR"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A text that occurs once in a file below metalift/, and what it becomes; `what` that means.

    `first` are the tests that are run first, where these are others than for its file.
    """

    what: str
    file: str
    before: str
    after: str
    first: str | None = None

    @property
    def module(self) -> str:
        """The name of the module."""
        return "metalift." + self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def applied(self, text: str) -> str:
        """The mutated text. Raises ValueError where it does not apply."""
        if text.count(self.before) != 1:
            raise ValueError(f"{self.file} has {text.count(self.before)} times: {self.before.strip().splitlines()[0]}")
        return text.replace(self.before, self.after)


def read_mutants() -> tuple[Mutant, ...]:
    """All of framework.toml."""
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(Mutant(**each) for each in data["mutant"])


def applies(mutant: Mutant) -> str:
    """Why a mutant does not apply; empty where it does."""
    try:
        changed = mutant.applied((ROOT / "metalift" / mutant.file).read_text(encoding="utf-8"))
        compile(changed, mutant.file, "exec")
    except (OSError, ValueError, SyntaxError) as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


class Changed(importlib.machinery.SourceFileLoader):
    """Loads one module as its mutant."""

    def __init__(self, mutant: Mutant, path: str) -> None:
        super().__init__(mutant.module, path)
        self.mutant = mutant

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed text; nothing is cached."""
        text = self.mutant.applied(Path(self.path).read_text(encoding="utf-8"))
        exec(compile(text, self.path, "exec"), module.__dict__)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the module of a mutant before anything else does."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec with the loader that changes the text."""
        if fullname != self.mutant.module:
            return None
        file = str(ROOT / "metalift" / self.mutant.file)
        return importlib.util.spec_from_file_location(fullname, file, loader=Changed(self.mutant, file))


def run_tests(mutant: Mutant | None, only: str | None, without: Sequence[str]) -> int:
    """Run the tests here but some, or one of them, until one fails."""
    import pytest

    if mutant is not None:
        sys.meta_path.insert(0, Finder(mutant))
    first = mutant.first or FIRST.get(mutant.file) if mutant is not None else None
    chosen = [first, *(test for test in TESTS if test != first)] if first is not None else list(TESTS)
    chosen = chosen if only is None else [only]
    left_out = [f"--deselect={test}" for test in without]
    plain = "--assert=plain"  # else pytest itself finds modules of packages with plugins, before the mutant is
    options = ["-x", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", plain, "--full"]
    return int(pytest.main([*options, *left_out, *chosen]))


def fate(number: int) -> tuple[int, str]:
    """The exit status of the tests under a mutant (-1: under none), and the test that failed; UNCLEAR where that fails anyway.

    A test that fails without the mutant too, or passes alone, says nothing: the others go on without it.
    """
    unclear: dict[str, str] = {}
    while True:
        status, text = run_child(number, without=tuple(unclear))
        if status != 1 or number < 0 or "::" not in text:
            return (UNCLEAR, "; ".join(unclear.values())) if unclear and status == 0 else (status, text)
        again, anyway = run_child(number, text)[0], run_child(-1, text)[0]
        if (again, anyway) == (1, 0):
            return status, text
        if text in unclear or len(unclear) == MOST_UNCLEAR:
            return UNCLEAR, "; ".join(unclear.values())
        unclear[text] = f"{text} alone: status {again} under the mutant, {anyway} without it"


def run_child(number: int, only: str | None = None, without: Sequence[str] = ()) -> tuple[int, str]:
    """The exit status of a process that runs the tests under a mutant, and the test that failed."""
    command = [sys.executable, "-m", "benchmarks.framework", "--child", str(number), *(["--only", only] if only else [])]
    command += [part for test in without for part in ("--without", test)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return TOO_LATE, f"the tests take longer than {SECONDS} s"
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return done.returncode, failed[1] if failed else done.stdout.strip()[-300:]


def main(argv: Sequence[str] | None = None) -> int:
    """Try the mutants, print those that survive."""
    parser = argparse.ArgumentParser(description="Mutate the framework; some test has to fail.")
    parser.add_argument("texts", nargs="*", metavar="TEXT")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    parser.add_argument("--without", action="append", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--log", type=Path)
    options = parser.parse_args(argv)
    mutants = read_mutants()
    if options.child is not None:
        return run_tests(mutants[options.child] if options.child >= 0 else None, options.only, options.without)
    known: dict[str, tuple[int, str]] = {}
    if options.log is not None and options.log.exists():
        lines = map(json.loads, options.log.read_text(encoding="utf-8").splitlines())
        known = {what: (status, text) for what, (status, text) in lines}
    return campaign(mutants, options, known)


def campaign(mutants: Sequence[Mutant], options: argparse.Namespace, known: dict[str, tuple[int, str]]) -> int:
    """Try those that are chosen and not known; the exit status."""
    say = sys.stdout.write
    chosen = [n for n, one in enumerate(mutants) if all(text in f"{one.file} {one.what}" for text in options.texts)]
    random.Random(options.seed).shuffle(chosen)
    began = time.monotonic()
    stale = [(one, why) for one in mutants if (why := applies(one))]
    for one, why in stale:
        say(f"DOES NOT APPLY {one.what}: {why}\n")
    if not known:
        status, text = fate(-1)
        if status != 0:
            say(f"the tests fail without a mutant: {text}\n")
            return 1
    for number in chosen[: options.count]:
        one = mutants[number]
        if one.what in known or applies(one) or time.monotonic() - began > options.seconds:
            continue
        known[one.what] = fate(number)
        if options.log is not None:
            with options.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps([one.what, known[one.what]]) + "\n")
        status, text = known[one.what]
        say(f"{FATES.get(status, 'BROKEN')} {one.file}: {one.what} [{text}]\n")
        sys.stdout.flush()
    done = [known[mutants[number].what][0] for number in chosen if mutants[number].what in known]
    say(f"{len(done)} of {len(chosen)} mutants of the framework tried: {done.count(1)} caught by a test, ")
    say(f"{done.count(0)} survive, {len(done) - done.count(1) - done.count(0)} broken; {len(stale)} do not apply\n")
    return 0 if done.count(1) == len(done) and not stale else 1


if __name__ == "__main__":
    raise SystemExit(main())
