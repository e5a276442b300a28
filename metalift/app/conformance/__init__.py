"""Conformance of a driver: meanings are accepted and total, and CPython, the interpreter and the engines agree on them.

A meaning runs as a Python function in CPython, as a term in the interpreter, and as its spelling in the target's library where
that is installed: on no element, one and more, small values, and extremes of each type. A value on which a meaning is not defined
although what the operator requires holds shows that it is partial. This is testing; facts about recursive meanings are proved.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from metalift.app.conformance.cpython import in_cpython
from metalift.app.conformance.engines import Started, in_engine, started
from metalift.app.conformance.same_results import OperatorCheck, Runs, table
from metalift.app.conformance.samples import samples
from metalift.check.fact_store import known_facts
from metalift.check.facts import facts_of
from metalift.driver import Driver, DriverError, Operator
from metalift.driver.files import Loaded
from metalift.prove.solver import SolverPool
from metalift.result.errors import UsageError

__all__ = ["OperatorCheck", "Runs", "check_driver", "report", "table"]

FACT_SECONDS = 5.0


def check_driver(driver: Driver, pool: SolverPool, timeout: float = FACT_SECONDS) -> list[OperatorCheck]:
    """Check every operator; `timeout` in seconds bounds the proof of one fact. What was proved before comes from the cache."""
    libraries = {target.name: started(target) for target in driver.targets if target.language == "python"}
    return [_check(driver, operator, libraries, pool, timeout) for operator in driver.operators.values()]


def report(loaded: Loaded) -> tuple[str, bool]:
    """A table of all operators of a driver, and whether all conform.

    Raises UsageError with the messages about the operators whose meanings are not accepted.
    """
    with SolverPool() as pool:
        checks = check_driver(loaded.driver, pool)
    if any(check.problem for check in checks):
        raise UsageError("\n".join(f"{check.place}: {check.problem}" for check in checks if check.problem))
    return table(checks, loaded.driver), all(check.ok for check in checks)


def _check(
    driver: Driver, operator: Operator, libraries: Mapping[str, Started | str], pool: SolverPool, timeout: float
) -> OperatorCheck:
    place = f"{operator.meaning.source.file}:{operator.meaning.source.tree.lineno}"
    if operator.meaning.external is not None:  # there is no meaning to compare its spelling with
        return OperatorCheck(operator.name, place)
    try:
        found = list(samples(operator))
        meaning = in_cpython(operator, found)
        began = time.perf_counter()
        known = tuple(known_facts(facts_of(operator), pool, timeout))
        spent = time.perf_counter() - began
    except DriverError as error:
        return OperatorCheck(operator.name, f"{error.file}:{error.line}", error.reason)
    engines = {}
    for name, library in libraries.items():
        if operator.spelling(name) is None and operator.spelling(name, on_numbers=True) is None:
            continue
        engines[name] = Runs(missing=library) if isinstance(library, str) else in_engine(operator, library, found)
    return OperatorCheck(operator.name, place, "", meaning, engines, known, spent)
