"""Targets of which the host's arrays are NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metalift.driver import Layout, Target
from metalift.ir.expr.types import BOOL, FLOAT, MachineInt
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.kernel import Machine


def on_numpy(name: str, language: str, bits: Sequence[int], machine: Callable[[Fragment], Machine]) -> Target:
    """A target whose kernels are written in a language and have bools, fp32 and integers of these widths."""
    words = [MachineInt(each, signed) for each in bits for signed in (True, False)]
    return Target(
        name,
        imports={"np": "import numpy as np"},
        dtypes={BOOL: "np.bool_", FLOAT: "np.float32", **{w: f"np.{'' if w.signed else 'u'}int{w.bits}" for w in words}},
        layout=Layout(
            array_type="np.ndarray",
            array="np.array({value}, dtype={dtype})",
            reshape="{x}.reshape(*{shape})",
            clone="{x}.copy()",
        ),
        numbers=True,
        language=language,
        machine=machine,
    )
