"""The driver that the operators are declared on, and how their spellings are written."""

from __future__ import annotations

from collections.abc import Mapping

from metalift.driver import Driver

from .targets import TARGETS

driver = Driver("tensor", targets=TARGETS)
PREFIXES = {"numpy": "np", "pytorch": "torch", "jax": "jnp", "tensorflow": "tf", "mlx": "mx"}  # of their functions


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


def called(name: str, arguments: str = "{a}", **others: str) -> dict[str, str]:
    """Calls of the function that each library has by this name. `others` are the whole names of functions that are called
    otherwise, empty where a library lacks the operator. What others call an axis is a dimension in PyTorch.
    """
    functions = {**{library: f"{prefix}.{name}" for library, prefix in PREFIXES.items()}, **others}
    given = {library: f"{function}({arguments})" for library, function in functions.items() if function}
    return {library: each.replace("axis=", "dim=") if library == "pytorch" else each for library, each in given.items()}


def typed(values: Mapping[str, str]) -> dict[str, str]:
    """The values, converted to the element type of the result."""
    convert = {"pytorch": "{value}.to({{dtype}})", "tensorflow": "tf.cast({value}, {{dtype}})"}
    return {each: convert.get(each, "{value}.astype({{dtype}})").format(value=value) for each, value in values.items()}
