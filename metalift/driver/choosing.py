"""The drivers that have the targets which are asked for, and what there is to choose from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metalift.driver import Driver
from metalift.driver.files import Loaded, from_others, load
from metalift.driver.files import targets as own_targets
from metalift.result.errors import UsageError
from metalift.system.names import chosen


def select(name: str | None, targets: Sequence[str]) -> dict[str, Loaded]:
    """The driver of each target: the named one, which must have all; without a name the installed one that has most operators.

    One driver for all targets goes before several. Drivers of other packages are imported only where they are named. Raises
    UsageError where a target is unknown, or the drivers would have the source read in different ways.
    """
    if name is not None:
        loaded = load(name)
        chosen(targets, (target.name for target in loaded.driver.targets), "target", f"in the driver {name}")
        return dict.fromkeys(targets, loaded)
    one = _able(targets)
    if one is not None:
        return dict.fromkeys(targets, one)
    several = {target: _able([target]) for target in targets}
    if None in several.values():
        named = f", and drivers of other packages are named: --driver {', '.join(from_others())}" if from_others() else ""
        known = (target for its in own_targets().values() for target in its)
        chosen(targets, dict.fromkeys(known), "target", f"is one of metalift's own drivers'{named}" if named else "is installed")
    found = {target: each for target, each in several.items() if each is not None}
    _require_one_reading(found)
    return found


def distinct(drivers: Mapping[str, Loaded]) -> list[Loaded]:
    """The drivers, once each, in the order of their targets."""
    return list({loaded.name: loaded for loaded in drivers.values()}.values())


def _able(targets: Sequence[str]) -> Loaded | None:
    """The driver with most operators of those that have all the targets."""
    having = [load(name) for name, its in own_targets().items() if set(targets) <= set(its)]
    return max(having, key=lambda one: _operators(one.driver, targets), default=None)


def _require_one_reading(drivers: Mapping[str, Loaded]) -> None:
    """Raises UsageError where a source means another thing to one of the drivers: they would share no summary."""
    first = next(iter(drivers))
    for target, loaded in drivers.items():
        ours, theirs = drivers[first].driver, loaded.driver
        if (ours.leaves, set(ours.externals)) != (theirs.leaves, set(theirs.externals)):
            raise UsageError(f"the targets {first} and {target} read a source in different ways: lift to one at a time")


def _operators(driver: Driver, targets: Sequence[str]) -> int:
    """How many operators are spelled for all the targets."""
    return sum(all(operator.spelling(target) is not None for target in targets) for operator in driver.operators.values())
