"""Proves every certificate of the suites again, by cvc5 and by z3, and prints how many agree and what it takes.

Usage, from the root of the project:
    python -m benchmarks.recheck [--seconds S] [--share F] [--seed S] [--limit S] [--log FILE] [SUITE ...]

A kernel is lifted, and its certificate checked as `metalift check` does it: derived anew, witnessed, and proved by cvc5. Then z3
is asked about each file of it, and each lemma that the files use. "late" are certificates for which the check takes longer than
twice the time of the proofs when the kernel was lifted, and a second. With --log, kernels with a result are not done again.
Exit status 1 where a certificate is not accepted, or z3 finds a model of what cvc5 proves.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.suites import Kernel, read_suite, suite_names
from metalift import lift
from metalift.check import certificate
from metalift.check.recheck import texts_of
from metalift.pipeline import check
from metalift.prove.solver import SolverPool

ALLOWED = "at most twice the time of the proofs and 1 s"
Record = dict[str, Any]


def kernels(suites: Sequence[str], share: float, seed: int) -> list[Kernel]:
    """The kernels that are expected to be proved, or a share of them, drawn with the seed."""
    found = [kernel for suite in suites for kernel in read_suite(suite) if kernel.expected == "PROVED"]
    drawn = random.Random(seed).sample(range(len(found)), max(1, round(share * len(found))))
    return [found[place] for place in sorted(drawn)]


def rechecked(kernel: Kernel, folder: Path, pool: SolverPool, limit: float) -> Record:
    """What becomes of one certificate."""
    found: Record = {"kernel": identity(kernel), "z3": {}}
    (function,) = lift(kernel.path, functions=[kernel.function], to=kernel.targets[:1], out=folder).functions
    if function.certificate is None:
        return found | {"wrong": f"it is {function.verdict.value}, without a certificate"}
    found["proof"] = sum(seconds for stage, seconds in function.seconds.items() if stage.startswith("proof"))
    root = Path(function.certificate)
    began = time.perf_counter()
    result = check(root)
    found["check"] = time.perf_counter() - began
    found["solver"] = sum(one.seconds for one in result.obligations)
    found["obligations"] = len(result.obligations)
    if not result.ok:
        unproved = [f"{one.name}: {one.reason}" for one in result.obligations if one.reason]
        found["wrong"] = "; ".join([*result.differences, *result.disagreements, *unproved])
    return found | asked(root, pool, limit)


def asked(root: Path, pool: SolverPool, limit: float) -> Record:
    """What z3 says of the files of a certificate."""
    answers: Counter[str] = Counter()
    seconds = 0.0
    recorded = certificate.read(root)
    texts = (each for one in recorded.obligations for proof in one.proofs for each in texts_of(root, proof.file, proof.lemmas))
    for text in dict.fromkeys(text for _, text in texts):
        answer = pool.ask(text, limit, "z3")
        answers[answer.answer] += 1
        seconds += answer.seconds
    return {"z3": dict(answers), "z3 seconds": seconds}


def identity(kernel: Kernel) -> str:
    """What tells a kernel from all others."""
    return f"{kernel.label} {kernel.style} {kernel.path.name} {kernel.function}"


def is_late(record: Record) -> bool:
    """Whether the check takes longer than it may."""
    return bool(record["check"] > 2 * record["proof"] + 1)


def summary(records: Sequence[Record]) -> int:
    """Print the totals; how many certificates are not accepted or contradicted."""
    say = sys.stdout.write
    wrong = [each for each in records if each.get("wrong") or each["z3"].get("sat")]
    timed = [each for each in records if "check" in each]
    answers: Counter[str] = Counter()
    for each in records:
        answers.update(each["z3"])
    say(f"\n{len(records)} certificates: {len(records) - len(wrong)} proved again by cvc5 and contradicted by nobody, ")
    say(f"{sum(each.get('obligations', 0) for each in records)} obligations\n")
    say(f"z3 on their {answers.total()} files: {answers['unsat']} proved, {answers['unknown']} unknown, ")
    say(f"{answers['sat']} refuted\n")
    if timed:
        ratios = sorted(each["check"] / max(each["proof"], 1e-3) for each in timed)
        late = [each for each in timed if is_late(each)]
        say(f"time of a check: {sum(each['check'] for each in timed):.0f} s for proofs of ")
        say(f"{sum(each['proof'] for each in timed):.0f} s, in the median {ratios[len(ratios) // 2]:.2f} times, ")
        say(f"at most {ratios[-1]:.2f} times; {len(timed) - len(late)} take {ALLOWED}, {len(late)} are late\n")
        for each in sorted(late, key=lambda each: -each["check"])[:10]:
            say(f"  late: {each['kernel']}: {each['check']:.1f} s for {each['proof']:.1f} s\n")
    for each in wrong:
        say(f"  WRONG {each['kernel']}: {each.get('wrong') or 'z3 says sat'}\n")
    return len(wrong)


def main(argv: Sequence[str] | None = None) -> int:
    """Lift, check, ask and print."""
    parser = argparse.ArgumentParser(description="Prove the certificates of the suites again, by two solvers.")
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--share", type=float, default=1.0, help="of the kernels that are taken (default: 1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=10.0, help="seconds for z3 on one file")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args(argv)
    records: list[Record] = []
    if options.log is not None and options.log.exists():
        records = [json.loads(line) for line in options.log.read_text(encoding="utf-8").splitlines()]
    done = {each["kernel"] for each in records}
    began = time.monotonic()
    with SolverPool(1) as pool, tempfile.TemporaryDirectory(prefix="metalift-recheck-") as folder:
        chosen = kernels(options.suites or suite_names(), options.share, options.seed)
        for number, kernel in enumerate(chosen):
            if time.monotonic() - began > options.seconds:
                break
            if identity(kernel) in done:
                continue
            records.append(rechecked(kernel, Path(folder) / str(number), pool, options.limit))
            if options.log is not None:
                with options.log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(records[-1]) + "\n")
    return 1 if summary(records) else 0


if __name__ == "__main__":
    raise SystemExit(main())
