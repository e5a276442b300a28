"""One file, function by function: whether it can be read and its summary derived, or what stands in the way."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from metalift import pipeline
from metalift.app.scan.python_members import loops_of, other_functions
from metalift.app.scan.rows import Row, Status
from metalift.frontend import (
    Nest,
    Nests,
    PythonModule,
    Source,
    find_nests,
    functions_of,
    import_function,
    import_nest,
    open_source,
    outermost_nests,
)
from metalift.frontend.files import Program
from metalift.frontend.llvm.compile.confined import Reach
from metalift.frontend.llvm.linking import link
from metalift.frontend.llvm.salvage import Salvaged, salvage
from metalift.frontend.llvm.source import find_function, loops_in, text_of_function
from metalift.frontend.python import SUFFIXES
from metalift.ir.program.fragment import Fragment, Unsupported
from metalift.result import FunctionResult
from metalift.result.errors import MetaliftError
from metalift.result.verdict import FunctionVerdict
from metalift.synth.derive import NotDerived, derive
from metalift.vcgen.obligation import ObligationError

STATUSES = {
    FunctionVerdict.PROVED: Status.PROVED,
    FunctionVerdict.TESTED: Status.TESTED,
    FunctionVerdict.VACUOUS: Status.VACUOUS,
    FunctionVerdict.NOT_LIFTED: Status.NOT_LIFTED,
    FunctionVerdict.UNSUPPORTED: Status.UNSUPPORTED,
    FunctionVerdict.ERROR: Status.FAILED,
}


@dataclass(frozen=True, slots=True)
class Lifting:
    """How what can be lifted is: `metalift.lift`'s arguments of the same names."""

    to: tuple[str, ...]
    driver: str | None
    out: Path  # of this file
    timeout: float


def examine(path: Path, program: Program, reach: Reach, lifting: Lifting | None) -> Iterator[Row | str]:
    """The rows of one file, which includes only what is within the reach, and notes on what is not linked with it.

    Only what the file's own compilation accepts as it is is lifted.
    """
    if path.suffix in SUFFIXES:
        module = open_source(path)
        yield from _File(path, module, program, lifting).rows()
        if isinstance(module, PythonModule):
            yield from other_functions(module)
        return
    with tempfile.TemporaryDirectory(prefix="metalift-scan-") as scratch:
        saved = salvage(path, program.clang_args, Path(scratch), reach)
        changed = _changed(saved)
        module = link(replace(saved.module, reach=reach), program.named, program.offered)
        yield from (f"{path}: not linked with {each.path}: {each.why}" for each in module.left_out)
        yield from _File(path, module, program, None if changed else lifting, changed).rows()
        for one in saved.broken:
            if one.function and Path(one.file) == path:
                yield Row(one.file, one.line, one.name, Status.BROKEN, one.loops, one.message, one.error_line)


def _changed(saved: Salvaged) -> str:
    """Why what is found is not lifted: another text than the file's was compiled. Empty where it was the file's."""
    if saved.missing:
        return f"the header {saved.missing[0]} was not found; give its folder with -- -I"
    return "parts of the file do not compile" if saved.broken else ""


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    module: Source
    program: Program
    lifting: Lifting | None
    changed: str = ""

    def rows(self) -> Iterator[Row]:
        """Each function; the loop nests of those that stay out."""
        nests = self.nests()
        for name, line in functions_of(self.module):
            row = self.row(name, line, self.loops(name), partial(import_function, self.module, name))
            yield row
            if nests is not None and not row.status.good:
                for nest in outermost_nests(nests, self.module, name):
                    yield from self.nest_rows(nests, nest)

    def nests(self) -> Nests | None:
        """The loop nests; None where there are none, or the LLVM pass is not there."""
        try:
            return find_nests(self.module)
        except MetaliftError:
            return None

    def nest_rows(self, nests: Nests, nest: Nest) -> Iterator[Row]:
        """A nest; where it stays out, those in it."""
        loops = 1 + _depth(nests, nest)
        row = self.row(nest.name, nest.first, loops, partial(import_nest, nests, nest), nest)
        yield row
        if not row.status.good:
            for inner in nests.inside(nest.symbol):
                yield from self.nest_rows(nests, inner)

    def row(self, name: str, line: int, loops: int, read: Callable[[], Fragment], nest: Nest | None = None) -> Row:
        """What is known of one function or nest."""
        status, reason, where = Status.CANDIDATE, self.changed, 0
        try:
            derive(read())
        except Unsupported as problem:
            status, reason, where = Status.UNSUPPORTED, problem.diagnostic.message, problem.diagnostic.location.line
        except (NotDerived, ObligationError) as problem:
            status, reason, where = Status.NOT_LIFTED, problem.diagnostic.message, problem.diagnostic.location.line
        except (MetaliftError, Exception) as problem:  # noqa: BLE001 - one function's defect must not hide the others
            status, reason = Status.FAILED, f"{type(problem).__name__}: {problem}"
        if status is Status.CANDIDATE and self.lifting is not None and loops:
            status, reason, where = self.lifted(name, nest)
        return Row(str(self.path), line, name, status, loops, reason, where, nest is not None)

    def lifted(self, name: str, nest: Nest | None) -> tuple[Status, str, int]:
        """What a lift of it gives."""
        assert self.lifting is not None
        result = pipeline.lift(
            self.path,
            functions=() if nest else (name,),
            to=self.lifting.to,
            driver=self.lifting.driver,
            out=self.lifting.out,
            program=self.program,
            timeout=self.lifting.timeout,
            line=nest.first if nest else None,
        )
        own = [one for one in result.functions if one.name == name] or list(result.functions)
        return STATUSES[own[0].verdict], *_reason(own[0])

    def loops(self, name: str) -> int:
        """How many loops the function's text has."""
        if isinstance(self.module, PythonModule):
            return loops_of(self.module.find(name))
        return loops_in(text_of_function(self.module, find_function(self.module, name)))


def _depth(nests: Nests, nest: Nest) -> int:
    """How many loops are in a nest."""
    return sum(1 + _depth(nests, inner) for inner in nests.inside(nest.symbol))


def _reason(result: FunctionResult) -> tuple[str, int]:
    """Why it is not proved, and where."""
    if result.verdict is FunctionVerdict.PROVED:
        return "", 0
    if result.diagnostics:
        return result.diagnostics[-1].message, result.diagnostics[-1].line
    return (result.attempt.obligation or "" if result.attempt else ""), 0
