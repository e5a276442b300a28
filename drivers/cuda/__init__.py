"""CUDA C: kernels for GPUs, proved for all sizes of data and of blocks.

What is modelled, what is compiled and what was never run: docs/accelerators.md.
"""

from __future__ import annotations

from . import functions
from .operators import driver

__all__ = ["driver", "functions"]
