"""Reading the manifests: what a suite holds is data."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from metalift.app.batch.suite import read_suites

ROOT = Path(__file__).resolve().parent
TENSORS = ("numpy", "pytorch")  # what a suite is lifted to that does not say otherwise


@dataclass(frozen=True, slots=True)
class Kernel:
    """One source file in one style, the verdict that the suite asks for, and what the suite is lifted to."""

    suite: str
    name: str
    style: str
    path: Path
    function: str
    expected: str
    targets: tuple[str, ...] = TENSORS

    @property
    def label(self) -> str:
        """Suite and name, for tables."""
        return f"{self.suite}/{self.name}"

    @property
    def family(self) -> str:
        """What its style is one of: the language, and whether pointers move."""
        if self.path.suffix == ".c":
            return "C, bumped" if "bumped" in self.style else "C, indexed"
        return "Python" if self.path.suffix == ".py" else "C++"


@dataclass(frozen=True, slots=True)
class LongFunction:
    """A function that is lifted by its loop nests: how many there are, and the verdicts of those that are not PROVED."""

    suite: str
    name: str
    path: Path
    function: str
    nests: int
    failing: Mapping[str, str]

    def kernel(self, nest: str, line: int) -> Kernel:
        """One of its nests."""
        return Kernel(self.suite, self.name, f"line {line}", self.path, nest, self.failing.get(nest, "PROVED"))


def suite_names(targets: Collection[str] = TENSORS) -> tuple[str, ...]:
    """The suites that are lifted to these targets, among others; without any, all that there are: the folders with a manifest."""
    names = sorted(manifest.parent.name for manifest in ROOT.glob("*/manifest.toml"))
    return tuple(name for name in names if set(targets) <= set(suite_targets(name)))


def suite_targets(name: str) -> tuple[str, ...]:
    """What a suite is lifted to."""
    manifest = tomllib.loads((ROOT / name / "manifest.toml").read_text(encoding="utf-8"))
    return tuple(manifest.get("targets", TENSORS))


def read_suite(name: str) -> tuple[Kernel, ...]:
    """The kernels of a suite, in the manifest's order; paths are relative to the working directory where they can be."""
    targets = suite_targets(name)
    return tuple(
        Kernel(one.suite, one.name, one.style, near(one.path), one.function, one.expected, targets)
        for one in read_suites([ROOT / name])
    )


def long_suites() -> tuple[str, ...]:
    """The suites of long functions: the folders with a list of those."""
    return tuple(sorted(manifest.parent.name for manifest in ROOT.glob("*/nests.toml")))


def read_long(name: str) -> tuple[LongFunction, ...]:
    """The functions of such a suite."""
    folder = ROOT / name
    manifest = tomllib.loads((folder / "nests.toml").read_text(encoding="utf-8"))
    return tuple(
        LongFunction(
            manifest["suite"], one["name"], near(folder / one["file"]), one["function"], one["nests"], one.get("failing", {})
        )
        for one in manifest["function"]
    )


def near(path: Path) -> Path:
    """The path relative to the working directory where it can be."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
