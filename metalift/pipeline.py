"""`lift` and `check`: what the command line and `metalift.lift` call."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from metalift import arguments, driver_files, rechecking
from metalift.errors import UsageError
from metalift.frontend import compile_source, functions_of
from metalift.lifting import Job, Stages, lift_function
from metalift.prove.solver import SolverPool
from metalift.result import CheckResult, DiagnosticResult, FunctionResult, Result

SOLVERS = 2  # processes; most functions have a handful of obligations of a few milliseconds


def lift(
    source: Path,
    *,
    functions: Sequence[str] = (),
    to: Sequence[str] = ("numpy",),
    driver: str | None = None,
    assume: Sequence[str] = (),
    out: Path | None = None,
    clang_args: Sequence[str] = (),
    dump_dir: Path | None = None,
    timeout: float = 10.0,
) -> Result:
    """Lift functions of a C or C++ file. See `metalift.lift`."""
    arguments.source_text(source)
    with SolverPool(SOLVERS) as pool:
        pool.warm_up()
        loaded = driver_files.select(driver, to)
        stages = Stages()
        with stages("compile"):
            module = compile_source(source, tuple(clang_args))
        available = dict(functions_of(module))
        if not available:
            raise UsageError(f"{source} has no function with a body")
        names = arguments.chosen(functions, available, "function", f"in {source}") if functions else tuple(available)
        for folder in (out, dump_dir):
            if folder is not None:
                arguments.writable_folder(folder)
        job = Job(
            source,
            module,
            loaded,
            driver or loaded.path.stem,
            tuple(to),
            tuple(assume),
            out,
            tuple(clang_args),
            dump_dir,
            timeout,
            pool,
        )
        return Result(str(source), tuple(one(job, name, available[name], stages, len(names) > 1) for name in names))


def one(job: Job, name: str, line: int, compiled: Stages, several: bool) -> FunctionResult:
    """One function; the stages of the first include compiling the file."""
    if several and job.dump_dir is not None:
        job = replace(job, dump_dir=job.dump_dir / name)
    stages = Stages(dict(compiled.seconds))
    try:
        return lift_function(job, name, line, stages)
    except UsageError:
        raise
    except Exception as problem:  # a defect of ours in one function: the others are lifted all the same
        logging.exception("internal error in the function %s", name)
        message = f"internal error: {type(problem).__name__}: {problem}"
        return FunctionResult(
            name, line, diagnostics=(DiagnosticResult(str(job.path), line, 0, message),), seconds=stages.seconds
        )


def check(certificate: Path, *, solver: str = "cvc5", smt_only: bool = False, driver: str | None = None) -> CheckResult:
    """Derive the obligations of a certificate anew, require the recorded files to be these, and prove them again."""
    with SolverPool(SOLVERS) as pool:
        return rechecking.check(certificate, pool, solver, smt_only, driver)
