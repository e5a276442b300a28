"""report.html: one file that needs nothing else. All text in it is data for its script; none is taken for markup.

The index of all results is JSON in which no character means anything to HTML. What is shown of single kernels is packed in
blocks, which the browser unpacks when a kernel is asked for: so 10,000 of them open at once. A Content-Security-Policy permits
the page's own script and style, by their hashes, and nothing else.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from metalift.app.batch.details import Found, blocks, details
from metalift.app.batch.speed.shown import SOURCE, ratios
from metalift.app.batch.store import Row
from metalift.result.verdict import FunctionVerdict
from metalift.version import __version__

BLOCK = 32  # kernels
REASON = 500  # characters of a reason in the index
VERDICTS = [verdict.value for verdict in FunctionVerdict]
SCRIPTS = ("1-data.js", "2-plots.js", "3-list.js", "4-kernel.js")


def page(out: Path, found: Iterable[Found]) -> str:
    """The page, given what is known of each kernel and target, those of one kernel in one piece."""
    index, packed = _Index(), []
    for number, block in enumerate(blocks(found, BLOCK)):
        for kernel in block:
            index.add(kernel)
        shown = [details(out, kernel) for kernel in block]
        packed.append(f'<script type="text/plain" id="details-{number}">{_packed(shown)}</script>')
    style, script = _file("report.css"), "".join(map(_file, SCRIPTS))
    return Template(_file("report.html")).substitute(
        style=style,
        style_hash=_hash(style),
        script=script,
        script_hash=_hash(script),
        index=inert(index.plain()),
        details="\n".join(packed),
    )


def inert(value: object) -> str:
    """JSON that can stand inside of a script element: what HTML or old JavaScript could take for something else is escaped."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@dataclass(slots=True)
class _Index:
    """All results in short: names are numbers in lists of names."""

    targets: list[str] = field(default_factory=list)
    suites: dict[str, int] = field(default_factory=dict)
    styles: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    forms: dict[str, int] = field(default_factory=lambda: {SOURCE: 0})
    kernels: list[list[Any]] = field(default_factory=list)

    def add(self, kernel: list[Found]) -> None:
        """A kernel."""
        wanted = kernel[0][0]
        self.targets.extend(one.target for one, _ in kernel if one.target not in self.targets)
        suite = self.suites.setdefault(wanted.suite, len(self.suites))
        style = self.styles.setdefault(wanted.style, len(self.styles))
        known = {one.target: row for one, row in kernel}
        results = [_short(known.get(target)) for target in self.targets]
        self.kernels.append([suite, wanted.name or wanted.label, style, wanted.label, results, self.speed(kernel)])

    def speed(self, kernel: list[Found]) -> list[object] | None:
        """The kind of a kernel that was measured, the recommended form, and for each form how fast it is."""
        found = ratios(row for _, row in kernel)
        if found is None:
            return None
        forms = [[self.forms.setdefault(name, len(self.forms)), round(ratio, 4)] for name, ratio in found.forms.items()]
        return [self.kinds.setdefault(found.kind, len(self.kinds)), self.forms.get(found.recommended, 0), forms]

    def plain(self) -> dict[str, object]:
        """As data."""
        return {
            "made": int(time.time()),
            "version": __version__,
            "block": BLOCK,
            "verdicts": VERDICTS,
            "targets": self.targets,
            "suites": list(self.suites),
            "styles": list(self.styles),
            "kinds": list(self.kinds),
            "forms": list(self.forms),
            "kernels": self.kernels,
        }


def _short(row: Row | None) -> list[object] | None:
    if row is None:
        return None
    times = round(row.seconds, 3), round(row.prover, 4), round(row.finished, 2)
    return [VERDICTS.index(row.verdict), int(row.ok), *times, row.reason[:REASON]]


def _packed(value: object) -> str:
    return base64.b64encode(gzip.compress(json.dumps(value, allow_nan=False).encode(), 6, mtime=0)).decode()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _file(name: str) -> str:
    return (resources.files("metalift.app.batch") / "templates" / name).read_text(encoding="utf-8")
