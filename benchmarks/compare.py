"""What one run of the suites found, kept in a file and compared with another run: another clang, machine or version of metalift.

    python -m benchmarks.run --save here.json
    METALIFT_CLANG=zig METALIFT_PLUGIN=none python -m benchmarks.run --compare here.json

Two runs are the same where every kernel that both have has the same verdict and agreement for every target, the same summary, the
same code and the same formulas.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Verdicts = Mapping[str, Mapping[str, str]]  # kernel -> target, or what a text is -> verdict and agreement, or the text
SHOWN = 80  # characters of what differs


def texts_of(function: Mapping[str, Any]) -> dict[str, str]:
    """Summary, code and a digest of the formulas of a function, from its JSON object while its files are there."""
    texts = {"summary": str(function.get("summary", ""))}
    for target, made in function.get("targets", {}).items():
        if made["file"] is not None:
            file = Path(made["file"])
            texts[f"code {target}"] = file.read_text(encoding="utf-8")
            formulas = sorted((file.parent.parent / "certificates" / file.stem).rglob("*.smt2"))
            texts["formulas"] = hashlib.sha256(b"".join(path.read_bytes() for path in formulas)).hexdigest()
    return texts


def save(verdicts: Verdicts, path: Path) -> None:
    """Write what a run found."""
    path.write_text(json.dumps(verdicts, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def differences(verdicts: Verdicts, path: Path) -> list[str]:
    """A line for each kernel and target of both runs whose verdicts differ, and for each text that does."""
    before: Verdicts = json.loads(path.read_text(encoding="utf-8"))
    lines = []
    for kernel in sorted(verdicts.keys() & before.keys()):
        for target in sorted(verdicts[kernel].keys() & before[kernel].keys()):
            old, new = before[kernel][target], verdicts[kernel][target]
            if old != new:
                lines.append(f"{kernel}, {target}: {new[:SHOWN]!r}; in {path.name} {old[:SHOWN]!r}")
    return lines
