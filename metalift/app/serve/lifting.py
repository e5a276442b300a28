"""The process that lifts for the playground, one source after the other, and stays warm: `python -m metalift.app.serve.lifting`.

A line on standard input is a request in JSON, a line on standard output an event. SIGINT stops the lift that is under way; the
process ends with its standard input.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

from metalift.app.serve.wanted import Wanted
from metalift.app.style import code_style
from metalift.frontend.files import Program
from metalift.ir.interp.identities import for_people
from metalift.pipeline import lift
from metalift.pipeline.listening import Listener
from metalift.result import FunctionResult, Result, to_json
from metalift.result.errors import MetaliftError
from metalift.system.collecting import collect_rarely

Event = dict[str, Any]
WARMING = {
    "c": "float total(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n",
    "python": "def total(xs: list[float]) -> float:\n    s = 0.0\n    for x in xs:\n        s += x\n    return s\n",
}


class Telling(Listener):
    """Tells the events of a lift."""

    wants_drafts = True

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self._tell = tell

    def begins(self, source: str, functions: Sequence[str], targets: Sequence[str]) -> None:
        """The functions that there are."""
        self._tell({"event": "begins", "functions": list(functions), "targets": list(targets)})

    def drafted(self, function: str, target: str, code: str) -> None:
        """Code that is not proved yet."""
        self._tell({"event": "draft", "function": function, "target": target, "code": code})

    def ended(self, results: Sequence[FunctionResult]) -> None:
        """What became of functions and loop nests."""
        for result in results:
            self._tell({"event": "function", **shown(result)})


def shown(result: FunctionResult) -> Event:
    """A result as the page shows it: as `--json` has it, with code, and without files."""
    plain: Any = to_json(Result("", (result,)))
    (found,) = plain["functions"]
    for name, target in found["targets"].items():
        target.pop("file")
        target.update(code=result.targets[name].code, python=bool(result.targets[name].entry), ok=result.targets[name].ok)
    for each in (*found["assumptions"], *(one for target in found["targets"].values() for one in target["assumptions"])):
        each["text"] = for_people(each["text"])
    notes = [{"line": each.line, "message": each.message} for each in result.diagnostics]
    reasons = [{name: value for name, value in asdict(each).items() if name != "file"} for each in result.reasons]
    kept = ("name", "line", "verdict", "summary", "assumptions", "obligations", "targets", "seconds", "split")
    return {**{name: found[name] for name in kept}, "notes": notes, "reasons": reasons, "ok": result.ok}


def lifted(wanted: Wanted, tell: Callable[[Event], None]) -> None:
    """Lift one source and tell how it goes on; the last event is `done` or `failed`."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="metalift-") as folder:
        path = wanted.file().written(Path(folder))

        def stage(name: str, begins: bool) -> None:
            if begins:
                tell({"event": "stage", "stage": name})

        try:
            result = lift(
                path,
                to=wanted.to,
                assume=wanted.assume,
                nests=wanted.nests,
                program=Program(),
                style=code_style(wanted.style, wanted.signature),
                listener=Telling(tell),
                watch=stage,
            )
        except MetaliftError as problem:
            tell({"event": "failed", "message": str(problem).replace(f"{folder}/", "")})
            return
    tell({"event": "done", "ok": result.ok, "seconds": time.perf_counter() - began})


class Stopping:
    """SIGINT stops what is under way inside of `allowed`, and nothing outside of it."""

    def __init__(self) -> None:
        self._allowed = False
        signal.signal(signal.SIGINT, self._asked)

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """A KeyboardInterrupt may come in this block."""
        self._allowed = True
        try:
            yield
        finally:
            self._allowed = False

    def _asked(self, signum: int, frame: FrameType | None) -> None:
        if self._allowed:
            self._allowed = False  # once
            raise KeyboardInterrupt


def main() -> None:
    """Serve requests for as long as there are any. The arguments are the bytes of memory and the targets to warm up."""
    memory, *targets = sys.argv[1:]
    stopping = Stopping()
    collect_rarely()
    soft, hard = int(memory), resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what anything else prints is no event

    def tell(event: Event) -> None:
        out.write(json.dumps(event) + "\n")
        out.flush()

    for language, source in WARMING.items():
        lifted(Wanted(source, language, tuple(targets)), lambda event: None)
    tell({"event": "ready"})
    for line in sys.stdin:
        try:
            with stopping.allowed():
                lifted(Wanted.read(line.encode()), tell)
        except KeyboardInterrupt:
            tell({"event": "stopped"})
        except MemoryError:
            tell({"event": "failed", "message": "it takes more memory than its limit"})


if __name__ == "__main__":
    main()
