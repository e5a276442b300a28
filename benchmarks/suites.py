"""Reading the manifests: what a suite holds is data."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Kernel:
    """One source file in one style, and the verdict that the suite asks for."""

    suite: str
    name: str
    style: str
    path: Path
    function: str
    expected: str

    @property
    def label(self) -> str:
        """Suite and name, for tables."""
        return f"{self.suite}/{self.name}"


def suite_names() -> tuple[str, ...]:
    """The suites that there are: the folders with a manifest."""
    return tuple(sorted(manifest.parent.name for manifest in ROOT.glob("*/manifest.toml")))


def read_suite(name: str) -> tuple[Kernel, ...]:
    """The kernels of a suite, in the manifest's order; paths are relative to the working directory where they can be."""
    folder = ROOT / name
    manifest = tomllib.loads((folder / "manifest.toml").read_text(encoding="utf-8"))
    here = Path.cwd()
    return tuple(
        Kernel(
            suite=manifest["suite"],
            name=entry["name"],
            style=entry["style"],
            path=path.relative_to(here) if (path := folder / entry["file"]).is_relative_to(here) else path,
            function=entry["function"],
            expected=entry["expected"],
        )
        for entry in manifest["kernel"]
    )
