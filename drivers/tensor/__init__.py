"""The tensor driver: what tensor libraries compute, and how each spells it.

Elementwise operators take tensors, scalars, and any mix; in PyTorch the functions among them take tensors, plain numbers only
where `numbers` says so. Casts are explicit, so no spelling relies on promotion between dtypes; plain numbers take the dtype of
the tensor that they meet, in all libraries.
"""

from . import (
    arithmetic,
    bits,
    choice,
    conversions,
    functions,
    normalisation,
    places,
    products,
    recurrences,
    reductions,
    running,
    selection,
    shapes,
    single,
    windows,
)
from .base import driver

__all__ = [
    "driver",
    "arithmetic",
    "bits",
    "choice",
    "conversions",
    "functions",
    "normalisation",
    "places",
    "products",
    "recurrences",
    "reductions",
    "running",
    "selection",
    "shapes",
    "single",
    "windows",
]
