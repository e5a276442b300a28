"""How long report.html of many kernels takes to be written and, in a headless Chromium, to be opened, searched and sorted.

Usage, from the root of the project: python -m benchmarks.pages [KERNELS [FOLDER]]

Some kernels of a suite are lifted; the others are copies of their results under other names. The bar is 2 seconds for each step
in the browser. FOLDER is where the batch is kept; without one it is removed.
"""

from __future__ import annotations

import itertools
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from benchmarks.suites import ROOT
from metalift.app.batch import report, run
from metalift.app.batch.events import Event, Finished
from metalift.app.batch.store import Row, Store, Wanted
from tests.support.browser import browser, missing

SUITE, ONLY = ROOT / "tutorial", ("*/int", "*/vector")
TARGETS = ("numpy", "pytorch")
DRAWN = "requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)))"
STEPS = {
    "search": "const one = document.getElementById('search'); one.value = 'kernel-00'; one.dispatchEvent(new Event('input'))",
    "filter": "const one = document.getElementById('style'); one.value = 1; one.dispatchEvent(new Event('change'))",
    "clear": "document.getElementById('clear').click()",
    "sort": "document.querySelector('#kernels th:nth-child(3) button').click()",
    "kernel": "location.hash = 'kernel-5000'",
}


def copies(folder: Path, count: int) -> None:
    """A batch of so many kernels, from a few that are lifted."""
    run.run([SUITE], run.Options(TARGETS, folder, only=ONLY, jobs=2), _say)
    with closing(Store(folder, create=False)) as store:
        found = [(wanted, row) for wanted, row in store.each(results=True) if row is not None]
        made = [*_copies([found[begin : begin + len(TARGETS)] for begin in range(0, len(found), len(TARGETS))], count)]
        store.want(wanted for wanted, _ in made)
        for number in range(0, len(made), 200):
            store.finish("", (row for _, row in made[number : number + 200]))


def _copies(kernels: list[list[tuple[Wanted, Row]]], count: int) -> Iterator[tuple[Wanted, Row]]:
    for number, kernel in zip(range(count), itertools.cycle(kernels), strict=False):
        for original, row in kernel:
            key, suite = f"{number} {row.target}", f"suite{number % 12}"
            wanted = replace(original, key=key, suite=suite, name=f"kernel-{number:05}")
            named = replace(wanted, label=f"{suite}/{wanted.name}/{wanted.style}")
            yield named, replace(row, key=key, seconds=row.seconds * (1 + number % 97 / 10))


def _say(event: Event) -> None:
    if isinstance(event, Finished):
        print(f"  lifted {event.label}")


def main() -> int:
    """Print the times; exit status 1 where a step in the browser took longer than 2 seconds."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        copies(folder, count)
        before = time.perf_counter()
        page = report.write(folder)
        print(f"{count} kernels, {len(TARGETS)} targets: written in {time.perf_counter() - before:.1f} s, ", end="")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"{page.stat().st_size / 1e6:.1f} MB; peak memory of the process {peak} MiB")
        if problem := missing():
            print(f"{problem}: the browser is not timed")
            return 1
        times = timed(page)
    print("browser: " + ", ".join(f"{step} {seconds:.2f} s" for step, seconds in times.items()))
    return int(max(times.values()) > 2)


def timed(page: Path) -> dict[str, float]:
    """Seconds of each step, until it is drawn."""
    with browser(page) as driver:
        loaded = "const [one] = performance.getEntriesByType('navigation'); return one.loadEventEnd"
        times = {"open": driver.execute_script(loaded) / 1000}
        for step, script in STEPS.items():
            asked = f"const done = arguments[0], begin = performance.now(); {{ {script} }} {DRAWN}"
            times[step] = driver.execute_async_script(asked) / 1000
    return times


if __name__ == "__main__":
    sys.exit(main())
