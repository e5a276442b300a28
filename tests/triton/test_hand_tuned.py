"""Kernels in Triton that people wrote or edited, from their text to a verdict; wrong ones, of which none is equal."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.pipeline.equivalence import EquivResult, EquivVerdict
from metalift.pipeline.hand_tuned import compared
from metalift.result.errors import UsageError

HERE = Path(__file__).parent / "hand_tuned"
LLAMA = Path(__file__).parents[2] / "benchmarks" / "llama"
NORM = """
#include <math.h>
void norm(float *o, const float *x, int n) {
  float m = 0; for (int i = 0; i < n; i++) m += x[i];
  m /= n;
  float v = 0; for (int i = 0; i < n; i++) v += x[i] * x[i];
  v = v / n - m * m;
  float r = 1.0f / sqrtf(v + 1e-5f);
  for (int i = 0; i < n; i++) o[i] = (x[i] - m) * r;
}
"""
MOMENTS = (HERE / "moments.py").read_text()
COUNT = "int count(const float *x, int n) { int c = 0; for (int i = 0; i < n; i++) if (x[i] > 0) c++; return c; }"
COUNTED = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(n: tl.int64, x_ptr, result_ptr, BLOCK: tl.constexpr):
    total = tl.full([], 0, tl.int32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        j = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=j < n, other=0.0)
        total = total + tl.sum(tl.where(0.0 < x, tl.full([], 1, tl.int32), tl.full([], 0, tl.int32)), axis=0)
    tl.store(result_ptr, total)


def count(x, n, BLOCK=1024):
    result = torch.empty(1, dtype=torch.int32, device=x.device)
    kernel[(1,)](n, x, result, BLOCK=BLOCK)
    return result.item()
"""


def judged(folder: Path, *pairs: tuple[str, str], text: str = MOMENTS, source: str = NORM, name: str = "norm") -> EquivResult:
    """The verdict on a kernel, the one with two sums, with some parts in the place of others."""
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    first, tuned = folder / "source.c", folder / "tuned.py"
    first.write_text(source)
    tuned.write_text(text)
    return compared(first, tuned, functions=(name, name), timeout=5.0)


def test_a_kernel_with_a_reciprocal_is_proved() -> None:
    found = compared(LLAMA / "rmsnorm.c", HERE / "rmsnorm.py", functions=("rmsnorm", "rmsnorm"))
    assert found.verdict is EquivVerdict.EQUAL_WHERE, found.reason
    assert found.where[0] == "0 <= int(size)"
    assert found.where[1].startswith("rmsnorm does not raise by its own checks (lines ")
    assert found.inputs > 40


def test_a_kernel_with_two_sums_in_a_loop_is_proved(tmp_path: Path) -> None:
    found = judged(tmp_path)
    assert found.verdict is EquivVerdict.EQUAL_WHERE, found.reason
    assert ("the arrays that the kernels take are contiguous", "restrictions of what is modelled") in found.assumptions


WRONG = {
    "a lane too few": (("mask=i < n, other=0.0", "mask=i < n - 1, other=0.0"),),
    "lanes without an element add 1": (("tl.where(i < n, x * x, 0.0)", "tl.where(i < n, x * x, 1.0)"),),
    "the other sum": (("squares * inverse - mean * mean", "total * inverse - mean * mean"),),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_edit_is_not_proved(what: str, tmp_path: Path) -> None:
    assert judged(tmp_path, *WRONG[what]).verdict is EquivVerdict.DIFFERENT


HOSTILE = {
    "a module that is something else": (("    inverse = ", "    tl = n\n    inverse = "),),
    "a copy that is none": (("before = _apart(x, o)", "before = _apart(x)"),),
    "a copy that is made in another way": (("return array.clone() if", "return array if"),),
    "an array that changes between launches": (("    before = ", "    x.zero_()\n    before = "),),
    "a check that changes an array": (('    if n < 1:\n', '    if x.zero_().numel() < 1:\n'),),
    "a default that runs": (("BLOCK=1024", "BLOCK=print(1)"),),
    "an annotation that runs": (("n: int, BLOCK", "n: setattr(tl, 'sum', None), BLOCK"),),
    "a sum that takes itself": (("tl.where(i < n, x, 0.0)", "tl.where(i < n, x * total, 0.0)"),),
    "a sum that takes the other one": (
        ("tl.sum(tl.where(i < n, x * x, 0.0), axis=0)", "tl.sum(tl.where(i < n, x * total, 0.0), axis=0)"),
    ),
    "another array returned": (("return o", "return x"),),
    "a size that is divided by 0": (("kernel[(1,)](n,", "kernel[(1,)](n + 0 * (n // n),"),),
    "programs that store the same": (("kernel[(1,)]", "kernel[(2,)]"),),
    "a copy whose making changes an array": (("before = _apart(x, o)", "before = _apart(x, o, x.zero_() if n > 5000 else o)"),),
    "a block of another size": (("    total = tl.full", "    BLOCK = 1024\n    total = tl.full"),),
    "a counter that was something else": (("for start in", "for n_value in"), ("start + ", "n_value + ")),
    "a shape that runs": (("tl.full([], 0.0, tl.float32)\n    squares", "tl.full([n := 5], 0.0, tl.float32)\n    squares"),),
    "elements of another type": (("(y - mean) * root,", "((y - mean) * root).to(tl.float64),"),),
    "no finite number": (("1e-05", "1e999"),),
    "nothing but a text": (("    if n < 1:", "    'text'\n\n\ndef other(n):\n    if n < 1:"),),
}  # fmt: skip
STORE = "    tl.store(result_ptr, total)"
HOSTILE_RESULTS = {
    "a place of another type": (("dtype=torch.int32", "dtype=torch.int16"),),
    "a place whose making changes an array": (("x.device", "(x.zero_() if n > 5000 else x).device"),),
    "a result that is masked": (("result_ptr, total)", "result_ptr, total, mask=n < 5000)"),),
    "a result that is stored elsewhere": (("result_ptr, total)", "result_ptr + tl.maximum(0, n - 5000), total)"),),
    "a result in a loop": ((STORE, f"    for k in range(0, 5000 - n):\n    {STORE}"),),
    "programs behind the store": (
        ("[(1,)]", "[(max(0, 5000 - n),)]"), (STORE, f"{STORE}\n    k = tl.program_id(0).to(tl.int64)"),
    ),
    "a place that has no result": (("    result =", "    other = torch.empty(1, dtype=torch.int32)\n    result ="),),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_not_read_is_refused(what: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"tuned\.py: "):
        judged(tmp_path, *HOSTILE[what])


def test_a_result_is_proved(tmp_path: Path) -> None:
    found = judged(tmp_path, text=COUNTED, source=COUNT, name="count")
    assert found.verdict is EquivVerdict.EQUAL_WHERE and found.where == ("0 <= int(n)",), found.reason


@pytest.mark.quick("a place of another type", "a result that is masked")
@pytest.mark.parametrize("what", HOSTILE_RESULTS)
def test_a_result_that_is_not_there_for_all_sizes_is_refused(what: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"tuned\.py: "):
        judged(tmp_path, *HOSTILE_RESULTS[what], text=COUNTED, source=COUNT, name="count")


def test_a_result_of_fewer_bits_is_not_proved(tmp_path: Path) -> None:
    source = COUNT.replace("int count", "long count").replace("int c ", "long c ")
    found = judged(tmp_path, text=COUNTED, source=source, name="count")
    assert found.verdict is EquivVerdict.UNKNOWN and "fewer bits" in found.reason


def test_what_a_lift_writes_is_read(tmp_path: Path) -> None:
    source = tmp_path / "source.c"
    source.write_text("void f(int *o, int *p, const int *x, int n) { for (int i = 0; i < n; i++) o[i] = p[i] = x[i]; }")
    (function,) = lift(source, to=("triton",), out=tmp_path / "out").functions
    found = compared(source, Path(function.targets["triton"].file or ""), functions=("f", "f"), timeout=5.0)
    assert found.verdict is EquivVerdict.EQUAL_WHERE, found.reason
