"""Verdicts of one run of the suites kept in a file, and compared with those of another run: another clang, another machine.

    python -m benchmarks.run --save here.json
    METALIFT_CLANG=zig METALIFT_PLUGIN=none python -m benchmarks.run --compare here.json

Two runs are the same where every kernel that both have has the same verdict and agreement for every target.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

Verdicts = Mapping[str, Mapping[str, str]]  # kernel -> target -> verdict and agreement


def save(verdicts: Verdicts, path: Path) -> None:
    """Write a run's verdicts."""
    path.write_text(json.dumps(verdicts, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def differences(verdicts: Verdicts, path: Path) -> list[str]:
    """A line for each kernel and target of both runs whose verdicts differ."""
    before: Verdicts = json.loads(path.read_text(encoding="utf-8"))
    lines = []
    for kernel in sorted(verdicts.keys() & before.keys()):
        for target in sorted(verdicts[kernel].keys() & before[kernel].keys()):
            old, new = before[kernel][target], verdicts[kernel][target]
            if old != new:
                lines.append(f"{kernel}, {target}: {new}; in {path.name} {old}")
    return lines
