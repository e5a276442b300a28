"""The reader of generated code sees what it is there to see."""

from __future__ import annotations

import pytest

from tests.support.tensor_code import forbidden


@pytest.mark.parametrize(
    "statement",
    [
        "for i in range(n): x[i] = 0",
        "while n: n -= 1",
        "x = [v for v in x]",
        "x = sum(v for v in x)",
        "x = np.vectorize(abs)(x)",
        "x = x.sum().item()",
        "x = list(map(abs, x))",
        "return f(x[1:], n - 1)",
    ],
)
def test_is_found(statement: str) -> None:
    assert forbidden(f"def f(x, n):\n    {statement}\n")


def test_plain_tensor_code_passes() -> None:
    assert (
        forbidden("import numpy as np\n\ndef f(x, n):\n    x[:n] = np.sqrt(x[:n]) + np.dot(x[:n], x[:n])\n    return x\n") == []
    )
