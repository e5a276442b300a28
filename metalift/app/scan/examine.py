"""One file, function by function: whether it can be read and its summary derived, or what stands in the way."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

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
    with_pure,
)
from metalift.frontend.files import Program
from metalift.frontend.llvm.compile.clang import ready
from metalift.frontend.llvm.compile.confined import Reach
from metalift.frontend.llvm.linking import link
from metalift.frontend.llvm.salvage import Salvaged, salvage
from metalift.frontend.llvm.source import find_function, loops_in, text_of_function
from metalift.frontend.python import SUFFIXES
from metalift.ir.program.fragment import Diagnostic, Fragment, Unsupported
from metalift.result.errors import MetaliftError, SourceError, UsageError
from metalift.synth.derive import NotDerived, derive
from metalift.system.alarm import TookTooLong, time_limit
from metalift.vcgen.obligation import ObligationError


def examine(
    path: Path, program: Program, reach: Reach, every: bool = False, seconds: float | None = None
) -> Iterator[Row | str]:
    """The rows of one file, which includes only what is within the reach, and notes on what is not linked with it; with `every`
    nest, also of functions that may be lifted. No row takes longer than so many `seconds`.

    What the file's own compilation does not accept as it is has that as its reason.
    """
    if path.suffix in SUFFIXES:
        module = open_source(path)
        yield from _File(path, module, every, seconds).rows()
        if isinstance(module, PythonModule):
            yield from other_functions(module)
        return
    with tempfile.TemporaryDirectory(prefix="metalift-scan-") as scratch:
        saved = salvage(path, program.clang_args, Path(scratch), reach)
        changed = _changed(saved)
        module = ready(link(replace(saved.module, reach=reach), program.named, program.offered, program.pure))
        yield from (f"{path}: not linked with {each.path}: {each.why}" for each in module.left_out)
        read, _ = with_pure(module, program.pure)  # a file need not call all of them
        yield from _File(path, read, every, seconds, changed).rows()
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
    every: bool
    seconds: float | None
    changed: str = ""

    def rows(self) -> Iterator[Row | str]:
        """Each function; the loop nests of those that stay out; a note where nests are not found."""
        nests = None
        try:
            nests = find_nests(self.module)
        except SourceError as problem:
            yield str(problem)
        except UsageError:  # the LLVM pass is not there: functions are found all the same
            pass
        for name, line in functions_of(self.module):
            row = self.row(name, line, self.loops(name), partial(import_function, self.module, name))
            yield row
            if nests is not None and (self.every or not row.status.good):
                for nest in outermost_nests(nests, self.module, name):
                    yield from self.nest_rows(nests, nest, name, row.status.good)

    def nest_rows(self, nests: Nests, nest: Nest, outer: str, within: bool) -> Iterator[Row]:
        """A nest; where it stays out, those in it. Of one that is `within` what may be lifted nothing is found out."""
        loops = 1 + _depth(nests, nest)
        if within:
            row = Row(str(self.path), nest.first, nest.name, Status.CANDIDATE, loops, self.changed, 0, True, outer)
        else:
            row = self.row(nest.name, nest.first, loops, partial(import_nest, nests, nest), outer)
        yield row
        if self.every or not row.status.good:
            for inner in nests.inside(nest.symbol):
                yield from self.nest_rows(nests, inner, nest.name, row.status.good)

    def row(self, name: str, line: int, loops: int, read: Callable[[], Fragment], outer: str = "") -> Row:
        """What is known of one function or nest."""
        status, reason, where = Status.CANDIDATE, self.changed, 0
        try:
            with time_limit(self.seconds):
                derive(read())
        except Unsupported as problem:
            status, (reason, where) = Status.UNSUPPORTED, self.told(problem.diagnostic)
        except (NotDerived, ObligationError) as problem:
            status, (reason, where) = Status.NOT_LIFTED, self.told(problem.diagnostic)
        except TookTooLong as problem:
            status, reason = Status.FAILED, str(problem)
        except (MetaliftError, Exception) as problem:  # noqa: BLE001 - one function's defect must not hide the others
            status, reason = Status.FAILED, f"{type(problem).__name__}: {problem}"
        return Row(str(self.path), line, name, status, loops, reason, where, bool(outer), outer)

    def told(self, diagnostic: Diagnostic) -> tuple[str, int]:
        """The message, and its line in the file; of a place in a file that it includes, the message says where that is."""
        place = diagnostic.location
        if not place.line or not place.file or os.path.abspath(place.file) == os.path.abspath(self.path):
            return diagnostic.message, place.line
        return f"{diagnostic.message} ({Path(place.file).name}, line {place.line})", 0

    def loops(self, name: str) -> int:
        """How many loops the function's text has."""
        if isinstance(self.module, PythonModule):
            return loops_of(self.module.find(name))
        return loops_in(text_of_function(self.module, find_function(self.module, name)))


def _depth(nests: Nests, nest: Nest) -> int:
    """How many loops are in a nest."""
    return sum(1 + _depth(nests, inner) for inner in nests.inside(nest.symbol))
