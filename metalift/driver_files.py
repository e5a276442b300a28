"""Which drivers there are, and how one is found: installed in `metalift_drivers`, or any file by its path."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from metalift.arguments import chosen
from metalift.driver import Driver
from metalift.errors import UsageError

PACKAGE = "metalift_drivers"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A driver and the file that defines it."""

    driver: Driver
    path: Path


def installed() -> tuple[str, ...]:
    """The names of the installed drivers."""
    package = importlib.import_module(PACKAGE)
    return tuple(sorted(module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")))


def load(name: str) -> Loaded:
    """The driver of that name, or of the file or package folder at that path.

    Raises UsageError where there is none, it cannot be imported, or it does not hold exactly one Driver.
    """
    path = Path(name)
    if path.suffix == ".py" or path.is_dir() or len(path.parts) > 1:
        return _only_driver(_import_path(path), name)
    chosen([name], installed(), "driver", "is installed, and a file is named by its path, such as ./my_dsl.py")
    return _only_driver(importlib.import_module(f"{PACKAGE}.{name}"), name)


def select(name: str | None, targets: Sequence[str]) -> Loaded:
    """The named driver, which must have all the targets; without a name the installed one that has most operators for them.

    Raises UsageError where a target is unknown.
    """
    if name is not None:
        loaded = load(name)
        chosen(targets, (target.name for target in loaded.driver.targets), "target", f"in the driver {name}")
        return loaded
    drivers = [load(one) for one in installed()]
    known = dict.fromkeys(target.name for loaded in drivers for target in loaded.driver.targets)
    chosen(targets, known, "target", "is installed")
    able = [loaded for loaded in drivers if set(targets) <= {target.name for target in loaded.driver.targets}]
    if not able:
        raise UsageError(f"no one driver has all of the targets {', '.join(targets)}; lift to one at a time, or name a --driver")
    return max(able, key=lambda loaded: _operators(loaded.driver, targets))


def describe() -> list[str]:
    """One paragraph for each installed driver: its targets, how many operators each has, and their names."""
    lines = []
    for name in installed():
        loaded = load(name)
        targets = ", ".join(f"{target.name} ({_operators(loaded.driver, [target.name])})" for target in loaded.driver.targets)
        lines.append(f"{name}: targets {targets}")
        lines.append("  " + " ".join(sorted(loaded.driver.operators)))
    return lines


def _operators(driver: Driver, targets: Sequence[str]) -> int:
    """How many operators are spelled for all the targets."""
    return sum(all(operator.spelling(target) is not None for target in targets) for operator in driver.operators.values())


def _import_path(path: Path) -> ModuleType:
    """Import a driver file, or a folder with an __init__.py, from where it is."""
    file = path / "__init__.py" if path.is_dir() else path
    if not file.is_file():
        raise UsageError(f"no driver at {path}: no such file")
    name = f"metalift_driver_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a user's file may raise anything
        raise UsageError(f"the driver {path} cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def _only_driver(module: ModuleType, name: str) -> Loaded:
    """The one Driver that a module holds."""
    found = {id(value): value for value in vars(module).values() if isinstance(value, Driver)}
    if len(found) != 1:
        raise UsageError(f"the driver {name} must hold one metalift.driver.Driver, it holds {len(found)}")
    assert module.__file__ is not None
    return Loaded(next(iter(found.values())), Path(module.__file__))
