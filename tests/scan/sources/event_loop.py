"""A small event loop: callbacks at a time, and coroutines that wait."""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable, Generator

Task = Generator[float, None, None]


class Loop:
    def __init__(self) -> None:
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()

    def call_at(self, when: float, callback: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (when, next(self._order), callback))

    def spawn(self, task: Task) -> None:
        def resume() -> None:
            try:
                delay = next(task)
            except StopIteration:
                return
            self.call_at(time.monotonic() + delay, resume)

        self.call_at(time.monotonic(), resume)

    def run(self) -> None:
        while self._queue:
            when, _, callback = heapq.heappop(self._queue)
            wait = when - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            callback()


def ticker(name: str, period: float, count: int) -> Task:
    for i in range(count):
        print(name, i)
        yield period


async def fetch_all(names: list[str]) -> list[bytes]:
    found = []
    for name in names:
        found.append(await fetch(name))
    return found


async def fetch(name: str) -> bytes:
    return name.encode()
