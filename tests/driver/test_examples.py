"""The example drivers: what they prove with nothing but their meanings given, and what they must not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from metalift import lift
from metalift.app.conformance import check_driver
from metalift.driver.files import load
from metalift.prove.solver import SolverPool
from metalift.result import FunctionResult
from metalift.result.verdict import Agreement, FunctionVerdict

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
DRIVERS = ("fma", "conv1d", "systolic")
FILES = {"conv1d": "signal.c", "systolic": "quantized.c"}
KERNELS = {"conv1d": ("fir", "valid", "layer"), "systolic": ("residual", "dense", "gate", "blend")}


def lifted(functions: Mapping[str, str], driver: str, folder: Path, *assume: str) -> dict[str, FunctionResult]:
    """C functions, each by a name for people and with {} for its own name, lifted at once to the driver's first target."""
    names = {name: f"f{number}" for number, name in enumerate(functions)}
    source = folder / "kernels.c"
    texts = [functions[name].replace("{}", symbol) for name, symbol in names.items()]
    source.write_text("\n".join([CLAMP, *texts, ""]), encoding="utf-8")
    target = load(driver).driver.targets[0].name
    result = lift(source, functions=tuple(names.values()), to=[target], driver=driver, assume=assume, out=folder / "out")
    return dict(zip(functions, result.functions, strict=True))


def code(function: FunctionResult) -> str:
    """The generated file, nothing where there is none."""
    files = [target.file for target in function.targets.values() if target.file is not None]
    return Path(files[0]).read_text(encoding="utf-8") if files else ""


@pytest.mark.parametrize("driver", FILES)
def test_kernels_are_proved_with_nothing_given(driver: str, tmp_path: Path) -> None:
    result = lift(EXAMPLES / FILES[driver], functions=KERNELS[driver], to=[driver], driver=driver, out=tmp_path)
    assert {function.name: function.verdict.value for function in result.functions} == dict.fromkeys(KERNELS[driver], "PROVED")
    assert all(function.targets[driver].checked is Agreement.AGREES for function in result.functions)


@pytest.mark.parametrize("driver", DRIVERS)
def test_operators_conform_to_their_meanings(driver: str) -> None:
    with SolverPool(1) as pool:
        checks = check_driver(load(driver).driver, pool)
    assert [check.name for check in checks if not check.ok] == []
    assert all(runs.agreed > 0 for check in checks for runs in check.engines.values())


def test_ten_operators_with_one_target_take_at_most_sixty_lines() -> None:
    loaded = load("systolic")
    assert len(loaded.driver.operators) >= 10 and len(loaded.driver.targets) == 1
    assert len(loaded.path.read_text(encoding="utf-8").splitlines()) <= 60


# The tutorial

TUTORIAL = {
    "fused": "int {}(int bias, int w, int x) { int s = bias + w * x; return s > 0 ? s : 0; }",
    "apart": "int {}(int a, int b, int c) { return (a > 0 ? a : 0) + b * c; }",
    "other": "int {}(int bias, int w, int x) { int s = bias + w * x; return s > 1 ? s : 0; }",
}


def test_the_fused_operator_wins_by_its_cost_where_it_computes_the_same(tmp_path: Path) -> None:
    found = lifted(TUTORIAL, "fma", tmp_path)
    assert [found[name].ok for name in TUTORIAL] == [True, True, False]
    assert code(found["fused"]).rstrip().endswith("return fused_fma_relu(bias, w, x)")
    assert code(found["apart"]).rstrip().endswith("return fma(relu(a), b, c)")
    assert "def relu" not in code(found["fused"])  # of the preamble there is what is used


# Saturation

SATURATING = re.compile(r"\b(add|sub|mul|store)\(")
CLAMP = "#include <stdint.h>\nstatic int c8(int v) { return v > 127 ? 127 : v < -128 ? -128 : v; }"


def loop(body: str) -> str:
    return f"void {{}}(int8_t *o, int8_t *a, int8_t *b, int8_t *c, int n) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"


def tiles(size: int) -> str:
    inner = f"int32_t s = 0; for (int k = 0; k < {size}; k++) s += a[i * {size} + k] * b[k * 16 + j]; o[i * 16 + j] = s;"
    loops = f"for (int i = 0; i < 16; i++) for (int j = 0; j < 16; j++) {{ {inner} }}"
    return f"void {{}}(int32_t *o, int8_t *a, int8_t *b) {{ {loops} }}"


ALIKE = {
    "ternaries": loop("o[i] = a[i] + b[i] > 127 ? 127 : a[i] + b[i] < -128 ? -128 : a[i] + b[i];"),
    "the lower bound first": loop("int s = a[i] + b[i]; if (s < -128) s = -128; if (s > 127) s = 127; o[i] = s;"),
    "at each step": loop("o[i] = c8(c8(a[i] + b[i]) + c[i]);"),
}
OTHERWISE = {
    "wraps": loop("o[i] = a[i] + b[i];"),
    "at the end instead of at each step": loop("o[i] = c8(a[i] + b[i] + c[i]);"),
    "at another lower bound": loop("int s = a[i] + b[i]; o[i] = s > 127 ? 127 : s < -127 ? -127 : s;"),
    "on one side": loop("int s = a[i] + b[i]; o[i] = s > 127 ? 127 : s;"),
    "more than cannot": loop("o[i] = (a[i] >> 1) + (b[i] >> 1) + 2;"),
    "at each step of a product": (
        "void {}(int8_t *o, int8_t *a, int8_t *b, int m, int k) { for (int i = 0; i < m; i++) for (int j = 0; j < m; j++) "
        "{ int s = 0; for (int l = 0; l < k; l++) s = c8(s + a[i * k + l] * b[l * m + j]); o[i * m + j] = s; } }"
    ),
    "more than a tile": tiles(17),
}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FunctionResult]:
    """What becomes of all of these."""
    return lifted({**ALIKE, **OTHERWISE}, "systolic", tmp_path_factory.mktemp("saturation"))


@pytest.mark.parametrize("how", ALIKE)
def test_a_source_that_does_what_the_chip_does_is_proved(how: str, kernels: dict[str, FunctionResult]) -> None:
    assert kernels[how].ok, kernels[how].diagnostics


@pytest.mark.parametrize("how", OTHERWISE)
def test_a_source_that_does_something_else_is_not(how: str, kernels: dict[str, FunctionResult]) -> None:
    """What wraps is computed number by number, in a loop that stays, by what does not saturate."""
    if how == "wraps":
        assert kernels[how].ok and "for i in range(n):" in code(kernels[how])
    else:
        assert kernels[how].verdict in (FunctionVerdict.NOT_LIFTED, FunctionVerdict.TESTED)
    assert not SATURATING.search(code(kernels[how]).partition("def f")[2])


@pytest.mark.parametrize(("low", "high", "ok"), [(-64, 63, True), (-64, 64, False)])
def test_values_that_are_assumed_to_be_in_range_do_not_saturate(low: int, high: int, ok: bool, tmp_path: Path) -> None:
    assumed = [f"{low} <= {name}[i] and {name}[i] <= {high}" for name in "ab"]
    function = lifted({"sum": loop("o[i] = a[i] + b[i];")}, "systolic", tmp_path, *assumed)["sum"]
    assert function.ok or not ok
    assert bool(SATURATING.search(code(function).partition("def f")[2])) is ok  # else a loop stays, which does not saturate
