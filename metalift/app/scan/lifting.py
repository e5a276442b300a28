"""What a scan finds that may be lifted, lifted as a batch lifts kernels: each function within limits of its own, what is finished
kept at once, and never computed again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from metalift.app.batch.content import Contents
from metalift.app.batch.engine import Engine, folder_of
from metalift.app.batch.events import Listen
from metalift.app.batch.lock import alone
from metalift.app.batch.run import Options, clean, keys_of, lift_kernels
from metalift.app.batch.store import Row as Result
from metalift.app.batch.store import Store
from metalift.app.batch.suite import Kernel
from metalift.app.scan.rows import Row, Status, around
from metalift.driver import choosing
from metalift.frontend.files import Program
from metalift.frontend.llvm.compile.clang import Unit
from metalift.result.verdict import FunctionVerdict
from metalift.system import arguments

STATUSES = {
    FunctionVerdict.PROVED: Status.PROVED,
    FunctionVerdict.TESTED: Status.TESTED,
    FunctionVerdict.VACUOUS: Status.VACUOUS,
    FunctionVerdict.NOT_LIFTED: Status.NOT_LIFTED,
    FunctionVerdict.UNSUPPORTED: Status.UNSUPPORTED,
    FunctionVerdict.ERROR: Status.FAILED,
}


@contextmanager
def lifts(options: Options) -> Iterator[Lifts]:
    """The lifts of an output folder. Raises UsageError where it cannot be used, or another run uses it."""
    drivers = choosing.select(options.driver, options.to)
    arguments.writable_folder(options.out)
    with alone(options.out) as lock, closing(Store(options.out)) as store:
        clean(options.out, store)
        contents = Contents(choosing.distinct(drivers), (f"timeout {options.timeout}",))
        yield Lifts(options, store, contents, options.made(lock))


@dataclass(slots=True)
class Lifts:
    """What is kept of scans and lifts in an output folder."""

    options: Options
    store: Store
    contents: Contents
    engine: Engine
    known: dict[str, tuple[tuple[str, ...], str]] = field(init=False)

    def __post_init__(self) -> None:
        """What scans before have found in files."""
        self.known = self.store.listed()

    def found(self, file: Unit, program: Program) -> tuple[list[Row], list[str]] | None:
        """The rows and notes of a file that was examined before, as it is now."""
        kept = self.known.get(self.key(file, program))
        if kept is None or (kept[1] and self.options.retry):
            return None
        lines = [json.loads(line) for line in kept[0]]
        return [Row.from_json(line) for line in lines if "note" not in line], [line["note"] for line in lines if "note" in line]

    def keep(self, file: Unit, program: Program, rows: Iterable[Row], notes: Iterable[str], problem: str) -> None:
        """Keep the rows and notes of a file, and why it was not examined to its end, if so."""
        lines = [*(row.to_json() for row in rows), *({"note": note} for note in notes)]
        self.store.keep_listed(self.key(file, program), [json.dumps(line) for line in lines], problem)

    def key(self, file: Unit, program: Program) -> str:
        """Of all that the rows of a file depend on."""
        return self.contents.source(file.path, ("scan", *file.clang_args), program)

    def lifted(self, root: Path, rows: Sequence[Row], programs: Mapping[str, Program], listen: Listen) -> list[Row]:
        """The rows with what came of the lifts: functions, then nests of those that are not lifted, then the nests in these."""
        found = {_place(row): row for row in rows if not row.nest}
        changed = {row.file for row in rows if row.status is Status.BROKEN}  # of which not all that is there was read
        functions = {_place(row): places[-1][1] for row, places in around(rows).items()}
        pending = list(found.values())
        keys: dict[Kernel, Mapping[str, str]] = {}
        settled: set[str] = set()
        while pending:
            may_be = [row for row in pending if row.file not in changed and _may_be_lifted(row)]
            kernels = _kernels(root, may_be, programs, functions, keys)
            keys |= keys_of(kernels, self.contents, self.options.to)
            results = lift_kernels(keys, self.options, self.store, self.engine, listen, settled=settled)
            settled.update(result.key for result in results)
            of_key = self.store.some([key for kernel in kernels for key in keys[kernel].values()])
            for kernel, row in kernels.items():
                found[_place(row)] = with_results(row, [of_key[key] for key in keys[kernel].values() if key in of_key])
            stay_out = {(row.file, row.name) for row in map(found.__getitem__, map(_place, pending)) if not row.status.good}
            pending = [row for row in rows if row.nest and (row.file, row.outer) in stay_out and _place(row) not in found]
            found |= {_place(row): row for row in pending}
        return list(found.values())


def _place(row: Row) -> tuple[str, int, str]:
    return row.file, row.line, row.name


def _may_be_lifted(row: Row) -> bool:
    """Whether it has loops, can be read, and was read as the file is; what no summary was found for may have loops that stay."""
    return row.loops > 0 and (row.status is Status.NOT_LIFTED or (row.status is Status.CANDIDATE and not row.reason))


def _kernels(
    root: Path,
    rows: Sequence[Row],
    programs: Mapping[str, Program],
    functions: Mapping[tuple[str, int, str], str],
    taken: Iterable[Kernel],
) -> dict[Kernel, Row]:
    """What a batch is told of the rows, each with its function. Of several whose results would be in one folder, as overloads,
    each has its line."""
    folders = {folder_of(Path(), kernel.label) for kernel in taken}
    found: dict[Kernel, Row] = {}
    for row in rows:
        path = Path(row.file)
        inner = path.relative_to(root) if root.is_dir() else Path(path.name)
        kernel = Kernel(str(inner), row.name, "", path, functions[_place(row)], program=programs[row.file])
        kernel = replace(kernel, line=row.line) if row.nest else kernel
        if folder_of(Path(), kernel.label) in folders:
            kernel = replace(kernel, style=f"line {row.line}")
        if folder_of(Path(), kernel.label) not in folders:
            folders.add(folder_of(Path(), kernel.label))
            found[kernel] = row
    return found


def with_results(row: Row, results: Sequence[Result]) -> Row:
    """The row with the worst of its results; as it was where there is none."""
    if not results:
        return row
    order = list(Status)
    worst = max(results, key=lambda result: order.index(STATUSES[_verdict(result)]))
    if worst.ok:
        return replace(row, status=Status.PROVED, reason="", reason_line=0)
    if row.status is Status.NOT_LIFTED and not STATUSES[_verdict(worst)].good:
        return row  # what was found first is what to look at
    diagnostics = worst.result.get("diagnostics") or [{}]
    line = int(diagnostics[-1].get("line", 0))
    return replace(row, status=STATUSES[_verdict(worst)], reason=diagnostics[-1].get("message") or worst.reason, reason_line=line)


def _verdict(result: Result) -> FunctionVerdict:
    return next(verdict for verdict in FunctionVerdict if verdict.value == result.verdict)
