"""Output folders of batches that never ran: a store with results that are made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metalift.app.batch.engine import folder_of
from metalift.app.batch.store import Row, Store, Wanted

SOURCE = "/* adds */\nint {name}(int a, int b) {{\n    return a + b; // {text}\n}}\n"
CODE = 'def {name}(a, b):\n    """{text}"""\n    return a + b\n'


@dataclass(frozen=True, slots=True)
class Made:
    """A kernel with a verdict for each target; None is no result. `text` is put wherever a text may come from outside.

    `speed` is how many times as fast as the source NumPy's code is, and PyTorch's when it is compiled.
    """

    suite: str
    name: str
    style: str
    verdicts: Mapping[str, str | None]
    seconds: float = 1.0
    text: str = "nothing special"
    speed: tuple[float, float] | None = None

    @property
    def label(self) -> str:
        """As a kernel's is."""
        return f"{self.suite}/{self.name}/{self.style}"


def batch(out: Path, kernels: Sequence[Made]) -> Path:
    """The output folder of a batch of these kernels, with their sources, code and certificates."""
    out.mkdir(parents=True, exist_ok=True)
    with closing(Store(out)) as store:
        store.want(_wanted(out, number, one, target) for number, one in enumerate(kernels) for target in one.verdicts)
        for number, one in enumerate(kernels):
            _source(out, number).parent.mkdir(exist_ok=True)
            _source(out, number).write_text(SOURCE.format(name=f"f{number}", text=one.text), encoding="utf-8")
            rows = (_row(out, number, one, target, verdict) for target, verdict in one.verdicts.items() if verdict)
            store.finish(one.label, rows)
            if one.speed:
                store.measure([f"{number} {target}" for target in one.verdicts], "all", _speed(one.text, *one.speed))
    return out


def _speed(text: str, numpy: float, pytorch: float) -> dict[str, Any]:
    """What `--measure` finds, on two sizes; code of which the result differs does not count."""

    def form(seconds: float, agrees: bool = True) -> dict[str, Any]:
        quartiles = [seconds * 0.9, seconds * 1.1]
        more = {"first_seconds": 1.0, "with_conversion": 2.0}
        return {"median": seconds, "quartiles": quartiles, "runs": 9, "agrees": agrees, **more}

    forms = {"source": form(0.1), "numpy": form(0.1 / numpy), "pytorch": form(0.001, False), "jax": {"problem": text}}
    forms["pytorch compiled"] = form(0.1 / pytorch)
    size = {"parameters": {"n": 10}, "forms": forms}
    sizes = {"small": {**size, "bytes": 80}, "memory": {**size, "bytes": 8 << 20}}
    best = "source" if max(numpy, pytorch) < 1 else "numpy" if numpy > pytorch else "pytorch compiled"
    return {"machine": text, "kind": "elementwise", "sizes": sizes, "recommended": best, "speedup": max(1.0, numpy, pytorch)}


def _source(out: Path, number: int) -> Path:
    return out / "sources" / f"f{number}.c"


def _wanted(out: Path, number: int, one: Made, target: str) -> Wanted:
    path = str(_source(out, number))
    return Wanted(f"{number} {target}", one.label, target, one.suite, one.name, one.style, path, f"f{number}")


def _row(out: Path, number: int, one: Made, target: str, verdict: str) -> Row:
    """A row with the files that its result names."""
    proved = verdict == "PROVED"
    folder = folder_of(out, one.label)
    code = folder / target / f"f{number}.py"
    for file, text in ((code, CODE.format(name=f"f{number}", text=one.text)), (folder / "certificates/f/certificate.json", "{}")):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    result: dict[str, Any] = {
        "name": f"f{number}",
        "line": 2,
        "summary": f"result = a + b for {one.text}",
        "invariants": [f"for.cond: {one.text}"],
        "assumptions": [{"text": one.text, "origin": one.text, "checked": "guard"}],
        "obligations": [
            {"name": f"return: {one.text}", "line": 3, "verdict": verdict, "reason": one.text, "seconds": one.seconds / 4},
            {"name": "loop", "line": 2, "verdict": "PROVED", "reason": "", "seconds": one.seconds / 8},
        ],
        "targets": {
            target: {
                "file": str(code),
                "engine": f"engine {one.text}",
                "checked": "agrees",
                "inputs": 20,
                "max_rel_error": 0.0,
                "assumptions": [{"text": "0 <= a", "origin": "operators", "checked": "no"}],
            }
        },
        "attempt": None if proved else {"summary": one.text, "obligation": one.text, "input": {"text": one.text}},
        "seconds": {"compile": 0.1, one.text: one.seconds / 2},
        "diagnostics": [] if proved else [{"file": "f.c", "line": 1, "column": 2, "message": one.text}],
        "certificate": str(folder / "certificates/f") if proved else None,
    }
    reason = "" if proved else one.text
    return Row(f"{number} {target}", one.label, target, verdict, proved, one.seconds, one.seconds / 3, reason, result)
