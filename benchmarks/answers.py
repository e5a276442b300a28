"""Lifts the kernels of the suites with right answers in the place of a model, and prints what an attempt takes beside the solver.

Usage, from the root of the project: python -m benchmarks.answers [TARGET [SUITE ...]]

The answer to each kernel is the search's own program as Python text; the search itself is switched off. An attempt goes from the
prompt to the last verdict; its time is that of this process, in which no solver runs. Exit status 1 where a kernel is not proved
in one call.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.suites import Kernel, read_suite, suite_names
from metalift import pipeline
from metalift.driver import Driver, choosing
from metalift.frontend import import_function, open_source
from metalift.pipeline.proposer import Proposer
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from metalift.synth.cover import NotCovered, cover
from metalift.synth.derive import NotDerived, derive
from tests.support.answers import as_answer
from tests.support.scripted import Scripted

SLOWEST = 5  # that are named


@dataclass
class Attempts:
    """Watches stages: the processor time that proposing took in this process, in seconds."""

    seconds: float = 0.0
    began: float = 0.0

    def __call__(self, stage: str, begins: bool) -> None:
        """A stage begins or ends."""
        if stage.startswith("propose "):
            now = time.process_time()
            self.seconds += 0.0 if begins else now - self.began
            self.began = now


def answered(kernel: Kernel, driver: Driver, target: str) -> tuple[FunctionResult, float]:
    """The kernel, with the right answer as the only one, and the seconds of the attempt. Raises NotDerived and NotCovered where
    the search has no program, as where loops stay loops.
    """
    fragment = import_function(open_source(kernel.path, ()), kernel.function)
    answer = as_answer(cover(derive(fragment), fragment, driver, target), fragment, driver, target)
    proposer, attempts = Proposer(False, Scripted([answer])), Attempts()
    result = pipeline.lift(kernel.path, functions=[kernel.function], to=(target,), proposer=proposer, watch=attempts)
    return result.functions[0], attempts.seconds


def main(arguments: Sequence[str]) -> int:
    """A line for each kernel that is not proved, then the times."""
    target = arguments[0] if arguments else "numpy"
    driver = choosing.select(None, (target,))[target].driver
    kernels = [kernel for suite in arguments[1:] or suite_names() for kernel in read_suite(suite) if kernel.expected == "PROVED"]
    times: list[tuple[float, str]] = []
    without = 0
    for kernel in kernels:
        try:
            result, seconds = answered(kernel, driver, target)
        except (NotDerived, NotCovered):
            without += 1
            continue
        if result.verdict is FunctionVerdict.PROVED and (result.proposer, result.candidates) == ("llm", 1):
            times.append((seconds, kernel.path.name))
        else:
            print(kernel.path, result.verdict.value, *(each.message for each in result.diagnostics))
    print(f"{len(times)} of {len(kernels) - without} kernels proved in one call; {without} more have no such program")
    if times:
        median = statistics.median(seconds for seconds, _ in times)
        slowest = ", ".join(f"{seconds:.3f} s ({name})" for seconds, name in sorted(times, reverse=True)[:SLOWEST])
        print(f"an attempt beside the solver: median {median:.3f} s, at most {slowest}")
    return 0 if len(times) == len(kernels) - without else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
