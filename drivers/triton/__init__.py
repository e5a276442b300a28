"""Triton: kernels over blocks of elements, rows, and tiles of matrices, proved for all sizes of data and of blocks.

The operators on scalars are what stands in a kernel's text; those on vectors and matrices are there to be found in a source, and
become loops over blocks.
"""

from __future__ import annotations

from . import arithmetic, functions, reductions
from .base import driver

__all__ = ["arithmetic", "driver", "functions", "reductions"]
