"""Finding drivers: by name, by path, by target; a file that is no driver is bad use."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import driver_files
from metalift.errors import UsageError

OWN = """\
from metalift.driver import Driver, Int, Target

mine = Driver("mine", targets=(Target("python"),))


@mine.define(emit="twice({x})")
def twice(x: Int) -> Int:
    return x + x
"""


def test_a_driver_is_loaded_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "my_dsl.py"
    path.write_text(OWN, encoding="utf-8")
    loaded = driver_files.select(str(path), ["python"])
    assert (loaded.driver.name, loaded.path, list(loaded.driver.operators)) == ("mine", path, ["twice"])
    with pytest.raises(UsageError, match="no target 'numpy' in the driver"):
        driver_files.select(str(path), ["numpy"])


def test_targets_decide_where_no_driver_is_named() -> None:
    both = driver_files.select(None, ["numpy", "pytorch"]).driver
    assert {"numpy", "pytorch"} <= {target.name for target in both.targets}
    with pytest.raises(UsageError, match="did you mean numpy"):
        driver_files.select(None, ["numpi"])


def test_every_installed_driver_loads_and_is_described() -> None:
    described = "\n".join(driver_files.describe())
    for name in driver_files.installed():
        assert f"{name}: targets " in described


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "must hold one metalift.driver.Driver, it holds 0"),
        (OWN + "\nother = Driver('other')\n", "it holds 2"),
        ("def f(:\n", "SyntaxError"),
        ("raise RuntimeError('odd')\n", "RuntimeError: odd"),
    ],
)
def test_a_file_that_is_no_driver(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "my_dsl.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        driver_files.load(str(path))


def test_unknown_names() -> None:
    with pytest.raises(UsageError, match="no driver 'tensr'.*there are"):
        driver_files.load("tensr")
    with pytest.raises(UsageError, match="no such file"):
        driver_files.load("./nowhere.py")
