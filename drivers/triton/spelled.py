"""How programs are made of tiles and written as kernels, and run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from metalift.driver import Engine, Kernels, Request
from metalift.ir.program.summary import TargetProgram

from . import driver
from .hand_tuned import read
from .host import written
from .lower import lowered


def tile(request: Request) -> TargetProgram:
    """The program by tiles."""
    return lowered(request, driver)


def kernels(request: Request, names: Mapping[str, str]) -> Kernels:
    """The text of the program's kernels, which was read back and found to be that program."""
    return written(request, names, driver)


driver.targets = (
    replace(
        driver.targets[0],
        runner=Path(__file__).with_name("runner.py"),
        engine=Engine(
            "f'triton {triton.__version__}, its interpreter on the CPU'",
            "torch.set_num_threads(1)",
            {"TRITON_INTERPRET": "1", **{name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}},
            memory=16 << 30,
            seconds=60,
        ),
        tile=tile,
        reads=read,
        kernels=kernels,
    ),
)
