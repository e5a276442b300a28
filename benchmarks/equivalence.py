"""Whether `metalift equiv` tells right ports and optimised functions from wrong ones.

Usage, from the root of the project: python -m benchmarks.equivalence [pairs|ports] [--only NAME] [--json FILE]

pairs: functions before and after they were optimised by hand; ports: kernels in C and what they became in NumPy. Each folder
lists its entries in `equiv.toml`, with whether the second function is right. An entry is one run of the command, of at most 60
seconds. It is WRONG where the second function is wrong and said to be EQUAL, or right and said to be DIFFERENT. A run that gives
no verdict (its time is over, or the command refuses what it is given, or crashes) counts as UNKNOWN. Without a folder both are
run; --only keeps the entries whose name contains NAME; --json writes the entries with their verdicts and reasons. Exit status 1
where any entry is WRONG.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.suites import ROOT, near

FOLDERS = ("pairs", "ports", "tensors")
VERDICTS = ("EQUAL", "EQUAL WHERE", "UNKNOWN", "DIFFERENT")
LIMIT = 60.0  # seconds for an entry
CRASHED = "crashed:"  # begins the reason
SOON = 30.0  # seconds within which an answer is soon


@dataclass(frozen=True, slots=True)
class Entry:
    """Two functions, each `file:function`, whether the second one is right, and what the command is told of them."""

    folder: str
    name: str
    first: str
    second: str
    right: bool
    shapes: str = ""
    map: tuple[str, ...] = ()

    def command(self) -> list[str]:
        """What is run."""
        folder = near(ROOT / self.folder)
        words = [sys.executable, "-m", "metalift.cli", "equiv", str(folder / self.first), str(folder / self.second), "--json"]
        words += [word for each in self.map for word in ("--map", each)]
        return [*words, "--shapes", self.shapes] if self.shapes else words


@dataclass(frozen=True, slots=True)
class Answer:
    """What the command says of an entry: the verdict, the conditions, why it is this verdict, and the seconds that it took."""

    entry: Entry
    verdict: str
    where: tuple[str, ...]
    reason: str
    seconds: float

    @property
    def wrong(self) -> bool:
        """Whether the verdict is false."""
        return self.verdict == ("DIFFERENT" if self.entry.right else "EQUAL")

    def line(self) -> str:
        """For the terminal."""
        kind = "right" if self.entry.right else "wrong"
        line = f"{self.entry.folder}/{self.entry.name:35} {kind}  {self.verdict:11} {self.seconds:5.1f} s"
        notes = [note for note, holds in (("WRONG", self.wrong), ("crashed", self.reason.startswith(CRASHED))) if holds]
        return "  ".join([line, *notes])


def read_entries(folder: str) -> Iterator[Entry]:
    """The entries of a folder, in the manifest's order."""
    manifest = tomllib.loads((ROOT / folder / "equiv.toml").read_text(encoding="utf-8"))
    for one in manifest["entry"]:
        names = tuple(one.get("map", ()))
        yield Entry(folder, one["name"], one["first"], one["second"], one["right"], one.get("shapes", ""), names)


def answer(entry: Entry) -> Answer:
    """Runs the command; what it starts ends with it."""
    began = time.monotonic()
    run = subprocess.Popen(entry.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        output, errors = run.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        return Answer(entry, "UNKNOWN", (), f"not done in {LIMIT:.0f} s", time.monotonic() - began)
    seconds = time.monotonic() - began
    try:
        result = json.loads(output)
        return Answer(entry, result["verdict"], tuple(result["where"]), result["reason"], seconds)
    except (ValueError, KeyError):
        text = errors.strip() or output.strip()
        *_, last = text.splitlines() or [""]
        reason = f"{CRASHED} {last}" if "Traceback" in text else text
        return Answer(entry, "UNKNOWN", (), reason or f"exit status {run.returncode}", seconds)


def table(answers: Sequence[Answer]) -> str:
    """How many of the right and of the wrong ones got which verdict, and the times."""
    lines = ["       " + "".join(f"{verdict:>13}" for verdict in VERDICTS) + f"{'all':>8}"]
    for right in (True, False):
        verdicts = [each.verdict for each in answers if each.entry.right == right]
        counts = "".join(f"{verdicts.count(verdict):13}" for verdict in VERDICTS)
        lines.append(f"{'right' if right else 'wrong':7}{counts}{len(verdicts):8}")
    times = [each.seconds for each in answers]
    soon = sum(each <= SOON for each in times) / len(times)
    lines.append(f"median {statistics.median(times):.1f} s; {soon:.0%} within {SOON:.0f} s")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """A line for each entry, then a table for each folder."""
    parser = argparse.ArgumentParser(description="Tell right ports and optimised functions from wrong ones.")
    parser.add_argument("folder", nargs="?", choices=FOLDERS, help="one of the two folders; both where none is named")
    parser.add_argument("--only", default="", metavar="NAME", help="only entries whose name contains it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the entries and their verdicts are written")
    options = parser.parse_args(arguments)
    found: dict[str, list[Answer]] = {}
    for folder in [options.folder] if options.folder else FOLDERS:
        for entry in read_entries(folder):
            if options.only in entry.name:
                found.setdefault(folder, []).append(answer(entry))
                print(found[folder][-1].line(), flush=True)
    every = [each for answers in found.values() for each in answers]
    if options.json:
        records = [{**asdict(each), "wrong": each.wrong} for each in every]
        options.json.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    for folder, answers in found.items():
        print(f"\n{folder}\n{table(answers)}")
    if not every:
        print(f"no entry's name contains {options.only!r}")
    return 1 if any(each.wrong for each in every) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
