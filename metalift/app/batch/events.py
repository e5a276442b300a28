"""What happens in a batch, as it happens: for the terminal, the log and the trace. Times are those of the clock, in seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from metalift.app.batch.store import Row


@dataclass(frozen=True, slots=True)
class Began:
    """A run: of so many kernels some are finished from before, with `results` of which `ok` are proved and agree.

    `work` is the time that the others are expected to take, in no particular unit.
    """

    at: float
    kernels: int
    finished: int
    results: int
    ok: int
    jobs: int
    work: float


@dataclass(frozen=True, slots=True)
class Started:
    """A worker begins with a kernel."""

    at: float
    worker: str
    label: str


@dataclass(frozen=True, slots=True)
class Entered:
    """A stage of a kernel begins; stages may lie in each other."""

    at: float
    worker: str
    label: str
    stage: str


@dataclass(frozen=True, slots=True)
class Left:
    """The stage ends."""

    at: float
    worker: str
    label: str
    stage: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The results of a kernel are kept; `expected` is its part of the run's `work`."""

    at: float
    worker: str
    label: str
    rows: tuple[Row, ...]
    expected: float


@dataclass(frozen=True, slots=True)
class Ended:
    """The run is over. `whole`: nothing is left to do."""

    at: float
    whole: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """The speed of a kernel is kept: see docs/benchmarks.md."""

    at: float
    label: str
    speed: Mapping[str, Any]


Event: TypeAlias = Began | Started | Entered | Left | Finished | Measured | Ended
Listen: TypeAlias = Callable[[Event], None]
