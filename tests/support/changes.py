"""Changed sources, for which nothing may be proved that was found for the source as it is."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.sources import tells_apart
from metalift.check.proving import prove_all
from metalift.frontend import import_function, open_source
from metalift.ir.program.summary import Summary
from metalift.prove.solver import SolverPool
from metalift.run.inputs.inputs import runs
from metalift.synth.derive import derive
from metalift.vcgen.paths import PathGenerator


@cache
def summary_of(file: str, name: str, text: str) -> Summary:
    """What is found for a function of the source as it is."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / file
        path.write_text(text, encoding="utf-8")
        return derive(import_function(open_source(path), name))


def refuted_and_not_proved(path: Path, name: str, text: str, old: str, new: str) -> None:
    """The changed source does not do what was found for the source: no test agrees, and no proof is found."""
    assert text.count(old) >= 1
    summary = summary_of(path.name, name, text)
    path.write_text(text.replace(old, new), encoding="utf-8")
    changed = import_function(open_source(path), name)
    assert tells_apart(changed, summary), (old, new)
    with SolverPool(2) as pool:
        evidence = prove_all(PathGenerator(changed, summary).obligations(), changed, summary, runs(changed), pool, 5.0)
    assert not all(one.proved for one in evidence), (old, new)
