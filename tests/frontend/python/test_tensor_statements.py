"""PyTorch is read as what it computes: random statements, and what is refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.tensor_statements import one
from metalift.frontend.python.function import import_python
from metalift.frontend.python.naming.module import parse_source
from metalift.ir.program.fragment import Unsupported

HEAD = """import numpy as np
import torch
import torch.nn.functional as F
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from jaxtyping import Float, Int8


"""
REFUSED = [
    ("x[::-1]", "a negative step"),
    ("+x", "which is the tensor itself"),
    ("torch.fft.fft(x)", "the call of torch.fft.fft, which is not known here"),
    ("x.kthvalue(2)", "the method 'kthvalue' of a tensor"),
    ("F.dropout(x, 0.5)", "torch.nn.functional.dropout, which is not known"),
    ("i.mean()", "mean of integers"),
    ("F.silu(i)", "silu of integers"),
    ("torch.dot(x, i)", "different dtypes"),
    ("torch.einsum('i,i->', i, i)", "einsum of integers"),
    ("F.gelu(x, approximate='fast')", "approximate other than"),
    ("F.rms_norm(x, (x.shape[0],))", "rms_norm without eps"),
    ("F.normalize(x, p=3)", "other than the Euclidean"),
    ("F.normalize(x, 1)", "the arguments of normalize"),
    ("F.smooth_l1_loss(x, x, 0.5)", "the arguments of smooth_l1_loss"),
    ("torch.batch_norm(x, x, x, x, x, False, 0.1, 1e-5, False)", "torch.batch_norm; use"),
    ("F.relu(x, inplace=True)", "inplace"),
    ("F.mse_loss(x, x, reduction='batchmean')", "a reduction of PyTorch other than"),
    ("x.cumsum()", "without its dim"),
    ("x.sum(dim=())", "dim=()"),
    ("torch.add(x, x[0], out=x[1:])", "out= of a tensor that is an operand"),
    ("np.sum(x)", "NumPy and PyTorch"),
    ("sum(x)", "sum() where there are tensors"),
]
CHANGED = [
    ("x[1:] = x[:-1]", "elements of a tensor stored into others"),
    ("x[1:] += x[:-1]", "elements of a tensor stored into others"),
    ("y = x.squeeze()\n    y += 1", "shares it"),
    ("x.add_(x[:1])", "a change in place by other elements"),
    ("first = x[0]\n    x[0] = 1\n    x[1] = first", "an element of a tensor that changes"),
    ("v = x[0]\n    v += 1", "another name or tensor shares"),
    ("s = x.sum()\n    t = s\n    s += 1\n    x[0] = t", "another name or tensor shares"),
    ("for v in x:\n        v += 1", "another name or tensor shares"),
    ("y = x.view(-1)\n    y[0] = 1", "shares it"),
    ("y = x.expand(2, -1)\n    x[0] = 1\n    x[1] = y.sum()", "shares it"),
    ("x.sum().add_(1)", "a method that changes a tensor that is made here"),
]


def read(body: str) -> None:
    """Read a function of a vector of floats and one of bytes."""
    text = f"{HEAD}def f(x: \"Float[torch.Tensor, 'n']\", i: \"Int8[torch.Tensor, 'n']\"):\n    {body}\n"
    import_python(parse_source(Path("port.py"), text), "f")


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_random_statements_do_what_pytorch_does(start: int) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    found = [one(random.Random(f"test {number}")) for number in range(start, start + 100)]
    assert [text for fate, text in found if fate == "DIFFER"] == []
    assert sum(fate == "agree" for fate, _ in found) >= 50


@pytest.mark.parametrize("expression, message", REFUSED, ids=[each for each, _ in REFUSED])
def test_what_is_refused(expression: str, message: str) -> None:
    with pytest.raises(Unsupported) as refused:
        read(f"return {expression}")
    assert message in refused.value.diagnostic.message
    assert refused.value.diagnostic.location.line == 10 if "NumPy and" not in message else True


@pytest.mark.parametrize("body, message", CHANGED, ids=[each for each, _ in CHANGED])
def test_elements_that_are_shared_and_change(body: str, message: str) -> None:
    with pytest.raises(Unsupported) as refused:
        read(body)
    assert message in refused.value.diagnostic.message


def test_what_the_prelude_refuses_stands_where_it_is_called() -> None:
    with pytest.raises(Unsupported) as refused:
        read("return F.softmax(x, dim=1)")
    assert (refused.value.diagnostic.location.line, "F.softmax: axis=dim") == (10, refused.value.diagnostic.message[:19])
