"""The cost that widths are chosen by is what the simulator counts, and the choice is told in the emitted file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from metalift.app.simulate.run import made
from metalift.driver import Request
from metalift.driver.files import load
from metalift.frontend import functions_of, import_function, open_source
from metalift.synth.cover import cover
from metalift.synth.derive import derive
from tests.trainium.test_lifting import ROOT, simulator

trainium = load("trainium")
KERNELS = {
    "llama/softmax.c": 512 * 128 + 513,
    "llama/rmsnorm.c": 1000,
    "llama/matmul.c": 129,
    "array/matmul_ijk.c": 129,
    "blend/multiply_u8.c": 130,
    "blend/color_burn_int.c": 513,
    "blend/color_burn_u8.c": 130,
}


def request(path: Path) -> Request:
    """What the driver is given for the last function of a source."""
    module = open_source(path)
    fragment = import_function(module, list(functions_of(module))[-1][0])
    summary = derive(fragment)
    return Request(fragment, summary, cover(summary, fragment, trainium.driver, "nki"))


@pytest.mark.parametrize("source", KERNELS)
def test_the_model_counts_what_the_simulator_counts(source: str, tmp_path: Path) -> None:
    from metalift_drivers.trainium.cost import Costs
    from metalift_drivers.trainium.spelled import choices
    from metalift_drivers.trainium.writer import Writer

    wanted, size, chip = request(ROOT / "benchmarks" / source), KERNELS[source], simulator()
    for choice in choices(wanted):
        path = tmp_path / f"{choice.columns}.py"
        path.write_text(Writer(replace(wanted, kernel=choice.kernel)).text(), encoding="utf-8")
        run = chip.load(path, wanted.fragment.name)
        kinds = {name: each for name, each in run.__annotations__.items() if name != "return"}
        sizes = {name: size for name, each in kinds.items() if each is int}
        random = np.random.default_rng(size)
        args = [sizes.get(name) if name in sizes else made(each, sizes, name, random) for name, each in kinds.items()]
        _, cost = chip.costs(run, *args)
        counted = Costs(sizes).of_kernel(choice.kernel)
        assert (counted.cycles, counted.bytes) == (cost["cycles"], cost["bytes"]), choice.columns


def test_widths_are_chosen_by_cost_and_told(tmp_path: Path) -> None:
    from metalift_drivers.trainium.cost import cheapest
    from metalift_drivers.trainium.spelled import choices, lower, text

    found = {name: cheapest(choices(request(ROOT / "benchmarks" / name))).columns for name in KERNELS}
    assert found["array/matmul_ijk.c"] == 512  # a bank of sums has no more, and blocks that are wide load less
    assert found["llama/softmax.c"] == 2048
    assert found["blend/color_burn_u8.c"] == 512  # the steps of its quotient have tiles too
    wanted = request(ROOT / "benchmarks" / "llama" / "softmax.c")
    written = text(replace(wanted, kernel=lower(wanted)))
    assert "tiles of 2048 columns" in written and "Modelled, not measured" in written
