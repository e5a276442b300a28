"""Which drivers there are, and how one is found: metalift's own, installed by other packages, or any file or folder by its path.

A package installs a driver by an entry point of the group `metalift.drivers` that names a module, or a Driver in one:

    [project.entry-points."metalift.drivers"]
    my_dsl = "my_package.my_dsl"

A folder is a package with an __init__.py, or holds semantics.py, which defines the operators, and for each target a file
target_<name>.py, which spells them: `dsl.spell(Target("name"), {"operator": "template"})`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from metalift.driver import Driver
from metalift.driver.meaning.source import DriverError
from metalift.result.errors import UsageError
from metalift.system.argument_types import DRIVERS as PACKAGE
from metalift.system.argument_types import GROUP
from metalift.system.names import chosen

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint



@dataclass(frozen=True, slots=True)
class Loaded:
    """A driver, the name or path that it is loaded by, and the file that defines it; of a folder its __init__.py.

    `package` is the package that installed it, and its version, where that is not metalift.
    """

    driver: Driver
    name: str
    path: Path
    package: tuple[str, str] | None = None


def installed() -> tuple[str, ...]:
    """The names of the installed drivers: metalift's own, then those of other packages."""
    return tuple(dict.fromkeys((*own(), *sorted(entry.name for entry in _entries()))))


def _entries() -> Iterable[EntryPoint]:
    """The drivers of other packages; what finds them is imported where metalift's own are not enough."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def own() -> tuple[str, ...]:
    """The names of metalift's own drivers; no other package's driver takes the place of one."""
    return tuple(targets())


def targets() -> Mapping[str, tuple[str, ...]]:
    """The targets of each of metalift's own drivers, none of which is imported for that."""
    found: Mapping[str, tuple[str, ...]] = importlib.import_module(PACKAGE).TARGETS
    return found


def examples() -> frozenset[str]:
    """Those of metalift's own drivers that are there to be read, and not for use."""
    found: frozenset[str] = importlib.import_module(PACKAGE).EXAMPLES
    return found


def load(name: str, *, meaning: bool = False) -> Loaded:
    """The driver of that name, or of the file or folder at that path; of metalift's own no more than its meaning, if asked for.

    A path ends in .py or has a slash in it: what lies in the current folder never stands for an installed driver.
    Raises UsageError where there is none, it cannot be imported, or it does not hold exactly one Driver.
    """
    if name.endswith(".py") or "/" in name or os.sep in name:
        return _import_path(Path(name), name)
    if name in own():
        if not meaning and name in importlib.import_module(PACKAGE).SPELLED:
            importlib.import_module(f"{PACKAGE}.{name}.spelled")
        return _only_driver(importlib.import_module(f"{PACKAGE}.{name}"), name)
    chosen([name], installed(), "driver", "is installed, and a file or folder is named by its path, such as ./my_dsl.py")
    entries = [entry for entry in _entries() if entry.name == name]
    if len(entries) > 1:
        packages = " and ".join(map(package_of, entries))
        raise UsageError(f"{packages} both install a driver {name}: uninstall one, or name the file of the one that you mean")
    dist = entries[0].dist
    return replace(_import_entry(entries[0]), package=(dist.name, dist.version) if dist is not None else None)


def package_of(entry: EntryPoint) -> str:
    """The package that installs a driver, with its version."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


def from_others() -> dict[str, str]:
    """The names of the drivers that other packages install, and of what these are: none of them is imported for that."""
    return {entry.name: package_of(entry) for entry in sorted(_entries(), key=lambda each: each.name)}


def _import_path(path: Path, named: str) -> Loaded:
    """Import a driver file, or a folder, from where it is."""
    parts = [path / "semantics.py", *sorted(path.glob("target_*.py"))] if path.is_dir() else [path]
    if path.is_dir() and (path / "__init__.py").is_file():
        parts = [path / "__init__.py"]
    if not parts[0].is_file():
        wanted = "; a folder has an __init__.py, or semantics.py and target_<name>.py" if path.is_dir() else ""
        raise UsageError(f"no driver at {path}: no such file{wanted}")
    name = f"metalift_driver_{path.resolve().stem}"
    for old in [old for old in sys.modules if old == name or old.startswith(f"{name}.")]:
        del sys.modules[old]  # of another folder of that name, or of this one as it was
    if parts[0].name != "semantics.py" or not path.is_dir():
        return _only_driver(_run(name, parts[0], named), named)
    package = ModuleType(name)
    package.__path__ = [str(path)]
    sys.modules[name] = package
    modules = [_run(f"{name}.{part.stem}", part, named) for part in parts]
    return _only_driver(modules[0], named)


def _run(name: str, file: Path, named: str) -> ModuleType:
    """Import one file under a name."""
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _errors_as_usage(named, file.parent):
        spec.loader.exec_module(module)
    return module


def _import_entry(entry: EntryPoint) -> Loaded:
    """Import the driver of another package."""
    with _errors_as_usage(entry.name, None):
        found = entry.load()
        module = importlib.import_module(entry.module)
    if isinstance(found, Driver):
        assert module.__file__ is not None
        return Loaded(found, entry.name, Path(module.__file__))
    return _only_driver(module, entry.name)


@contextmanager
def _errors_as_usage(named: str, folder: Path | None) -> Iterator[None]:
    """What a driver's file raises as one message, with the last line of the user's that was reached."""
    try:
        yield
    except DriverError:
        raise
    except SyntaxError as error:
        place = f"{error.filename or named}:{error.lineno or 1}"
        raise UsageError(f"{place}: the driver cannot be loaded: SyntaxError: {error.msg}") from error
    except (Exception, SystemExit) as error:  # a user's file may raise anything
        place = _place(error, folder)
        which = f"{place}the driver" if place else f"the driver {named}"
        raise UsageError(f"{which} cannot be loaded: {type(error).__name__}: {error}") from error


def _place(error: BaseException, folder: Path | None) -> str:
    """The last line that an exception came through, of the files in that folder if there is one."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
    if folder is not None:
        inside = str(folder.resolve())
        frames = [frame for frame in frames if str(Path(frame.filename).resolve()).startswith(inside)]
    return f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""


def _only_driver(module: ModuleType, name: str) -> Loaded:
    """The one Driver that a module holds."""
    found = {id(value): value for value in vars(module).values() if isinstance(value, Driver)}
    if len(found) != 1:
        place = f"{module.__file__}:1: the driver" if module.__file__ else f"the driver {name}"
        raise UsageError(f"{place} must hold one metalift.driver.Driver, it holds {len(found)}")
    assert module.__file__ is not None
    return Loaded(next(iter(found.values())), name, Path(module.__file__))
