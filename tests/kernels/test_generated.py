"""The recorded code, called as a user calls it: in place, with arrays longer than needed, compiled, and with bad arguments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.generated import load_function
from tests.support.lazily import module

torch = module("torch")

HERE = Path(__file__).parent


def numpy_function(kernel: str) -> Callable[..., Any]:
    """The recorded NumPy function of a kernel."""
    return load_function(HERE / kernel / "numpy.py", kernel)


def rmsnorm(x: np.ndarray[Any, Any], weight: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What rmsnorm computes, in double precision."""
    wide = x.astype(np.float64)
    scaled: np.ndarray[Any, Any] = weight * (wide / np.sqrt(np.mean(wide * wide) + 1e-5))
    return scaled


def test_output_may_be_the_input() -> None:
    x = np.linspace(-2, 3, 17, dtype=np.float32)
    weight = np.linspace(0.5, 1.5, 17, dtype=np.float32)
    expected = rmsnorm(x, weight)
    result = numpy_function("rmsnorm")(x, x, weight, 17)
    np.testing.assert_allclose(x, expected, rtol=1e-5)
    assert result is x


def test_elements_beyond_the_size_are_untouched() -> None:
    x = np.linspace(-2, 3, 17, dtype=np.float32)
    out = np.full(20, 7, dtype=np.float32)
    weight = np.ones(17, dtype=np.float32)
    numpy_function("rmsnorm")(out, x, weight, 15)
    np.testing.assert_allclose(out[:15], rmsnorm(x[:15], weight[:15]), rtol=1e-5)
    assert (out[15:] == 7).all()


def test_arrays_that_are_too_short_raise() -> None:
    short, long = np.ones(4, dtype=np.float32), np.ones(5, dtype=np.float32)
    for arguments in ((short, long, long), (long, short, long), (long, long, short)):
        with pytest.raises(ValueError, match="."):
            numpy_function("rmsnorm")(*arguments, 5)


def test_partial_overlap_raises() -> None:
    buffer, weight = np.ones(12, dtype=np.float32), np.ones(8, dtype=np.float32)
    with pytest.raises(ValueError, match="."):
        numpy_function("rmsnorm")(buffer[2:10], buffer[:8], weight, 8)


@pytest.mark.parametrize(("kernel", "sizes"), [("rmsnorm", (8,)), ("softmax", (8,)), ("matmul", (4, 3))])
def test_pytorch_code_compiles_as_one_graph(kernel: str, sizes: tuple[int, ...]) -> None:
    function = load_function(HERE / kernel / "pytorch.py", kernel)
    generator = torch.Generator().manual_seed(1)
    shapes = {"rmsnorm": (8, 8, 8), "softmax": (8,), "matmul": (3, 4, 12)}[kernel]
    plain = [torch.randn(size, generator=generator) for size in shapes]
    traced = [tensor.clone() for tensor in plain]
    function(*plain, *sizes)
    torch.compile(function, fullgraph=True, backend="eager")(*traced, *sizes)
    for expected, found in zip(plain, traced, strict=True):
        torch.testing.assert_close(found, expected)
