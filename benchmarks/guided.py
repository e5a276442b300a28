"""The readers of benchmarks/fuzz.py under texts that grow where they reach new branches (atheris, which is libFuzzer for Python).

Usage, from the root of the project, with the extra `fuzz` installed:
    python -m benchmarks.guided [--seconds S] [--seed S] [--keep] [READER ...]

Texts begin with the examples and the corpus, tests/trust/corpus/READER.json, and are changed as fuzz.py does it, or byte by byte.
With --keep, texts that reach the same branches as all that were found become the corpus, as far as there is room. Exit status 1
where a reader ends with anything but its own errors, takes longer than ten seconds or more than 3 GB: the text is printed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.fuzz import TARGETS, reported

CORPUS = Path(__file__).resolve().parent.parent / "tests" / "trust" / "corpus"
ROOM = 150_000  # bytes of the corpus of a reader
SLACK = 600  # seconds beyond its own for libFuzzer to begin and end


def known(name: str) -> list[str]:
    """The corpus of a reader."""
    path = CORPUS / f"{name}.json"
    texts: list[str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return texts


def write(folder: Path, texts: Sequence[str]) -> Path:
    """A folder with a file for each text."""
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / str(number)).write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    return folder


def read(path: Path) -> str:
    """The text of a file."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


def libfuzzer(name: str, root: Path, arguments: Sequence[str], seconds: float) -> tuple[str, list[tuple[str, str]]]:
    """What libFuzzer prints, and what makes the reader fail, with the text."""
    found, kept = root / "found", write(root / "kept", ())
    command = [sys.executable, "-m", "benchmarks.libfuzzer", name, str(found), f"-artifact_prefix={kept}/", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, timeout=seconds + SLACK)
        said, status = done.stderr, done.returncode
    except subprocess.TimeoutExpired:
        said, status = "", -1
    ways = [(said, text) for said, text in map(json.loads, found.read_text().splitlines())] if found.exists() else []
    ways += [(f"libFuzzer says {path.name.split('-')[0]}", read(path)) for path in sorted(kept.iterdir())]
    if status != 0 and not ways:
        ways.append((f"the process ends with status {status}: {said[-2000:]}", ""))
    return said, ways


def campaign(name: str, seconds: float, seed: int, keep: bool) -> list[tuple[str, str]]:
    """What makes a reader fail, and the text; prints how many were tried, and what they reach."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        grown = write(root / "grown", [*TARGETS[name].examples(), *known(name)])
        limits = [f"-max_total_time={round(seconds)}", f"-seed={seed}"]
        said, ways = libfuzzer(name, write(root / "run", ()), [*limits, str(grown)], seconds)
        runs = re.findall(r"^Done (\d+) runs", said, re.MULTILINE) or ["?"]
        reached = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", said) or [("?", "?", "?")]
        branches, features, texts = reached[-1]
        sys.stdout.write(f"{name:<14}{runs[0]:>9} texts, {branches} branches, {features} features, {texts} kept, ")
        sys.stdout.write(f"{len(ways)} ways to fail\n")
        if keep and not ways:
            least = write(root / "least", ())
            _, ways = libfuzzer(name, write(root / "merge", ()), ["-merge=1", str(least), str(grown)], seconds)
            CORPUS.mkdir(exist_ok=True)
            kept = list(with_room(set(map(read, least.iterdir())) - set(TARGETS[name].examples())))
            (CORPUS / f"{name}.json").write_text(json.dumps(kept, indent=0) + "\n", encoding="utf-8")
        return ways


def with_room(texts: set[str]) -> Iterator[str]:
    """As many of the texts as there is room for, long and short ones."""
    room = ROOM
    for text in sorted(texts, key=lambda text: zlib.crc32(text.encode("utf-8", "surrogateescape"))):
        room -= len(json.dumps(text))
        if room >= 0:
            yield text


def main(argv: Sequence[str] | None = None) -> int:
    """Try the readers and print what fails."""
    parser = argparse.ArgumentParser(description="Changes of texts, guided by coverage; each is read or refused.")
    parser.add_argument("readers", nargs="*", metavar="READER", choices=[[], *TARGETS])
    parser.add_argument("--seconds", type=float, default=60, help="for each reader (default: 60)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="write the corpus anew")
    options = parser.parse_args(argv)
    return reported(options.readers, lambda name: campaign(name, options.seconds, options.seed, options.keep))


if __name__ == "__main__":
    raise SystemExit(main())
