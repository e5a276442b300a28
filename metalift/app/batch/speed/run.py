"""Measuring the kernels of a batch that are proved, one after the other, when nothing else of the batch runs."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metalift.app.batch.engine import Limits
from metalift.app.batch.events import Listen, Measured
from metalift.app.batch.local import answered
from metalift.app.batch.store import Row, Store
from metalift.app.batch.suite import Kernel
from metalift.app.batch.workers import Worker
from metalift.driver.files import Loaded
from metalift.result.verdict import FunctionVerdict

SECONDS = 900.0  # for one kernel: three sizes, and libraries that compile
MEMORY = 8 << 30


@dataclass(frozen=True, slots=True)
class Measuring:
    """Measures what is not measured yet; with `retry`, also what could not be measured."""

    store: Store
    drivers: Mapping[str, Loaded]  # by target
    driver: str | None
    retry: bool
    inherit: tuple[int, ...]
    listen: Listen

    def all(self, keys: Mapping[Kernel, Mapping[str, str]]) -> None:
        """The kernels with the keys of their results, by target."""
        known = self.store.measured(problems=not self.retry)
        environment: dict[str, str] = {}
        for target in dict.fromkeys(target for own in keys.values() for target in own):
            environment |= self.drivers[target].driver.target(target).engine.environment
        worker = Worker("measure", self.inherit, environment=environment)
        try:
            for kernel, own in keys.items():
                rows = self.store.some(list(own.values()))
                proved = {row.target: row for row in rows.values() if _usable(row)}
                together = _together([row.key for row in proved.values()], kernel)
                if proved and any(known.get(row.key) != together for row in proved.values()):
                    speed = answered(worker, {"measure": self.job(kernel, proved)}, Limits(SECONDS, MEMORY))
                    self.store.measure([row.key for row in proved.values()], together, _plain(speed))
                    self.listen(Measured(time.time(), kernel.label, _plain(speed)))
        finally:
            worker.close()

    def job(self, kernel: Kernel, rows: Mapping[str, Row]) -> dict[str, object]:
        """What the worker is told."""
        first = next(iter(rows.values()))
        return {
            "path": str(kernel.path),
            "function": kernel.function,
            "clang_args": list(kernel.clang_args),
            "assume": list(kernel.assume),
            "driver": self.driver,
            "certificate": first.result["certificate"],
            "sizes": {name: dict(values) for name, values in kernel.sizes.items()},
            "files": {target: row.result["targets"][target]["file"] for target, row in rows.items()},
        }


def _usable(row: Row) -> bool:
    """Whether there is code that is proved, agrees, and has a certificate."""
    own = row.result.get("targets", {}).get(row.target, {})
    proved = row.ok and row.verdict == FunctionVerdict.PROVED.value
    return proved and bool(own.get("file")) and bool(row.result.get("certificate"))


def _together(keys: Sequence[str], kernel: Kernel) -> str:
    """What is measured together, and on which sizes."""
    sizes = sorted((name, sorted(values.items())) for name, values in kernel.sizes.items())
    return hashlib.sha256(repr((sorted(keys), sizes)).encode()).hexdigest()


def _plain(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "seconds"}
