"""The driver that has the targets which are asked for, and what there is to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from metalift.driver import Driver
from metalift.driver.files import Loaded, installed, load
from metalift.driver.files import targets as own_targets
from metalift.result.errors import UsageError
from metalift.system.names import chosen


def select(name: str | None, targets: Sequence[str]) -> Loaded:
    """The named driver, which must have all the targets; without a name the installed one that has most operators for them.

    Drivers of other packages are looked at only where none of metalift's own has the targets.
    Raises UsageError where a target is unknown.
    """
    if name is not None:
        loaded = load(name)
        chosen(targets, (target.name for target in loaded.driver.targets), "target", f"in the driver {name}")
        return loaded
    having = [name for name, its in own_targets().items() if set(targets) <= set(its)]
    drivers = [load(one) for one in having or installed()]
    known = dict.fromkeys(target.name for loaded in drivers for target in loaded.driver.targets)
    chosen(targets, known, "target", "is installed")
    able = [loaded for loaded in drivers if set(targets) <= {target.name for target in loaded.driver.targets}]
    if not able:
        raise UsageError(f"no one driver has all of the targets {', '.join(targets)}; lift to one at a time, or name a --driver")
    return max(able, key=lambda loaded: _operators(loaded.driver, targets))


def describe() -> list[str]:
    """One paragraph for each installed driver: its targets, how many operators each has, and their names; or why it is none."""
    lines = []
    for name in installed():
        try:
            driver = load(name).driver
        except UsageError as problem:
            lines.append(f"{name}: cannot be used: {problem}")
            continue
        targets = ", ".join(f"{target.name} ({_operators(driver, [target.name])})" for target in driver.targets)
        lines += [f"{name}: targets {targets}", "  " + " ".join(sorted(driver.operators))]
    return lines


def _operators(driver: Driver, targets: Sequence[str]) -> int:
    """How many operators are spelled for all the targets."""
    return sum(all(operator.spelling(target) is not None for target in targets) for operator in driver.operators.values())
