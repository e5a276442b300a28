"""Whether Triton can be run here: by its interpreter, on the CPU."""

from __future__ import annotations

import importlib.util

import pytest

TARGET = "triton"


def missing() -> str:
    """What is missing, for a skip; empty where kernels can be interpreted."""
    if importlib.util.find_spec("triton") is None or importlib.util.find_spec("torch") is None:
        return "triton is not installed (the extra `triton`)"
    return ""


needs_triton = pytest.mark.skipif(bool(missing()), reason=missing() or "Triton is there")
