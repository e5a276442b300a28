"""The driver: the operators that kernels for GPUs have, as CUDA C spells them; those on arrays become loops."""

from __future__ import annotations

from dataclasses import replace

from metalift.driver import Driver, Layout, Target
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, MachineInt, ScalarType

from ..triton import driver as kernels

NAME = "cuda"
WORDS = [MachineInt(bits, True) for bits in (8, 16, 32, 64)] + [MachineInt(8, False)]
NAMES: dict[ScalarType, str] = {
    BOOL: "np.bool_", INT: "np.int64", FLOAT: "np.float32", DOUBLE: "np.float64",
    **{word: f"np.{'' if word.signed else 'u'}int{word.bits}" for word in WORDS},
}  # fmt: skip
SPELLED = {
    "quotient": "{a} / {b}", "where": "{c} ? {a} : {b}", "both_hold": "{a} && {b}", "either_holds": "{a} || {b}",
    "negation": "!{a}", "absolute": "fabs({a})", "minimum": "fmin({a}, {b})", "maximum": "fmax({a}, {b})", "cast": "({dtype}){a}",
}  # fmt: skip


CUDA = Target(
    NAME,
    imports={"np": "import numpy as np"},
    dtypes=NAMES,
    layout=Layout(
        array_type="np.ndarray", array="np.array({value}, dtype={dtype})", clone="{x}.copy()", reshape="{x}.reshape(*{shape})"
    ),
    numbers=True,
    language="CUDA C",
    suffix=".cu",
)
driver: Driver = Driver(NAME, targets=(CUDA,))
for name, operator in kernels.operators.items():
    spelled = SPELLED.get(name, operator.spellings["triton"].replace("tl.", ""))
    driver.operators[name] = replace(
        operator, spellings={NAME: spelled}, scalars={NAME: spelled} if operator.scalars else {}
    )
