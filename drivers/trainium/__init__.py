"""Trainium: kernels in NKI, tile by tile. What is modelled, what is simulated and what was never run: docs/accelerators.md."""

from __future__ import annotations

from .operators import driver

__all__ = ["driver"]
