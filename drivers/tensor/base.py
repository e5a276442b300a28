"""The driver that the operators are declared on, and how their spellings are written."""

from __future__ import annotations

from metalift.driver import Driver

from .targets import TARGETS

driver = Driver("tensor", targets=TARGETS)


MODULES = {"numpy": "np.", "pytorch": "torch.", "jax": "jnp.", "tensorflow": "tf.", "mlx": "mx."}


def spelled(common: str | None = None, **others: str | None) -> dict[str, str]:
    """The spellings side by side: `common`, but for libraries that have another one, or none.

    In it `lib.` stands for the library's module; PyTorch calls an axis `dim`, and converts by `to`.
    """
    given = {target: common.replace("lib.", module) for target, module in MODULES.items()} if common else {}
    if common:
        given["pytorch"] = given["pytorch"].replace("axis=", "dim=").replace(".astype(", ".to(")
    return {target: template for target, template in {**given, **others}.items() if template is not None}
