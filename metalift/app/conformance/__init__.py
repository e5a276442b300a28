"""Conformance of a driver: meanings are accepted and total, and CPython, the interpreter and the engines agree on them.

A meaning runs as a Python function in CPython, as a term in the interpreter, and as its spelling in the target's library where
that is installed: on no element, one and more, small values, and extremes of each type. A value on which a meaning is not defined
although what the operator requires holds shows that it is partial. This is testing; facts about recursive meanings are proved.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from metalift.app.conformance.changed import walked
from metalift.app.conformance.chosen import Chosen, chosen_in
from metalift.app.conformance.cpython import in_cpython
from metalift.app.conformance.engines import Started, in_engine, started
from metalift.app.conformance.same_results import OperatorCheck, Runs, table, together, within_others
from metalift.app.conformance.samples import Sample, samples
from metalift.app.conformance.texts import in_runner
from metalift.check.fact_store import known_facts
from metalift.check.facts import facts_of
from metalift.driver import Driver, DriverError, Operator, Target
from metalift.driver.files import Loaded
from metalift.prove.solver import SolverPool
from metalift.result.errors import UsageError

__all__ = ["OperatorCheck", "Runs", "check_driver", "report", "table"]

FACT_SECONDS = 5.0


def check_driver(driver: Driver, pool: SolverPool, timeout: float = FACT_SECONDS) -> list[OperatorCheck]:
    """Check every operator; `timeout` in seconds bounds the proof of one fact. What was proved before comes from the cache."""
    libraries = {target.name: started(target) for target in driver.targets if target.language == "python"}
    return within_others([_check(driver, operator, libraries, pool, timeout) for operator in driver.operators.values()])


def report(loaded: Loaded) -> tuple[str, bool]:
    """A table of all operators of a driver, and whether all conform.

    Raises UsageError with the messages about the operators whose meanings are not accepted, and where there are none.
    """
    if not loaded.driver.operators:
        raise UsageError(f"{loaded.path}:1: the driver has no operators: write @driver.define above the function that one means")
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
    refused: set[int] = set()
    try:
        found = list(samples(operator, refused))
        if _unneeded(operator, refused):
            found += walked(operator, found, refused)
        meaning = in_cpython(operator, found)
        began = time.perf_counter()
        known = tuple(known_facts(facts_of(operator), pool, timeout))
        spent = time.perf_counter() - began
    except DriverError as error:
        return OperatorCheck(operator.name, f"{error.file}:{error.line}", error.reason)
    check = OperatorCheck(operator.name, place, "", meaning, {}, known, spent)
    untested = [f"requires {condition}: it held on every input that was tried" for condition in _unneeded(operator, refused)]
    for target in driver.targets:
        if operator.spelling(target.name) is not None or operator.spelling(target.name, on_numbers=True) is not None:
            check, more = _in_target(check, driver, operator, target, libraries.get(target.name), found)
            untested += more
    return replace(check, untested=tuple(untested))


def _in_target(
    check: OperatorCheck, driver: Driver, operator: Operator, target: Target, library: Started | str | None,
    found: Sequence[Sample],
) -> tuple[OperatorCheck, list[str]]:  # fmt: skip
    """The check with what comes of the operator in a target, and what nothing tried there."""
    texts: list[Runs] = []

    def runs(chosen: Chosen) -> bool:
        texts.append(in_runner(chosen.sample, chosen.program, driver, target, found))
        return not texts[-1].refused

    run = runs if library is None and target.executable else None
    program = None if target.find is not None else chosen_in(operator, driver, target, found, run)
    if isinstance(program, str):
        check = replace(check, unchosen={**check.unchosen, target.name: program})
    elif program is not None and program.beside:
        check = replace(check, beside={**check.beside, target.name: ", ".join(program.beside)})
    ran = together([each for each in texts if not each.refused]) or (texts[0] if texts else None)
    if library is not None:
        ran = Runs(missing=library) if isinstance(library, str) else in_engine(operator, library, found)
    if ran is not None:
        nothing = ran.tried_nothing and not operator.groups
        untested = [f"{target.name}: its spelling ran on no input"] if nothing else []
        untested += [f"{target.name}: its spelling ran on no array, only on plain numbers"] if ran.without_arrays else []
        return replace(check, engines={**check.engines, target.name: ran}), untested
    without = program is None and target.executable and target.find is None
    return check, [f"{target.name}: there is no sample program for it: its text was not run"] if without else []


def _unneeded(operator: Operator, refused: Collection[int]) -> list[str]:
    """The conditions that the driver states and that held on all inputs, as it states them."""
    if operator.meaning.requires is None or operator.axes is not None:  # one on vectors requires the same
        return []
    tree = operator.meaning.requires.tree
    assert isinstance(tree, ast.Lambda)
    parts = tree.body.values if isinstance(tree.body, ast.BoolOp) and isinstance(tree.body.op, ast.And) else [tree.body]
    return [ast.unparse(part) for at, part in enumerate(parts) if at - len(parts) not in refused]
