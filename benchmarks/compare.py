"""What one run of the suites found, kept in a file and compared with another run: another clang, machine or version of metalift.

    python -m benchmarks.run --save here.json
    METALIFT_CLANG=zig METALIFT_PLUGIN=none python -m benchmarks.run --compare here.json

Two runs are the same where every kernel that both have has the same verdict and agreement for every target. Where summary, code
or formulas are others, that is said too: two compilers may lead to other formulas, a change that only moves code to none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Found = Mapping[str, Mapping[str, str]]  # kernel -> target, or what a text is -> verdict and agreement, or the text
TEXTS = ("summary", "code ", "formulas")  # how the keys of texts begin


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


def save(found: Found, path: Path) -> None:
    """Write what a run found."""
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def differences(found: Found, path: Path) -> tuple[list[str], list[str]]:
    """A line for each kernel and target of both runs whose verdicts differ, and one for each text that does."""
    before: Found = json.loads(path.read_text(encoding="utf-8"))
    verdicts: list[str] = []
    texts: list[str] = []
    for kernel in sorted(found.keys() & before.keys()):
        for key in sorted(found[kernel].keys() & before[kernel].keys()):
            old, new = before[kernel][key], found[kernel][key]
            if old != new and key.startswith(TEXTS):
                texts.append(f"{kernel}: another {key} than in {path.name}")
            elif old != new:
                verdicts.append(f"{kernel}, {key}: {new}; in {path.name} {old}")
    return verdicts, texts
