"""Kills a batch at random moments, resumes it, and compares what comes of it with a run that nobody disturbed.

Usage, from the root of the project: python -m benchmarks.kill [SUITE ...] [--kills N] [--to TARGETS] [--only GLOB]

The coordinator gets `kill -9`, at moments that are drawn evenly from a part of the undisturbed run's time. When a batch comes to
its end before all kills are spent, the next one begins in a new folder. Exit status 1 unless

- every final table, times aside, is that of the undisturbed run;
- no result that was kept before a kill was computed again, and all that the killed batch had told of were kept;
- every artefact is, byte for byte, that of the undisturbed run, and no half-written file is left;
- every process of a killed batch ended within seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.suites import ROOT

METALIFT = (sys.executable, "-m", "metalift.cli")
MARK = "METALIFT_BENCHMARK"  # the environment variable by which the processes of a batch are known
PATIENCE = 15.0  # seconds for the processes of a killed batch to end

Table = dict[tuple[str, str], tuple[object, ...]]


@dataclass(slots=True)
class Tally:
    """What happened. `wrong` says what must not."""

    kills: int = 0
    batches: int = 0
    kept: int = 0
    longest: float = 0.0
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    """Run, kill, compare, print."""
    parser = argparse.ArgumentParser(description="Kill a batch at random moments and resume it.")
    parser.add_argument("suites", nargs="*", type=Path, default=[ROOT / "blend"], help="what batch is given (default: blend)")
    parser.add_argument("--kills", type=int, default=20, help="how many (default: 20)")
    parser.add_argument("--to", default="numpy", help="targets (default: numpy)")
    parser.add_argument("--only", action="append", default=[], help="as for batch")
    parser.add_argument("--jobs", type=int, default=2, help="workers (default: 2)")
    parser.add_argument("--span", type=float, default=0.3, help="part of the undisturbed run's time to kill in (default: 0.3)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default: 1)")
    options = parser.parse_args()
    more = [part for pattern in options.only for part in ("--only", pattern)]
    command = [*METALIFT, "batch", *map(str, options.suites), "--to", options.to, "--jobs", str(options.jobs), *more]
    with tempfile.TemporaryDirectory(prefix="metalift-kill-") as folder:
        tally = disturbed(command, Path(folder), options.kills, options.span, random.Random(options.seed))
    print(
        f"{tally.kills} kills in {tally.batches} batches; {tally.kept} results were there at a kill, "
        f"and a killed batch's processes ended within {tally.longest:.1f} s"
    )
    print("\n".join(tally.wrong) or "identical tables and artefacts; nothing finished was computed again")
    return 1 if tally.wrong else 0


def disturbed(command: Sequence[str], folder: Path, kills: int, part: float, rng: random.Random) -> Tally:
    """Run the command undisturbed, then with so many kills, each within that part of the time that it took."""
    began = time.monotonic()
    expected = folder / "undisturbed"
    subprocess.run([*command, "--out", str(expected)], stdout=subprocess.DEVNULL, check=False)
    span = (time.monotonic() - began) * part
    tally = Tally()
    while tally.kills < kills:
        tally.batches += 1
        out = folder / f"disturbed{tally.batches}"
        known: dict[str, float] = {}
        while tally.kills < kills and not ended_before(command, out, rng.uniform(0.0, span), tally):
            tally.kills += 1
            now = finished(out)
            tally.wrong += [f"{out.name}: {key} was computed again" for key in known if now.get(key) != known[key]]
            tally.kept += len(now)
            known = now
        subprocess.run([*command, "--out", str(out)], stdout=subprocess.DEVNULL, check=False)
        now = finished(out)
        tally.wrong += [f"{out.name}: {key} was computed again" for key in known if now.get(key) != known[key]]
        tally.wrong += [f"{out.name}: {line}" for line in differing(expected, out)]
    return tally


def ended_before(command: Sequence[str], out: Path, seconds: float, tally: Tally) -> bool:
    """Run the command so long, then kill it. Whether it came to its end before."""
    mark = f"{out.name}-{tally.kills}"
    said = out.with_suffix(".txt")
    with said.open("w") as output:
        process = subprocess.Popen(
            [*command, "--out", str(out)], stdout=output, start_new_session=True, env={**os.environ, MARK: mark}
        )
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()
    lost = told(said) - labels(out)
    tally.wrong += [f"{out.name}: the result of {label} was told and not kept" for label in sorted(lost)]
    began = time.monotonic()
    while left := list(marked(mark)):
        if time.monotonic() - began > PATIENCE:
            tally.wrong.append(f"{out.name}: {len(left)} processes outlived their batch")
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            break
        time.sleep(0.05)
    tally.longest = max(tally.longest, time.monotonic() - began)
    return False


def marked(mark: str) -> Iterator[int]:
    """The processes with this mark in their environment."""
    wanted = f"{MARK}={mark}".encode()
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if wanted in entry.read_bytes().split(b"\0"):
                yield int(entry.parent.name)


def finished(out: Path) -> dict[str, float]:
    """When each result was kept; a store that is not there has none. Raises where it is damaged."""
    path = out / "batch.sqlite"
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path)) as store:
        if not list(store.execute("select 1 from sqlite_master where name = 'results'")):
            return {}
        [(sound,)] = store.execute("pragma integrity_check")
        if sound != "ok":
            raise ValueError(f"{path}: {sound}")
        return dict(store.execute("select key, finished from results"))


def told(said: Path) -> set[str]:
    """The kernels that a batch has told to be finished; the last line may be half of one."""
    lines = (line for line in said.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n"))
    return {line.partition("] ")[2].partition(": ")[0] for line in lines if line.startswith("[")}


def labels(out: Path) -> set[str]:
    """The kernels with results."""
    if not finished(out):
        return set()
    with closing(sqlite3.connect(out / "batch.sqlite")) as store:
        return {label for (label,) in store.execute("select label from results")}


def table(out: Path) -> Table:
    """The final table without times."""
    with closing(sqlite3.connect(out / "batch.sqlite")) as store:
        rows = store.execute("select key, label, target, verdict, ok, reason from results")
        return {(label, target): (key, *rest) for key, label, target, *rest in rows}


def differing(expected: Path, out: Path) -> Iterator[str]:
    """What is not as in the undisturbed run."""
    ours, theirs = table(out), table(expected)
    yield from (f"{label}, {target}: {ours.get((label, target))}, undisturbed {theirs.get((label, target))}"
                for label, target in sorted(ours.keys() | theirs.keys())
                if ours.get((label, target)) != theirs.get((label, target)))  # fmt: skip
    have, want = artefacts(out), artefacts(expected)
    yield from (f"{name} differs" for name in sorted(have.keys() | want.keys()) if have.get(name) != want.get(name))


def artefacts(out: Path) -> dict[str, str]:
    """Digests of all files with code and certificates."""
    root = out / "lifted"
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


if __name__ == "__main__":
    raise SystemExit(main())
