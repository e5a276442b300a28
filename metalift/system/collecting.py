"""How often Python looks for cycles of objects that nothing refers to any more, and what a thread computes besides."""

from __future__ import annotations

import gc
import threading
import time
from dataclasses import dataclass
from typing import Literal


def collect_rarely() -> None:
    """For processes of our own: they make terms in great numbers, hardly any in a cycle; looking often takes 7 % of the time."""
    gc.set_threshold(400_000, 50, 1000)


@dataclass
class _Looking(threading.local):
    """What a thread spent on such looks, in seconds of it, and when the one that goes on began."""

    seconds: float = 0.0
    began: float = 0.0


_looking = _Looking()


def computed() -> float:
    """The seconds of the processor that this thread had, without those of looks for cycles: a look goes through all that the
    process has, for seconds in a large one, and comes to whichever thread makes the next object.
    """
    return time.thread_time() - _looking.seconds


def _looks(phase: Literal["start", "stop"], _: dict[str, int]) -> None:
    if phase == "start":
        _looking.began = time.thread_time()
    else:
        _looking.seconds += time.thread_time() - _looking.began


gc.callbacks.append(_looks)
