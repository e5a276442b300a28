"""Finding drivers: by name, by path, by target; a file that is no driver is bad use."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

from metalift import lift
from metalift.app import driver_pages
from metalift.app.terminal import Paint
from metalift.check import certificate
from metalift.driver import choosing
from metalift.driver import files as driver_files
from metalift.ir.expr.types import INT
from metalift.ir.text import show
from metalift.result.errors import UsageError
from metalift.system import argument_types
from tests.support.commands import metalift

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
    loaded = choosing.select(str(path), ["python"])["python"]
    assert (loaded.driver.name, loaded.path, list(loaded.driver.operators)) == ("mine", path, ["twice"])
    with pytest.raises(UsageError, match="no target 'numpy' in the driver"):
        choosing.select(str(path), ["numpy"])


def test_a_driver_is_a_folder(tmp_path: Path) -> None:
    for place, factor in (("one", "x + x"), ("other", "x + x + x")):
        folder = tmp_path / place / "my_dsl"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("from . import operators\nfrom .base import mine\n", encoding="utf-8")
        (folder / "base.py").write_text("\n".join(OWN.splitlines()[:3]) + "\n", encoding="utf-8")
        operators = "from metalift.driver import Int\n\nfrom .base import mine\n\n\n" + "\n".join(OWN.splitlines()[5:])
        (folder / "operators.py").write_text(operators.replace("x + x", factor) + "\n", encoding="utf-8")
    for place, operations in (("one", 1), ("other", 2), ("one", 1)):  # each time what lies there, of equal names too
        loaded = driver_files.load(str(tmp_path / place / "my_dsl"))
        assert (loaded.driver.name, list(loaded.driver.operators)) == ("mine", ["twice"])
        body = loaded.driver.operators["twice"].instantiate((INT,)).body
        assert show(body).count("+") == operations


def test_a_folder_here_does_not_stand_for_an_installed_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tensor").mkdir()
    (tmp_path / "tensor" / "__init__.py").write_text(OWN, encoding="utf-8")
    assert driver_files.load("tensor").driver.name == "tensor"
    assert driver_files.load("./tensor").driver.name == "mine"


def test_targets_decide_where_no_driver_is_named() -> None:
    both = choosing.select(None, ["numpy", "pytorch"])
    assert {loaded.name for loaded in both.values()} == {"tensor"}
    several = choosing.select(None, ["pytorch", "nki", "triton"])
    assert [loaded.name for loaded in several.values()] == ["tensor", "trainium", "triton"]
    with pytest.raises(UsageError, match="did you mean numpy"):
        choosing.select(None, ["numpi"])
    with pytest.raises(UsageError, match="read a source in different ways"):
        choosing.select(None, ["numpy", "switch"])


def test_targets_are_listed_so_that_no_other_driver_is_imported() -> None:
    package = importlib.import_module(argument_types.DRIVERS)
    names = sorted(each.name for each in pkgutil.iter_modules(package.__path__) if not each.name.startswith("_"))
    assert list(driver_files.own()) == names
    assert package.TARGETS == {name: tuple(each.name for each in driver_files.load(name).driver.targets) for name in names}
    text = "import sys; from metalift.driver import choosing; choosing.select(None, ['numpy']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    imported = [each.split(".")[1] for each in done.stdout.split() if each.startswith(f"{argument_types.DRIVERS}.")]
    assert set(imported) <= {"fma", "tensor"}


def test_every_installed_driver_loads_and_is_described() -> None:
    lines = [line.split() for line in driver_pages.overview(Paint(False)).splitlines()]
    assert {line[1] for line in lines[1:-1]} == set(driver_files.installed())
    assert {"nki", "numpy", "gemmini", "switch", "dataframe"} <= {line[0] for line in lines}


def test_a_driver_shows_its_operators_and_each_its_meaning_and_spellings() -> None:
    listed = driver_pages.operators("nki")
    assert listed.startswith("nki: ") and "  operators:" in listed and " add " in listed
    shown = driver_pages.operator_page("pytorch", "dot")
    assert "def dot(x: Vec[Elem], y: Vec[Elem]) -> Elem:" in shown and "for example: torch.dot(x, y)" in shown
    assert "numpy" not in shown and "numpy: " in driver_pages.operator_page("tensor", "dot")
    for words, hint in ((("numpi",), "did you mean numpy"), (("numpy", "dott"), "did you mean dot")):
        done = metalift("drivers", *words)
        assert (done.status, done.output) == (2, "") and hint in done.errors


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


SEMANTICS = """\
from metalift.driver import Driver, Int

dsl = Driver("two", targets=())


@dsl.define
def fma(x: Int, y: Int, z: Int) -> Int:
    return x + y * z


@dsl.define
def double(x: Int) -> Int:
    return 2 * x
"""
PLAIN = """\
from metalift.driver import Target
from .semantics import dsl

dsl.spell(Target("plain"), {"fma": "{x} + {y} * {z}", "double": "2 * {x}"})
"""
CHIP = """\
from metalift.driver import Target
from .semantics import dsl

dsl.spell(Target("chip", preamble="def fma(x, y, z):\\n    return x + y * z\\n"), {"fma": "fma({x}, {y}, {z})"})
"""


def folder(path: Path, **files: str) -> Path:
    path.mkdir()
    for name, text in files.items():
        (path / f"{name}.py").write_text(text, encoding="utf-8")
    return path


def test_a_folder_has_the_meanings_in_one_file_and_each_target_in_another(tmp_path: Path) -> None:
    made = folder(tmp_path / "two", semantics=SEMANTICS, target_plain=PLAIN, target_chip=CHIP)
    loaded = driver_files.load(str(made))
    assert [target.name for target in loaded.driver.targets] == ["chip", "plain"]
    assert loaded.path == made / "semantics.py"
    fma, double = loaded.driver.operators["fma"], loaded.driver.operators["double"]
    assert (fma.spelling("plain"), fma.spelling("chip")) == ("{x} + {y} * {z}", "fma({x}, {y}, {z})")
    assert (double.spelling("plain"), double.spelling("chip")) == ("2 * {x}", None)
    assert fma.spelling("plain", on_numbers=True) and not fma.spelling("chip", on_numbers=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLAIN.replace('"fma"', '"fms"'), "target_plain.py:4: a spelling for 'fms', which .* there are fma, double"),
        (PLAIN.replace("{z}", "{w}"), r"target_plain.py:4: unknown placeholder \{w\}"),
        (PLAIN.replace("2 * {x}", "2 * ({x}"), "target_plain.py:4: .*is not a Python expression"),
        (PLAIN + "dsl.spell(Target('plain'), {})\n", "target_plain.py:5: driver 'two' has two targets 'plain'"),
        (PLAIN + "1 / 0\n", "target_plain.py:5: .*ZeroDivisionError"),
        ("from .meanings import dsl\n", "target_plain.py:1: .*No module named"),
    ],
)
def test_a_target_file_that_is_wrong(text: str, message: str, tmp_path: Path) -> None:
    made = folder(tmp_path / "two", semantics=SEMANTICS, target_plain=text)
    with pytest.raises(UsageError, match=message):
        driver_files.load(str(made))


def test_a_folder_without_either(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a folder has an __init__.py, or semantics.py"):
        driver_files.load(str(folder(tmp_path / "empty")))


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with entry points, as pip would have installed it."""
    package = folder(tmp_path / "own_drivers_package", __init__="", dsl=OWN, broken="x = 1\ny = x / 0\n")
    metadata = tmp_path / "own_drivers-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: own-drivers\nVersion: 1.0\n", encoding="utf-8")
    entries = {"own": "dsl", "own_object": "dsl:mine", "own_broken": "broken", "tensor": "dsl"}
    lines = "".join(f"{name} = {package.name}.{place}\n" for name, place in entries.items())
    (metadata / "entry_points.txt").write_text(f"[metalift.drivers]\n{lines}", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    for loaded in [name for name in sys.modules if name.startswith(package.name)]:
        monkeypatch.delitem(sys.modules, loaded)


@pytest.mark.usefixtures("packages")
def test_a_driver_of_another_package_is_imported_only_where_it_is_named() -> None:
    described = driver_pages.overview(Paint(False))
    assert "own: installed by own-drivers 1.0; metalift drivers own imports it" in described
    assert "tensor: installed by own-drivers 1.0, cannot be used: metalift has a driver of that name" in described
    with pytest.raises(UsageError, match="--driver own, own_broken, own_object, tensor"):
        choosing.select(None, ["nowhere"])
    assert not [name for name in sys.modules if name.startswith("own_drivers_package")]


@pytest.mark.usefixtures("packages")
def test_two_packages_with_a_driver_of_one_name(tmp_path: Path) -> None:
    other = tmp_path / "more_drivers-2.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: more-drivers\nVersion: 2.0\n", encoding="utf-8")
    (other / "entry_points.txt").write_text("[metalift.drivers]\nown = more.dsl\n", encoding="utf-8")
    with pytest.raises(UsageError, match="own-drivers 1.0 and more-drivers 2.0|more-drivers 2.0 and own-drivers 1.0"):
        driver_files.load("own")


@pytest.mark.usefixtures("packages")
def test_the_version_of_a_driver_is_in_the_certificate(tmp_path: Path) -> None:
    path = tmp_path / "own_drivers_package" / "dsl.py"
    path.write_text(OWN.replace("twice({x})", "2 * {x}"), encoding="utf-8")
    (tmp_path / "kernel.py").write_text("def f(x: int) -> int:\n    return x + x\n", encoding="utf-8")
    lift(tmp_path / "kernel.py", to=["python"], driver="own", out=tmp_path / "out")
    recorded = certificate.read(next((tmp_path / "out" / "certificates").iterdir()))
    assert recorded.driver == "own" and recorded.tools["own-drivers"] == "1.0"


@pytest.mark.usefixtures("packages")
def test_other_packages_install_drivers() -> None:
    assert {"tensor", "own", "own_object", "own_broken"} <= set(driver_files.installed())
    for name in ("own", "own_object"):
        loaded = driver_files.load(name)
        assert (loaded.driver.name, loaded.name, loaded.path.name) == ("mine", name, "dsl.py")
    assert driver_files.load("tensor").driver.name == "tensor"
    assert choosing.select(None, ["numpy"])["numpy"].driver.name != "mine"
    assert "twice" in driver_pages.operators("own")
    with pytest.raises(UsageError, match="broken.py:2: the driver cannot be loaded: ZeroDivisionError"):
        driver_files.load("own_broken")
