"""A batch: every kernel for every target, in several processes; what is finished is kept at once and never computed again."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TypeAlias

from metalift.app.batch.asking import Asking
from metalift.app.batch.cluster import RayEngine
from metalift.app.batch.content import Contents
from metalift.app.batch.engine import Answer, Engine, Limits, Task, folder_of
from metalift.app.batch.events import Began, Ended, Entered, Event, Finished, Left, Listen, Started
from metalift.app.batch.listing import Listing
from metalift.app.batch.local import LocalEngine
from metalift.app.batch.lock import alone
from metalift.app.batch.rows import rows_of
from metalift.app.batch.speed.run import Measuring
from metalift.app.batch.store import Row, Store, Wanted
from metalift.app.batch.suite import Kernel, kernels_of, read
from metalift.app.configuration import Configuration
from metalift.driver import choosing
from metalift.frontend.python import SUFFIXES
from metalift.result.errors import UsageError
from metalift.system import arguments
from metalift.system.names import by_name

Keys: TypeAlias = Mapping[Kernel, Mapping[str, str]]  # of results, by target


@dataclass(frozen=True, slots=True)
class Options:
    """How to run. `timeout` in seconds is for one obligation, `seconds` and `memory` (bytes) for one kernel.

    `only` are patterns of labels; `retry` computes again what was not proved. The engine is "local", or "ray" at an `address`.
    `measure`: the speed of what is proved is measured as well. `asking` says who proposes, `project` what all kernels are given.
    """

    to: tuple[str, ...]
    out: Path
    driver: str | None = None
    jobs: int = 1
    timeout: float = 10.0
    seconds: float = 120.0
    memory: int = 4 << 30
    only: tuple[str, ...] = ()
    retry: bool = False
    engine: str = "local"
    address: str | None = None
    measure: bool = False
    asking: Asking = Asking()
    project: Configuration = Configuration()

    def made(self, lock: int) -> Engine:
        """The engine; the lock is for workers on this machine to hold."""
        limits = Limits(self.seconds, self.memory)
        if self.engine == "ray":
            return RayEngine(self.jobs, limits, self.driver, self.to, self.address)
        return LocalEngine(self.jobs, limits, (lock,))


def run(suites: Sequence[Path], options: Options, listen: Listen, engine: Engine | None = None) -> list[Row]:
    """Lift the kernels of the suites; `listen` is called by one thread at a time. The rows are in the suites' order.

    They do not have what the lifts found, which is in the store. An `engine` takes the place of the one that the options say.

    Raises UsageError for suites, targets or an output folder that cannot be used.
    """
    drivers = choosing.select(options.driver, options.to)
    entries = read(suites)
    arguments.writable_folder(options.out)
    with alone(options.out) as lock, closing(Store(options.out)) as store:
        clean(options.out, store)
        asking = options.asking.settled(Path.cwd())
        options = replace(options, asking=asking.begun(options.out, Path.cwd()))
        contents = Contents(choosing.distinct(drivers), (f"timeout {options.timeout}", *asking.key(Path.cwd())))
        engine = engine or options.made(lock)
        listing = Listing(engine, store, contents.source, options.retry, options.project.clang_args)
        everything = kernels_of(entries, listing)
        kernels = [_in_project(kernel, options.project) for kernel in everything if _chosen(kernel, options.only)]
        if not kernels:
            raise UsageError(f"no kernel is called {' or '.join(options.only)}")
        refuse_same_folders(kernels)
        keys = keys_of(kernels, contents, options.to)
        measuring = Measuring(store, drivers, options.driver, options.retry, (lock,), listen) if options.measure else None
        return lift_kernels(keys, options, store, engine, listen, measuring)


def keys_of(kernels: Iterable[Kernel], contents: Contents, targets: Sequence[str]) -> Keys:
    """The keys of the results that kernels have."""
    return {kernel: {target: contents.key(kernel, target) for target in targets} for kernel in kernels}


def lift_kernels(
    keys: Keys,
    options: Options,
    store: Store,
    engine: Engine,
    listen: Listen,
    measuring: Measuring | None = None,
    settled: Collection[str] = (),
) -> list[Row]:
    """Lift what the store has no results of; the rows of all, in their order. Those with keys that are `settled` are not tried
    again.
    """
    store.want(_wanted(kernel, key, target) for kernel in keys for target, key in keys[kernel].items())
    known = store.known()
    done = {key for key, row in known.items() if row.ok or not options.retry or key in settled}
    lifted: dict[str, set[str]] = {}
    for row in known.values():
        lifted.setdefault(row.label, set()).add(row.target)
    tasks = list(_tasks(keys, done, lifted, store.seconds(), options))
    before = [known[key] for own in keys.values() for key in own.values() if key in done]
    work, ok = sum(task.expected for task in tasks), sum(row.ok for row in before)
    running = _Run(store, listen, len(tasks))
    running.tell(Began(time.time(), len(keys), len(keys) - len(tasks), len(before), ok, options.jobs, work))
    try:
        running.all(tasks, engine)
        if measuring is not None:
            replace(measuring, listen=running.tell).all(keys)
    finally:
        running.tell(Ended(time.time(), running.left == 0))
    found = store.known()
    return [found[key] for own in keys.values() for key in own.values() if key in found]


def _in_project(kernel: Kernel, project: Configuration) -> Kernel:
    """The kernel with what its project sets."""
    clang_args = () if kernel.path.suffix in SUFFIXES else project.clang_args
    assume = (*by_name(project.assume, kernel.function, ()), *kernel.assume)
    return replace(kernel, assume=assume, clang_args=(*clang_args, *kernel.clang_args))


def clean(out: Path, store: Store) -> None:
    """Remove the half-written files of kernels that were being lifted when a batch was killed."""
    for running in store.running():
        for file in folder_of(out, running.label).rglob(".*.tmp"):
            file.unlink(missing_ok=True)


def _wanted(kernel: Kernel, key: str, target: str) -> Wanted:
    path = str(kernel.path.resolve())
    return Wanted(key, kernel.label, target, kernel.suite, kernel.name, kernel.style, path, kernel.function)


def refuse_same_folders(kernels: Iterable[Kernel]) -> None:
    """Raises UsageError where the code of two kernels would have one folder: not every character can stand in its name."""
    folders: dict[Path, Kernel] = {}
    for kernel in kernels:
        other = folders.setdefault(folder_of(Path(), kernel.label), kernel)
        if other is not kernel:
            both = f"{other.label} and {kernel.label}"
            raise UsageError(f"{kernel.path}: {both} would be written to one folder; give one of them another name or style")


def _tasks(
    keys: Mapping[Kernel, Mapping[str, str]],
    done: Collection[str],
    lifted: Mapping[str, Collection[str]],
    seconds: Mapping[str, float],
    options: Options,
) -> Iterator[Task]:
    """The kernels that there is something to do for; `lifted` are the targets of which a kernel has results."""
    for kernel, own in keys.items():
        if missing := {target: key for target, key in own.items() if key not in done}:
            folder = folder_of(options.out, kernel.label)
            if any(target not in missing for target in lifted.get(kernel.label, ())):
                folder /= "+".join(missing)  # the other targets keep their certificate
            yield Task(kernel, missing, _expected(kernel, seconds), _job(kernel, missing, folder, options))


def _job(kernel: Kernel, targets: Iterable[str], folder: Path, options: Options) -> dict[str, object]:
    """What a worker is told."""
    return {
        "path": str(kernel.path),
        "function": kernel.function,
        "unit": kernel.name if kernel.line else kernel.function,
        "to": list(targets),
        "driver": options.driver,
        "assume": list(kernel.assume),
        "clang_args": list(kernel.clang_args),
        "line": kernel.line,
        "program": None if kernel.program is None else kernel.program.to_json(),
        "out": str(folder),
        "timeout": options.timeout,
        "asking": options.asking.plain(Path.cwd()),
    }


def _chosen(kernel: Kernel, only: Iterable[str]) -> bool:
    patterns = tuple(only)
    return not patterns or any(fnmatchcase(kernel.label, pattern) or fnmatchcase(kernel.name, pattern) for pattern in patterns)


@dataclass(slots=True)
class _Run:
    """Keeps what comes of each kernel, and tells of it."""

    store: Store
    listen: Listen
    left: int
    _telling: threading.Lock = field(default_factory=threading.Lock)

    def tell(self, event: Event) -> None:
        """Tell of what happened."""
        with self._telling:
            self.listen(event)
            self.left -= isinstance(event, Finished)

    def all(self, tasks: Sequence[Task], engine: Engine) -> None:
        """Every task, those that are expected to take longest first. Raises what keeping a result raises."""
        for task in tasks:
            if task.kernel.problem:
                self.finished("", task, {"problem": task.kernel.problem, "seconds": 0.0})
        engine.run(sorted((task for task in tasks if not task.kernel.problem), key=lambda task: -task.expected), self)

    def started(self, worker: str, task: Task) -> None:
        """A worker begins with a kernel."""
        self.store.start(task.kernel.label)
        self.tell(Started(time.time(), worker, task.kernel.label))

    def stage(self, worker: str, task: Task, at: float, stage: str, begins: bool) -> None:
        """A stage of it began or ended."""
        if begins:
            self.store.enter(task.kernel.label, stage)
        self.tell((Entered if begins else Left)(at, worker, task.kernel.label, stage))

    def finished(self, worker: str, task: Task, answer: Answer) -> None:
        """Something came of it."""
        rows = rows_of(task, answer)
        self.store.finish(task.kernel.label, rows)
        self.tell(Finished(time.time(), worker, task.kernel.label, tuple(rows), task.expected))


def _expected(kernel: Kernel, known: Mapping[str, float]) -> float:
    """Seconds that a kernel took before, or a guess by its size."""
    if kernel.label in known:
        return known[kernel.label]
    try:
        return 1.0 + kernel.path.stat().st_size / 1e4
    except OSError:
        return 0.0
