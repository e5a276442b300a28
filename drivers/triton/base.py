"""The driver, and the target: kernels that Python starts on arrays of PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from metalift.driver import Driver, Layout, Target
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, MachineInt, ScalarType

F = TypeVar("F", bound=Callable[..., Any])
NAME = "triton"
NAMES: dict[ScalarType, str] = {
    **{MachineInt(bits, True): f"int{bits}" for bits in (8, 16, 32, 64)},
    MachineInt(8, False): "uint8",
    FLOAT: "float32",
    DOUBLE: "float64",
}
IN_KERNELS: dict[ScalarType, str] = {BOOL: "tl.int1", **{type_: f"tl.{name}" for type_, name in NAMES.items()}}


TRITON = Target(
    NAME,
    imports={"torch": "import torch", "triton": "import triton", "tl": "import triton.language as tl"},
    dtypes={BOOL: "torch.bool", **{type_: f"torch.{name}" for type_, name in NAMES.items()}},
    layout=Layout(
        array_type="torch.Tensor",
        array="torch.tensor({value}, dtype={dtype})",
        reshape="{x}.view(*{shape})",
        clone="{x}.clone()",
        arange="torch.arange({value}, device={x}.device)",
        contiguous="{x}.is_contiguous()",
        bounds="({x}.data_ptr(), {x}[(-1,) * {x}.ndim].data_ptr() + {x}.element_size())",
        address="{x}.data_ptr()",
        strides="{x}.stride()",
    ),
    numbers=True,
    language="Triton",
)
driver: Driver = Driver(NAME, targets=(TRITON,))


def lanes(emit: str, requires: Callable[..., bool] | None = None, cost: float = 1.0) -> Callable[[F], F]:
    """An operator that stands in kernels: in them numbers, too, are Triton's."""
    return driver.elementwise(emit=emit, scalars=emit, requires=requires, cost=cost)
