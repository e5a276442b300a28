"""Measuring one kernel, in a process of its own: see docs/benchmarks.md for what is reported."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from metalift.app.batch.speed.forms import Emitted, Form, Library
from metalift.app.batch.speed.measured_arguments import BYTES_OF, NotMeasurable, Sizes, Values
from metalift.app.batch.speed.source import Native, compiled, compiler_version
from metalift.app.batch.speed.timing import agree, recommended, timed
from metalift.check import certificate
from metalift.check.assumptions import of_source, reduces_reals, testable
from metalift.check.staged import as_whole
from metalift.check.user_assumptions import parse_assumptions
from metalift.driver import Target, choosing
from metalift.frontend import PythonModule, import_function, open_source
from metalift.ir.expr.nodes import Fold
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.fragment import Fragment, Unsupported
from metalift.ir.program.summary import StagedSummary, Summary
from metalift.result.errors import MetaliftError
from metalift.run.inputs.roles import roles_of

_LIBRARIES: dict[str, Library] = {}  # that this process has loaded; all its jobs are of one driver
HALVED = 4  # times at most, where floats of the source are not precise
DEEPEST = 3  # loops in each other
LONGEST = 2.0  # seconds that a call of the source may take: what would take longer is measured on less


def measured(job: Mapping[str, Any]) -> dict[str, Any]:
    """The `speed` of a kernel: `job` has path, function, clang_args, assume, driver, certificate, sizes, and files by target."""
    try:
        return _measured(job)
    except (NotMeasurable, MetaliftError) as problem:
        return {"problem": str(problem)}
    except Unsupported as problem:
        return {"problem": problem.diagnostic.message}


def _measured(job: Mapping[str, Any]) -> dict[str, Any]:
    path, clang_args = Path(job["path"]), tuple(job["clang_args"])
    drivers = choosing.select(job["driver"], tuple(job["files"]))
    first = next(iter(drivers.values())).driver
    module = open_source(path, clang_args, first.externals, leaves=first.leaves)
    if isinstance(module, PythonModule):
        raise NotMeasurable("the source is Python, which gcc does not compile")
    fragment = import_function(module, job["function"])
    recorded = certificate.read(Path(job["certificate"]))
    summary = as_whole(fragment, recorded.summary)
    stated = of_source(fragment, summary, recorded.identical, parse_assumptions(job["assume"], fragment))
    written = tuple(name for name, _ in summary.outputs if name != "return")
    order = [param.var.name for param in fragment.params]
    sizes = Sizes(
        fragment, roles_of(fragment), summary.shapes, testable(stated), tuple(sorted(written, key=order.index))
    )
    targets = [(drivers[name].driver.target(name), Path(file)) for name, file in job["files"].items()]
    one_processor()
    with tempfile.TemporaryDirectory(prefix="metalift-speed-") as folder:
        library = compiled(fragment, path, clang_args, Path(folder))
        found: dict[str, dict[str, Any]] = {}
        slow = targets if isinstance(recorded.summary, StagedSummary) else []  # code with loops of Python may take long, too
        for name, values in _values(sizes, job["sizes"], lambda values: _forms(fragment, values, library, slow)):
            differs: list[int] = []
            while not job["sizes"] and len(differs) < HALVED and _imprecise(_forms(fragment, values, library, targets)):
                differs.append(values.bytes)
                values = sizes.of_bytes(values.bytes // 2)
            forms = list(_forms(fragment, values, library, targets))
            found[name] = {"parameters": dict(values.parameters), "bytes": values.bytes, "differs": differs}
            found[name]["forms"] = timed(forms)
    sizes_forms = [size["forms"] for size in found.values()]
    problem = next((forms["source"]["problem"] for forms in sizes_forms if "problem" in forms["source"]), None)
    if problem is not None:
        raise NotMeasurable(f"the source: {problem}")
    best, ratio = recommended(sizes_forms)
    machine = f"{_processor()}; gcc {compiler_version()}"
    return {"machine": machine, "kind": kind(summary), "sizes": found, "recommended": best, "speedup": ratio}


def _values(
    sizes: Sizes, given: Mapping[str, Mapping[str, float]], forms: Callable[[Values], Iterable[Form]]
) -> Iterator[tuple[str, Values]]:
    """Arguments for each size, smaller ones than wanted where one of the forms would take too long."""
    if given:
        yield from ((name, sizes.given(values)) for name, values in given.items())
        return
    before: Values | None = None
    for name, wanted in BYTES_OF.items():
        values = sizes.of_bytes(wanted)
        while before is not None and (values.bytes or wanted) > 4 * max(before.bytes, 1 << 10):
            if max(_predicted(form, before, values) for form in forms(before)) <= LONGEST:
                break
            wanted //= 2
            values = sizes.of_bytes(wanted)
        yield name, values
        before = values


def _imprecise(forms: Iterator[Form]) -> bool:
    """Whether generated code gives other floats than the source: one that adds up millions, one after the other, is far off.

    Then less is measured, and the bytes are reported: a check that such a source passes would let everything pass.
    """
    source, other = next(forms), next(forms, None)
    if other is None:
        return False
    try:
        expected, outputs = source.outputs(), other.outputs()
    except Exception:  # noqa: BLE001 - whatever a library raises is reported when it is timed
        return False
    return any(np.asarray(each).dtype.kind == "f" for each in expected) and not agree(expected, outputs)


def _predicted(form: Form, before: Values, values: Values) -> float:
    """Seconds of a call, if its time grows with the product of all sizes, and as nests of three loops at most."""
    form.prepare()
    seconds = min(form.call() for _ in range(2))
    ratios = [max(1.0, number / max(1.0, before.parameters[slot])) for slot, number in values.parameters.items()]
    return seconds * min(prod(ratios), max(ratios, default=1.0) ** DEEPEST)


def _forms(fragment: Fragment, values: Values, library: Path, targets: Sequence[tuple[Target, Path]]) -> Iterator[Form]:
    yield Native(library, fragment, values)
    for target, file in targets:
        try:
            made = _LIBRARIES.get(target.name) or Library(target)
        except NotMeasurable:
            continue
        _LIBRARIES[target.name] = made
        yield Emitted(made, file, fragment, values)
        if target.engine.compiled:
            yield Emitted(made, file, fragment, values, compiled=True)


def kind(summary: Summary) -> str:
    """What the kernel does, for averages."""
    if reduces_reals(summary):
        return "float reductions and products"
    terms = [binding.value for binding in summary.bindings] + [term for _, term in summary.outputs]
    folds = any(isinstance(part, Fold) for term in terms for part in subexpressions(term))
    return "integer reductions and products" if folds else "elementwise"


def one_processor() -> None:
    """Let this process run on one processor only, so that no form has more of them than another."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _processor() -> str:
    """What the machine computes with, for people."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
