"""Lifts random programs and runs what is PROVED beside its source, on inputs that have nothing to do with metalift's own.

Usage, from the root of the project:
    python -m benchmarks.random_programs [--count N] [--seconds S] [--seed S] [--first K] [--log FILE] [--language c|cc|py]
        [--mixed]

With --mixed, integers and floats turn into each other in each program. Sources are compiled by clang and gcc, at -O0 and -O2.
Programs are numbered; with --log each is recorded, and those of the log are not made again, so that a campaign can be made in
parts. Prints those that are wrong with their source and an input, then how many were proved and why the others were not. Exit
status 1 where one that is PROVED differs from its source, or its code cannot be run.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.native_programs import NotCompiled, compiled, source_text
from benchmarks.random_kernels import Program, program
from metalift import lift
from metalift.result import FunctionResult
from metalift.result.errors import UsageError
from metalift.result.verdict import Agreement, Checked, FunctionVerdict

TOGETHER = 10  # programs in one file
INPUTS = 400
SUITED = "numpy"
REAL = "real arithmetic"
EXPECTED = ("absence of undefined behaviour in the source", REAL)  # what no guard can check, and the oracle does
ORACLE_SECONDS = 300
PLACES = re.compile(r"'[^']*'|\"[^\"]*\"|\b\d[\w.]*\b|\b[\w!@.]*[\[(].*")
Record = dict[str, Any]


def files(
    seed: int, first: int, count: int, language: str | None, mixed: bool = False
) -> Iterator[list[tuple[int, Program]]]:
    """The numbered programs, those of one language together."""
    groups: dict[str, list[tuple[int, Program]]] = {}
    for number in range(first, first + count):
        one = program(seed, number, language, mixed)
        group = groups.setdefault(one.language, [])
        group.append((number, one))
        if len(group) == TOGETHER:
            yield groups.pop(one.language)
    yield from groups.values()


def attempted(numbered: Sequence[tuple[int, Program]], timeout: float, inputs: int, seed: int) -> list[Record]:
    """Lift the programs of a file and run those that are proved."""
    programs = [one for _, one in numbered]
    with tempfile.TemporaryDirectory(prefix="metalift-random-") as name:
        folder = Path(name)
        source = folder / f"programs.{programs[0].language}"
        source.write_text(source_text(programs), encoding="utf-8")
        try:
            results = {one.name: one for one in lift(source, to=[SUITED], out=folder / "out", timeout=timeout).functions}
        except UsageError as problem:
            return [record(number, one, None, f"not compiled: {problem}") for number, one in numbered]
        made = [record(number, one, results.get(one.name), "") for number, one in numbered]
        proved = [each for each in made if each["verdict"] == "PROVED"]
        names = {each["name"] for each in proved}
        answers = observed([one for one in programs if one.name in names], source, results, inputs, seed)
        for each in proved:
            each["runs"] = answers.get(each["name"], {"broken": "the process that runs it ended"})
        return made


def record(number: int, one: Program, result: FunctionResult | None, problem: str) -> Record:
    """What is known of a program after it was lifted."""
    found: Record = {"number": number, "name": one.name, "language": one.language, "text": one.text}
    found |= {"verdict": "ERROR", "why": problem}
    if result is None:
        return found
    target = result.targets.get(SUITED)
    found["verdict"] = result.verdict.name
    if result.verdict is FunctionVerdict.PROVED and target is not None:
        unchecked = [one for one in (*result.assumptions, *target.assumptions) if one.checked is Checked.NO]
        found["unchecked"] = [one.text for one in unchecked if one.origin not in EXPECTED]
        found["checked"] = target.checked.name
        found["engine"] = target.engine
    elif result.diagnostics:
        found["why"] = result.diagnostics[-1].message
    if result.attempt is not None and result.verdict is not FunctionVerdict.PROVED:
        found["why"] = result.attempt.obligation or found["why"]
        found["refuted"] = result.attempt.input is not None
    return found


def observed(
    programs: Sequence[Program], source: Path, results: Mapping[str, FunctionResult], inputs: int, seed: int
) -> dict[str, Record]:
    """What the oracle says of each program; where its process ends, of the others in a new one."""
    if not programs:
        return {}
    native: tuple[str, tuple[str, ...]] = ("", ())
    if programs[0].language != "py":
        try:
            native = compiled(programs, source, source.parent)
        except NotCompiled as problem:
            return {one.name: {"broken": f"not compiled for the oracle: {problem}"} for one in programs}
    answers: dict[str, Record] = {}
    left = list(programs)
    while left:
        found = asked(left, native, source, results, inputs, seed)
        answers |= found
        if len(found) < len(left):
            answers[left[len(found)].name] = {"broken": "the process that runs it ended"}
        left = left[len(found) + 1 :]
    return answers


def asked(
    programs: Sequence[Program],
    native: tuple[str, tuple[str, ...]],
    source: Path,
    results: Mapping[str, FunctionResult],
    inputs: int,
    seed: int,
) -> dict[str, Record]:
    """The answers of one process."""
    entries = []
    for one in programs:
        module = results[one.name].targets[SUITED].file
        result = results[one.name]
        real = any(stated.origin == REAL for stated in (*result.assumptions, *result.targets[SUITED].assumptions))
        entries.append({**asdict(one), "module": str(module), "function": Path(str(module)).stem, "real": real})
    job = {"checked": native[0], "values": native[1], "source": str(source), "programs": entries, "count": inputs, "seed": seed}
    path = source.parent / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    command = [sys.executable, str(Path(__file__).with_name("oracle.py")), str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=ORACLE_SECONDS)
        text = done.stdout
    except subprocess.TimeoutExpired as late:
        text = late.stdout.decode() if isinstance(late.stdout, bytes) else ""
    lines = [json.loads(line) for line in text.splitlines() if line.endswith("}")]
    return {line.pop("name"): line for line in lines}


def is_wrong(each: Record) -> str:
    """What is wrong with a program that counts as proved; empty where nothing is."""
    if each["verdict"] != "PROVED":
        return ""
    runs = each["runs"]
    if runs.get("wrong"):
        return "differs from its source"
    if "broken" in runs:
        return f"cannot be run: {runs['broken']}"
    if each["checked"] == Agreement.DIFFERS.name:
        return f"metalift's own comparison says that it differs: {each['engine']}"
    return ""


def kind(each: Record) -> str:
    """Why a program is not proved, without its names."""
    why = str(each["why"]).splitlines()[0] if each["why"] else "no reason"
    return f"{each['verdict']}: {PLACES.sub('..', why)[:96]}"


def say(text: str) -> None:
    """Print at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def told(each: Record) -> None:
    """Print a program that is wrong."""
    problem = is_wrong(each)
    if problem:
        say(f"WRONG {each['name']}: {problem}\n{each['text']}")
        for unchecked in each["unchecked"]:
            say(f"  rests, unchecked, on: {unchecked}\n")
        for case in each["runs"].get("wrong", [])[:1]:
            say("".join(f"  {key}: {json.dumps(case[key])[:600]}\n" for key in ("inputs", "shared", "source", "generated")))


def summary(records: Sequence[Record]) -> int:
    """Print the totals; how many are wrong."""
    proved = [each for each in records if each["verdict"] == "PROVED"]
    wrong = [each for each in proved if is_wrong(each)]
    idle = [each for each in proved if not each["runs"].get("agree") and not is_wrong(each)]
    supported = [each for each in records if each["verdict"] not in ("UNSUPPORTED", "ERROR")]
    counts = Counter(kind(each) for each in records if each["verdict"] != "PROVED")
    refuted = sum(bool(each.get("refuted")) for each in records)
    say(f"\n{len(records)} programs: {len(proved)} proved, {len(wrong)} of these wrong; ")
    say(f"{len(supported)} of a supported form, of which {100 * len(proved) / max(1, len(supported)):.0f} % are proved; ")
    say(f"{refuted} summaries refuted by an input\n")
    say(f"inputs on which proved code agrees: {sum(each['runs'].get('agree', 0) for each in proved)}; ")
    say(f"decided by rounding: {sum(each['runs'].get('rounding', 0) for each in proved)}; ")
    say(f"refused by guards though defined: {sum(each['runs'].get('refused', 0) for each in proved)}; ")
    say(f"proved programs that agree on none: {len(idle)}; ")
    say(f"not compared by metalift itself: {sum(each['checked'] == Agreement.NOT_RUN.name for each in proved)}\n")
    for language in sorted({each["language"] for each in records}):
        own = [each for each in records if each["language"] == language]
        say(f"  {language}: {sum(each['verdict'] == 'PROVED' for each in own)} of {len(own)} proved\n")
    for reason, count in counts.most_common(40):
        say(f"{count:>6}  {reason}\n")
    return len(wrong)


def main(argv: Sequence[str] | None = None) -> int:
    """Make, lift, run and print."""
    parser = argparse.ArgumentParser(description="Random programs; what is PROVED is run beside its source.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--inputs", type=int, default=INPUTS)
    parser.add_argument("--timeout", type=float, default=2.0, help="seconds for one obligation")
    parser.add_argument("--language", choices=("c", "cc", "py"))
    parser.add_argument("--mixed", action="store_true", help="programs in which integers and floats turn into each other")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args(argv)
    began = time.monotonic()
    records: list[Record] = []
    if options.log is not None and options.log.exists():
        records = [json.loads(line) for line in options.log.read_text(encoding="utf-8").splitlines()]
    done = {each["number"] for each in records}
    for group in files(options.seed, options.first, options.count, options.language, options.mixed):
        if time.monotonic() - began > options.seconds:
            break
        if all(number in done for number, _ in group):
            continue
        for each in attempted(group, options.timeout, options.inputs, options.seed):
            records.append(each)
            told(each)
            if options.log is not None:
                with options.log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(each) + "\n")
    return 1 if summary(records) else 0


if __name__ == "__main__":
    raise SystemExit(main())
