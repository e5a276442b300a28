"""One reader of benchmarks/fuzz.py in libFuzzer, which keeps texts that reach new branches and ends the process: see guided.py.

Usage: python -m benchmarks.libfuzzer READER FILE [ARGUMENT ...]

FILE gets a line of JSON for each way in which the reader fails; the arguments are libFuzzer's.
"""

from __future__ import annotations

import json
import random
import shlex
import sys
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["metalift"]):
    from benchmarks.fuzz import TARGETS, changed, problem, way

LIMITS = ("-timeout=20", "-rss_limit_mb=3000", "-len_control=0", "-reduce_inputs=1", "-print_final_stats=1")
BYTES = 0.3  # of the changes are libFuzzer's own, which knows nothing of words


def as_bytes(text: str) -> bytes:
    """A text as libFuzzer has it."""
    return text.encode("utf-8", "surrogateescape")


def as_text(data: bytes) -> str:
    """The reverse of as_bytes."""
    return data.decode("utf-8", "surrogateescape")


def main(name: str, found: Path, *arguments: str) -> None:
    """Hand texts to a reader until libFuzzer ends the process."""
    target, ways = TARGETS[name], set[str]()
    examples = target.examples()
    warnings.simplefilter("ignore")  # Python's, about the texts that it parses

    def one(data: bytes) -> None:
        said = problem(target, as_text(data))
        if said and way(said) not in ways:
            ways.add(way(said))
            with found.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps([said, as_text(data)]) + "\n")

    def change(data: bytes, size: int, seed: int) -> bytes:
        chosen = random.Random(seed)
        if chosen.random() < BYTES:
            return bytes(atheris.Mutate(data, size))
        return as_bytes(changed(as_text(data), chosen))[:size]

    itself = shlex.join([sys.executable, "-m", "benchmarks.libfuzzer", name, str(found)])  # what libFuzzer has a shell start
    longest = 2 * max(map(len, examples))
    atheris.Setup([itself, *LIMITS, f"-max_len={longest}", *arguments], one, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
