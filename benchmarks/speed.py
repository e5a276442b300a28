"""Averages of what `metalift batch --measure` found, as Markdown.

Usage, from the root of the project: python -m benchmarks.speed DIR [--write FILE]

DIR is the output folder of the batch. Numbers are how many times as fast a form is as the source compiled by `gcc -O3
-march=native`, on the largest size of each kernel; averages are geometric means. With --write, what stands between the lines
`<!-- speed -->` and `<!-- end -->` of a file is replaced.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metalift.app.batch.store import Store

BEGIN, END = "<!-- speed -->\n", "<!-- end -->\n"
SOURCE = "source"
LARGE = 1 << 20  # bytes of all arrays, below which the largest size says what calls cost


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel's times at its largest size, of the forms that agree at every size."""

    label: str
    kind: str
    machine: str
    bytes: int
    recommended: str
    seconds: Mapping[str, float]

    def ratio(self, form: str) -> float:
        """How many times as fast as the source a form is."""
        return self.seconds[SOURCE] / self.seconds[form]

    @property
    def generated(self) -> list[str]:
        """The forms that were generated and agree."""
        return [form for form in self.seconds if form != SOURCE]

    @property
    def best(self) -> float:
        """The ratio of the fastest of them."""
        return max(map(self.ratio, self.generated))


def main() -> None:
    """Print or write the tables."""
    parser = argparse.ArgumentParser(description="Averages of what `metalift batch --measure` found.")
    parser.add_argument("folder", metavar="DIR", type=Path, help="the batch's --out")
    parser.add_argument("--write", metavar="FILE", type=Path, help="replace the tables in that file")
    options = parser.parse_args()
    kernels, problems = read(options.folder)
    text = "\n".join(page(kernels, problems)) + "\n"
    if options.write is None:
        print(text, end="")
        return
    before, _, rest = options.write.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    options.write.write_text(before + BEGIN + text + END + after, encoding="utf-8")


def read(folder: Path) -> tuple[list[Kernel], list[str]]:
    """What was measured, and a line for each kernel that could not be."""
    store = Store(folder, create=False)
    try:
        speeds = {wanted.label: row.speed for wanted, row in store.each(results=False) if row is not None and row.speed}
    finally:
        store.close()
    kernels = [found for label, speed in speeds.items() if (found := _kernel(label, speed)) is not None]
    return kernels, [f"{label}: {speed['problem']}" for label, speed in speeds.items() if "problem" in speed]


def _kernel(label: str, speed: Mapping[str, Any]) -> Kernel | None:
    if "problem" in speed:
        return None
    sizes = list(speed["sizes"].values())
    last = sizes[-1]
    agreeing = [name for name in last["forms"] if all(size["forms"][name].get("agrees") for size in sizes)]
    seconds = {name: last["forms"][name]["median"] for name in agreeing}
    return Kernel(label, speed["kind"], speed["machine"], last["bytes"], speed["recommended"], seconds)


def page(kernels: Sequence[Kernel], problems: Sequence[str]) -> Iterator[str]:
    """The text."""
    if not kernels:
        yield "Nothing was measured."
        return
    yield f"{len(kernels)} kernels, one processor: {', '.join(sorted({kernel.machine for kernel in kernels}))}."
    yield ""
    yield from averages(kernels)
    yield ""
    yield from table(kernels)
    if problems:
        yield from ("", f"Not measured ({len(problems)}):", "", *(f"- {line}" for line in problems))


def averages(kernels: Sequence[Kernel]) -> Iterator[str]:
    """Geometric means by kind of kernel."""
    forms = list(dict.fromkeys(form for kernel in kernels for form in kernel.generated))
    yield _line(["kernels", "count", "best generated form", "recommended", "source kept", *forms])
    yield _line(["---", *["---:"] * (4 + len(forms))])
    large = [kernel for kernel in kernels if kernel.bytes >= LARGE]
    groups = {"all": large}
    groups.update((kind, [each for each in large if each.kind == kind]) for kind in sorted({each.kind for each in large}))
    groups["of fixed, small size (not in the others)"] = [kernel for kernel in kernels if kernel.bytes < LARGE]
    for kind, own in groups.items():
        best = _mean([kernel.best for kernel in own if kernel.generated])
        chosen = _mean([kernel.ratio(kernel.recommended) for kernel in own])
        kept = sum(kernel.recommended == SOURCE for kernel in own)
        means = [_mean([kernel.ratio(form) for kernel in own if form in kernel.seconds]) for form in forms]
        yield _line([kind, str(len(own)), best, chosen, str(kept), *means])


def table(kernels: Sequence[Kernel]) -> Iterator[str]:
    """A line for each kernel."""
    forms = list(dict.fromkeys(form for kernel in kernels for form in kernel.generated))
    yield _line(["kernel", "kind", "MB", "source ms", *forms, "recommended"])
    yield _line(["---", "---", *["---:"] * (2 + len(forms)), "---"])
    for kernel in kernels:
        ratios = [f"{kernel.ratio(form):.2f}" if form in kernel.seconds else "-" for form in forms]
        numbers = [f"{kernel.bytes / 1e6:.0f}", f"{kernel.seconds[SOURCE] * 1e3:.2f}"]
        yield _line([kernel.label, kernel.kind, *numbers, *ratios, kernel.recommended])


def _mean(ratios: Sequence[float]) -> str:
    return f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}" if ratios else "-"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', ' ') for cell in cells)} |"


if __name__ == "__main__":
    main()
