"""Texts in CUDA C at sizes that are no multiple of a block, with other blocks, through NVRTC; and with faults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metalift.frontend.llvm.compile.compilers import find_clang
from tests.cuda.running import FUNCTIONS, RUNNER, lifted, model
from tests.support.generated import load_function

pytestmark = pytest.mark.skipif(find_clang().zig, reason="zig does not compile within the limits of generated code")
SIZES = (1, 127, 128, 129, 513)
Case = tuple[tuple[Any, ...], Any]  # arguments, and what is returned or written


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return lifted(tmp_path_factory.mktemp("cuda"))


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).uniform(0.5, 2, shape).astype(np.float32)


def case(function: str, n: int) -> Case:
    """A call for a size."""
    x = floats(n)
    match function:
        case "scale":
            return (np.zeros(n, np.float32), x, 3.0, n), 3 * x
        case "shifted":
            more = floats(n + 1)
            return (more, n), np.append(more[1:], more[-1])
        case "total":
            return (x, n), x.sum(dtype=np.float64)
        case "whole":
            words = np.arange(n, dtype=np.int32) - n // 3
            return (words, n), words.sum()
        case "greatest":
            return (x, n), x.max()
        case "row_means":
            a = floats(5, n)
            return (np.zeros(5 * n, np.float32), a.ravel(), 5, n), (a / a.sum(axis=1, keepdims=True)).ravel()
    m, k = max(1, 140 - n // 4), 33
    a, b = floats(m, k), floats(k, n)
    return (np.zeros(m * n, np.float32), a.ravel(), b.ravel(), m, n, k), (a @ b).ravel()


def sized(text: str, blocks: Mapping[str, int]) -> str:
    """The text with other sizes of blocks."""
    return "".join(f"#define {name} {threads}\n" for name, threads in blocks.items()) + text


def ran(text: str, function: str, n: int, folder: Path) -> bool:
    """Whether it computes what it should."""
    path = folder / "text.cu"
    path.write_text(text, encoding="utf-8")
    arguments, wanted = case(function, n)
    return np.allclose(model(path, function)(*arguments), wanted, rtol=1e-4)


@pytest.mark.quick("row_means")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_sizes_and_blocks(function: str, texts: dict[str, str], tmp_path: Path) -> None:
    text = texts[function]
    assert all(ran(text, function, n, tmp_path) for n in SIZES)
    for blocks in ({"BLOCK": 1}, {"BLOCK": 37}, {"BLOCK_M": 5, "BLOCK_N": 7, "BLOCK_K": 3}, {"BLOCK_M": 1, "BLOCK_K": 40}):
        assert all(ran(sized(text, blocks), function, n, tmp_path) for n in (1, 129)), blocks


@pytest.mark.quick("scale", "total", "row_means")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_kernels_compile_by_nvrtc(function: str, texts: dict[str, str]) -> None:
    if load_function(RUNNER, "nvrtc")() is None:
        pytest.skip("NVRTC is not installed (the extra `cuda`)")
    ptx = load_function(RUNNER, "compiled")(texts[function], f"{function}.cu")
    assert f"{function}_kernel" in ptx
    with pytest.raises(ValueError, match="NVRTC"):
        load_function(RUNNER, "compiled")(texts[function].replace("threadIdx.x", "threadIdx.w"), "wrong.cu")


FAULTS = [
    ("scale", "i < n", "i <= n"),
    ("scale", "i < n", "i < n - 1"),
    ("scale", "blocks_of((int64_t)n", "blocks_of((int64_t)n - 257"),
    ("scale", "* BLOCK +", "* (BLOCK + 1) +"),
    ("shifted", "(const float *)copied(x, ((int64_t)n) + 1, sizeof *x)", "x"),
    ("shifted", "[i + 1]", "[i + 2]"),
    ("shifted", "[i + 1]", "[i + 3000]"),
    ("shifted", "[i + 1]", "[i - (1LL << 40)]"),
    ("total", "+= BLOCK", "+= BLOCK + 1"),
    ("total", "float sum = 0.0f", "float sum = 1.0f"),
    ("total", "    held[threadIdx.x] = value;\n    __syncthreads();", "    held[threadIdx.x] = value;"),
    ("total", "            held[threadIdx.x] = held[threadIdx.x] + held[threadIdx.x + half];\n        __syncthreads();",
     "            held[threadIdx.x] = held[threadIdx.x] + held[threadIdx.x + half];"),
    ("total", "half = (count + 1) / 2;", "half = count / 2;"),
    ("total", "count > 1", "count > 2"),
    ("total", "if (threadIdx.x == 0)", "if (threadIdx.x == BLOCK)"),
    ("whole", "threadIdx.x + half", "threadIdx.x + half - 1"),
    ("greatest", "fmaxf(greatest", "fminf(greatest"),
    ("greatest", "item < (n - 1)", "item < n"),
    ("row_means", "c < cols", "c <= cols"),
    ("row_means", "(cols * r)", "((cols + 1) * r)"),
    ("row_means", "value = held[0];\n    __syncthreads();", "value = held[threadIdx.x];\n    __syncthreads();"),
    ("products", "BLOCK_N + threadIdx.x", "BLOCK_N + threadIdx.y"),
    ("products", "        __syncthreads();\n        for (int at = 0", "        for (int at = 0"),
    ("products", "        }\n        __syncthreads();\n    }", "        }\n    }"),
    ("products", "dim3(BLOCK_N, BLOCK_M)", "dim3(BLOCK_N, 1)"),
    ("products", "i < m && k_3 < k", "i < m"),
    ("products", "j < n && k_1 < k", "j < n"),
]  # fmt: skip


@pytest.mark.quick("0", "3", "9", "10", "12", "18", "20")  # of kernels of which there are texts for other tests, too
@pytest.mark.parametrize(("function", "old", "new"), FAULTS, ids=range(len(FAULTS)))
def test_faults_in_the_text_are_seen(function: str, old: str, new: str, texts: dict[str, str], tmp_path: Path) -> None:
    """The model refuses them, or their results differ, in blocks of one size or another."""
    text = texts[function]
    assert old in text
    seen = 0
    for each in (text, sized(text, {"BLOCK": 37})):
        try:
            seen += not ran(each.replace(old, new), function, 513, tmp_path)
        except ValueError:
            seen += 1
    assert seen


def test_threads_that_wait_for_none_are_refused(texts: dict[str, str], tmp_path: Path) -> None:
    text = texts["total"].replace("    value = held[0];\n", "    if (threadIdx.x == 3) return 0;\n    value = held[0];\n")
    with pytest.raises(ValueError, match="wait"):
        ran(text, "total", 129, tmp_path)
