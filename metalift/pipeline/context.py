"""What the steps of a lift share: the job, the function with its summary, and the time that each stage takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from metalift.check.assumptions import Stated
from metalift.check.dump import Dump
from metalift.codegen.request import Generated, Style
from metalift.driver import Driver, Target
from metalift.driver.files import Loaded
from metalift.frontend import Module, Nest, Nests, PythonModule, Source, import_function, import_nest, silent_symbols
from metalift.ir.expr.nodes import Expr, Lambda
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.program.fragment import Fragment, PremiseKind, Unsupported
from metalift.ir.program.summary import Aids, Summary, TargetProgram
from metalift.pipeline.proposer import SEARCH, Hints, Proposer
from metalift.prove.solver import SolverPool
from metalift.result.errors import SourceError
from metalift.run.compare.cases import Reference
from metalift.run.compare.falsify import falsify
from metalift.run.inputs.inputs import Run
from metalift.run.workers.jobs import Runnable
from metalift.run.workers.native import NativeBuild
from metalift.run.workers.outlined import OutlinedBuild
from metalift.run.workers.process import Worker
from metalift.run.workers.python_source import PythonSource
from metalift.synth.derive import NotDerived, derive

if TYPE_CHECKING:
    from metalift.pipeline.staged import Stayed

UNIT_INPUTS = 200  # on which the body of a function whose calls stay calls is tried
LANGUAGES = {".py": "python", ".c": "c"}  # of sources, as they are marked in prompts; others are C++


IN_WORDS = {  # of stages
    "summary": "looking for a formula of what its loops compute",
    "inputs": "making inputs to compare with",
    "proof": "proving it",
    "refutation": "looking for an input on which a formula is wrong",
    "cover": "choosing operators",
    "code": "writing the code",
    "test": "running the code beside the source",
}
CLOSED = 0.6  # the part of the time that an obligation of a closed form gets where loops may stay


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is the same for all functions of one call of `lift`. `nests` are the file's loop nests, `nest` the one to lift."""

    path: Path
    module: Source
    drivers: Mapping[str, Loaded]  # by target
    assume: tuple[str, ...]
    pure: tuple[str, ...]
    out: Path | None
    clang_args: tuple[str, ...]
    dump_dir: Path | None
    timeout: float
    pool: SolverPool
    nests: Nests | None = None
    nest: Nest | None = None
    assume_of: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by function, with or without its namespace
    proposer: Proposer = SEARCH
    style: Style = Style()
    last_resort: bool = False  # nothing else is proved: choose what is read of arrays written in part, take narrow programs
    drafted: Callable[[str, str, str], None] | None = None  # told of code before it is proved: the function, the target, the text
    kept: dict[tuple[str, str], tuple[Fragment, Generated]] = field(default_factory=dict)  # by loop and target, for its host

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets, in the order in which they were asked for."""
        return tuple(self.drivers)

    def driver(self, target: str) -> Driver:
        """The driver of a target."""
        return self.drivers[target].driver

    def target(self, name: str) -> Target:
        """A target as its driver describes it."""
        return self.driver(name).target(name)

    @property
    def python(self) -> PythonModule | None:
        """The file, where it is Python."""
        return self.module if isinstance(self.module, PythonModule) else None

    @property
    def language(self) -> str:
        """The source's language, as it is marked in prompts."""
        return LANGUAGES.get(self.path.suffix, "cpp")

    @property
    def with_loops(self) -> tuple[str, ...]:
        """The targets for which the search may let loops stay loops."""
        return self.have_loops if self.proposer.search else ()

    @property
    def have_loops(self) -> tuple[str, ...]:
        """The targets in whose code there can be loops."""
        return () if self.nest is not None else tuple(name for name in self.targets if self.target(name).loops)

    @property
    def closed_timeout(self) -> float:
        """Seconds for an obligation of a closed form: not all of them where loops may stay instead."""
        return self.timeout * (CLOSED if self.with_loops else 1)

    def fragment(self, name: str, dump: Dump) -> Fragment:
        """The function of that name, or the nest."""
        if self.nests is not None and self.nest is not None:
            return import_nest(self.nests, self.nest)
        return import_function(self.module, name, None if dump.folder is None else dump.below("passes").write)

    def executed(self, fragment: Fragment) -> Fragment | str:
        """The fragment as it runs: with the bodies of functions whose calls stay calls. A text says which has none."""
        if not any(premise.kind is PremiseKind.CALLS for premise in fragment.premises):
            return fragment
        if self.nest is not None or not isinstance(self.module, Module):
            return "it calls functions that have no body here"
        try:
            return import_function(replace(self.module, externals=()), fragment.symbol)
        except Unsupported as problem:
            return problem.diagnostic.message.partition(";")[0]

    def units(self, fragment: Fragment) -> Iterator[tuple[str, Lambda]]:
        """The bodies that the source has of functions whose calls stay calls, where each is an expression of its arguments.

        That these are right is tried, not proved: no proof speaks of them.
        """
        if self.nest is not None or not isinstance(self.module, Module):
            return
        if not any(premise.kind is PremiseKind.CALLS for premise in fragment.premises):
            return
        for each in self.module.externals:
            with suppress(SourceError, Unsupported, NotDerived):
                unit = import_function(replace(self.module, externals=()), each.name)
                summary = derive(unit)
                values = {binding.var: binding.value for binding in summary.bindings}
                body = dict(summary.outputs)["return"]
                while not values.keys().isdisjoint(free_vars(body)):
                    body = substitute(body, dict(values))
                if falsify(unit, TargetProgram((), (), body), (), summary=summary, tried=UNIT_INPUTS, seed=1) is None:
                    yield each.name, Lambda(tuple(param.var for param in unit.params), body)

    def native(self, fragment: Fragment) -> Runnable:
        """The source to compare with, as it is compiled or interpreted."""
        if self.nests is not None and self.nest is not None:
            return nest_source(fragment, self.nests, self.nest, self.path)
        if isinstance(self.module, PythonModule):
            return PythonSource(fragment, self.path)
        silent, others = silent_symbols(self.module), self.module.others
        return NativeBuild(fragment, self.path, self.clang_args, others=others, silent=silent, large=self.module.large)


def nest_source(fragment: Fragment, nests: Nests, nest: Nest, path: Path) -> Runnable:
    """A loop as it is compiled or interpreted, in a function of its own."""
    if isinstance(nests.module, PythonModule):
        from metalift.frontend.python.nests import PythonNest

        assert isinstance(nest, PythonNest)
        return PythonSource(fragment, path, nest.text)
    from metalift.frontend.llvm import nests as llvm_nests

    assert isinstance(nests, llvm_nests.Nests) and isinstance(nest, llvm_nests.Nest)
    return OutlinedBuild(fragment, nests, nest)


@dataclass(slots=True)
class Stages:
    """Wall time of each stage in seconds; `watch` is told of each when it begins (True) and when it ends."""

    seconds: dict[str, float] = field(default_factory=dict)
    watch: Callable[[str, bool], None] | None = None

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Time a stage; repeated ones add up."""
        began = time.perf_counter()
        if self.watch is not None:
            self.watch(stage, True)
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - began
            if self.watch is not None:
                self.watch(stage, False)


def in_words(stage: str) -> str:
    """What is done in a stage, for a message on a function that took too long; empty where people know no more by it."""
    first, _, target = stage.partition(" ")
    words = IN_WORDS.get(first, "")
    return f"{words} for {target}" if words and target else words


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifted:
    """A function with its summary: what every target starts from.

    `native` is a text where the source cannot be run; `references` makes inputs that satisfy conditions. `executed` is the
    fragment that runs are compared with; `programs` are known to compute the summary in some targets; `units` are bodies of
    functions whose calls stay calls; `stay` proves the source with its loops as they are, where the targets have loops.
    """

    fragment: Fragment
    summary: Summary
    stated: tuple[Stated, ...]
    proved: bool
    sample: tuple[Run, ...]
    native: Runnable | str
    references: Callable[[tuple[Expr, ...]], Sequence[Reference]]
    workers: Mapping[str, Worker | str]
    executed: Fragment
    programs: Mapping[str, TargetProgram] = field(default_factory=dict)
    units: Mapping[str, Lambda] = field(default_factory=dict)
    stay: Callable[[Hints, Aids], Stayed] | None = None


def file_name(function: str) -> str:
    """A function's name as a file name."""
    return "".join(c if c.isalnum() or c == "_" else "_" for c in function)
