"""The functions of source files, found by workers, since reading a file may hang or crash; kept in the store by content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from metalift.app.batch.engine import Answer, Engine, Task
from metalift.app.batch.store import Store
from metalift.app.batch.suite import Kernel, Listed
from metalift.frontend.python import SUFFIXES


@dataclass(slots=True)
class Listing:
    """Lists functions; a lister as `kernels_of` wants it.

    `key` is of all that the functions of a file depend on, with clang's arguments, which are the same for all of C and C++;
    `retry` reads files again that could not be read.
    """

    engine: Engine
    store: Store
    key: Callable[[Path, Sequence[str]], str]
    retry: bool = False
    clang_args: tuple[str, ...] = ()
    _found: dict[Path, Listed] = field(default_factory=dict)

    def __call__(self, files: Sequence[Path]) -> Mapping[Path, Listed]:
        """The functions of each file."""
        known = {key: Listed(*found) for key, found in self.store.listed().items()}
        known = {key: found for key, found in known.items() if not (self.retry and found.problem)}
        arguments = {path: () if path.suffix in SUFFIXES else self.clang_args for path in files}
        keys = {path: self.key(path, own) for path, own in arguments.items()}
        self._found = {path: known[keys[path]] for path in files if keys[path] in known}
        tasks = [_task(path, keys[path], arguments[path]) for path in files if path not in self._found]
        if tasks:
            self.engine.run(tasks, self)
        return self._found

    def started(self, worker: str, task: Task) -> None:
        """A file is read."""

    def stage(self, worker: str, task: Task, at: float, stage: str, begins: bool) -> None:
        """Reading a file has no stages."""

    def finished(self, worker: str, task: Task, answer: Answer) -> None:
        """Its functions are known, or why they are not."""
        found = Listed(tuple(answer.get("functions", ())), answer.get("problem", ""))
        self.store.keep_listed(task.keys[""], found.names, found.problem)
        self._found[task.kernel.path] = found


def _task(path: Path, key: str, clang_args: Sequence[str]) -> Task:
    return Task(Kernel("", "", "", path, ""), {"": key}, 0.0, {"list": str(path), "clang_args": list(clang_args)})
