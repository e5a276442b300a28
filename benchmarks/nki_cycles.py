"""Cycles of NKI kernels by the model of the machine, beside those of the kernels that an older lowering made.

Usage, from the root of the project: python -m benchmarks.nki_cycles [--all] [--record] [NAME ...]

The kernels are those of the llama suite in C, a layernorm, and the 20 of the array suite in C that took most when the base
was recorded (`--all`: all of that suite that the driver has kernels for). Every size is 4,096 and 65,536; where an array is a
matrix of such sizes, 512 and 2,048. Printed are the cycles of the busiest engine and beside them those of the DMA, by
`drivers/trainium/model.toml`, and how many times as many the base took; nothing of it is measured. `--record` writes what is
found as the base, which belongs to one version of the model.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

from benchmarks.suites import ROOT, read_suite
from metalift.driver import CannotWrite, Driver, Kernel, Request
from metalift.driver.files import load
from metalift.frontend import functions_of, import_function, open_source
from metalift.ir.expr.types import is_integer
from metalift.ir.program.fragment import Unsupported
from metalift.synth.cover import NotCovered, cover
from metalift.synth.derive import derive

BASE = ROOT / "nki" / "base.json"
VECTORS, MATRICES = (4096, 65536), (512, 2048)
SQUARE = 1 << 20  # elements of an array where every size is 4,096: with more it is a matrix
HEAVIEST = 20


@dataclass(frozen=True, slots=True)
class Figure:
    """One kernel at one size: cycles of the busiest engine, and of the DMA."""

    name: str
    size: int
    cycles: int
    moving: int

    @property
    def key(self) -> str:
        """Its name in the base."""
        return f"{self.name} {self.size}"


def sources(everything: bool, base: dict[str, list[int]]) -> dict[str, tuple[Path, str]]:
    """The sources by name, with the function in each; those of array are in the base, or all."""
    found = {"nki/layernorm": (ROOT / "nki" / "layernorm.c", "layernorm")}
    for suite in ("llama", "array"):
        for kernel in read_suite(suite):
            name = f"{suite}/{kernel.path.stem}"
            if kernel.path.suffix == ".c" and (everything or suite == "llama" or any(key.split()[0] == name for key in base)):
                found[name] = kernel.path, kernel.function
    return found


def requested(path: Path, function: str, driver: Driver) -> Request:
    """What the driver is given. Raises NotCovered, Unsupported."""
    module = open_source(path)
    named = next(one for one, _ in functions_of(module) if one == function)
    fragment = import_function(module, named)
    summary = derive(fragment)
    return Request(fragment, summary, cover(summary, fragment, driver, "nki"))


def figures(name: str, request: Request, kernel: Kernel) -> Iterator[Figure]:
    """What a kernel takes at both sizes."""
    from metalift_drivers._tiles.cost import elements
    from metalift_drivers.trainium.cost import Costs

    numbers = [param.var.name for param in request.fragment.params if is_integer(param.var.type)]
    first = dict.fromkeys(numbers, VECTORS[0])
    square = any(elements(shape, first) > SQUARE for shape in request.summary.shapes.values())
    for size in MATRICES if square else VECTORS:
        cost = Costs(dict.fromkeys(numbers, size)).of_kernel(kernel)
        yield Figure(name, size, cost.busiest, cost.moving)


def measured(names: Sequence[str], everything: bool, base: dict[str, list[int]]) -> Iterator[Figure]:
    """The figures of what the driver emits by default."""
    driver = load("trainium").driver
    lower = driver.target("nki").lower
    assert lower is not None
    for name, (path, function) in sources(everything, base).items():
        if names and name not in names:
            continue
        try:
            request = requested(path, function, driver)
            yield from figures(name, request, lower(request))
        except (NotCovered, CannotWrite, Unsupported) as problem:
            sys.stdout.write(f"{name:<32} not lowered: {str(problem)[:90]}\n")


def heaviest(found: Sequence[Figure]) -> list[Figure]:
    """Without the kernels of array that take less than the 20 heaviest."""
    most: dict[str, int] = {}
    for each in found:
        if each.name.startswith("array/"):
            most[each.name] = max(most.get(each.name, 0), each.cycles)
    kept = sorted(most, key=lambda name: (-most[name], name))[:HEAVIEST]
    return [each for each in found if each.name in kept or not each.name.startswith("array/")]


def shown(found: Sequence[Figure], base: dict[str, list[int]]) -> Iterator[str]:
    """A line for each kernel and size, and the geometric mean of how many times as many cycles the base took."""
    yield f"{'kernel':<32}{'size':>8}{'base':>14}{'now':>14}{'base/now':>10}{'DMA base':>12}{'DMA now':>12}"
    times = []
    for each in found:
        before = base.get(each.key)
        told = f"{each.cycles:>28,}{'':>22}"
        if before:
            times.append(before[0] / each.cycles)
            told = f"{before[0]:>14,}{each.cycles:>14,}{times[-1]:>10.2f}{before[1]:>12,}"
        yield f"{each.name:<32}{each.size:>8,}{told}{each.moving:>12,}"
    if times:
        yield f"geometric mean of {len(times)}: base/now {geometric_mean(times):.2f}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table, or record the base."""
    from metalift_drivers.trainium.cost import MODEL

    parser = argparse.ArgumentParser(description="Modelled cycles of NKI kernels.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as llama/softmax (default: all)")
    parser.add_argument("--all", action="store_true", help="all kernels of array")
    parser.add_argument("--record", action="store_true", help="write the base")
    options = parser.parse_args(argv)
    recorded = json.loads(BASE.read_text(encoding="utf-8")) if BASE.exists() else {"model": MODEL["version"], "cycles": {}}
    if recorded["model"] != MODEL["version"] and not options.record:
        parser.error(f"the base is of version {recorded['model']} of the model, which has version {MODEL['version']}")
    base = {} if options.record else recorded["cycles"]
    found = list(measured(options.names, options.all or options.record, base))
    if options.record:
        found = heaviest(found)
        kept = {each.key: [each.cycles, each.moving] for each in found}
        BASE.write_text(json.dumps({"model": MODEL["version"], "cycles": kept}, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write("\n".join(shown(found, base)) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
