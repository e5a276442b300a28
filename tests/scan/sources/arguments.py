"""Command line arguments, by hand."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field


@dataclass
class Options:
    verbose: int = 0
    output: str | None = None
    files: list[str] = field(default_factory=list)


class BadUse(Exception):
    pass


def parse(words: list[str]) -> Options:
    options = Options()
    rest = iter(words)
    for word in rest:
        if word == "--":
            options.files.extend(rest)
        elif word in ("-v", "--verbose"):
            options.verbose += 1
        elif word.startswith("--output="):
            options.output = word.partition("=")[2]
        elif word == "-o":
            try:
                options.output = next(rest)
            except StopIteration:
                raise BadUse("-o needs a value") from None
        elif word.startswith("-"):
            raise BadUse(f"unknown option {word}")
        else:
            options.files.append(word)
    return options


def usage(names: dict[str, str]) -> str:
    wide = max(len(name) for name in names)
    return "\n".join(f"  {name:<{wide}}  {text}" for name, text in sorted(names.items()))


def main() -> int:
    try:
        options = parse(sys.argv[1:])
    except BadUse as problem:
        print(problem, file=sys.stderr)
        return 2
    for name in options.files:
        with open(name) as file:
            print(sum(len(line.split()) for line in file), name)
    return 0
