"""The driver that the operators are declared on, and how their spellings are written."""

from __future__ import annotations

from metalift.driver import Driver

from .targets import TARGETS

driver = Driver("tensor", targets=TARGETS)


def spelled(
    *,
    numpy: str | None = None,
    pytorch: str | None = None,
    jax: str | None = None,
    tensorflow: str | None = None,
    mlx: str | None = None,
) -> dict[str, str]:
    """The spellings side by side; a library that is left out lacks the operator."""
    given = {"numpy": numpy, "pytorch": pytorch, "jax": jax, "tensorflow": tensorflow, "mlx": mlx}
    return {target: template for target, template in given.items() if template is not None}
