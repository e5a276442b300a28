"""Kernels in NKI that people edited, from their text to a verdict; wrong ones, of which none is equal."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.cli import main
from metalift.pipeline.equivalence import EquivResult, EquivVerdict
from metalift.pipeline.hand_tuned import compared
from metalift.result.errors import UsageError

HERE = Path(__file__).parent / "hand_tuned"
SOURCES = Path(__file__).parents[2] / "benchmarks" / "llama"
SCALE = """
void scaled(float *y, const float *x, int n, float t) { for (int i = 0; i < n; i++) y[i] = x[i] * t; }
void apart(float *y, const float *x, const float *z, int n) { for (int i = 0; i < n; i++) y[i] = x[i] - z[i]; }
"""
HEAD = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n"
TUNED = (
    HEAD
    + """
@nki.jit
def tuned(x, n, t):
    out = nl.ndarray((n,), dtype=nl.float32, buffer=nl.shared_hbm)
    for block in nl.affine_range((n + 511) // 512):
        width = min(512, n - 512 * block)
        tile = nl.ndarray((1, width), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(tile, x.ap([[1, 1], [1, width]], offset=512 * block))
        made = nl.ndarray((1, width), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(made, nl.copy, tile, scale=t)
        nisa.dma_copy(out.ap([[1, 1], [1, width]], offset=512 * block), made)
    return out


def scaled(y, x, n, t):
    z = tuned(x, n, t)
    y[:n] = z
    return y
"""
)


def judged(folder: Path, text: str, function: str = "scaled") -> EquivResult:
    """The verdict on a text."""
    source, tuned = folder / "source.c", folder / "tuned.py"
    source.write_text(SCALE)
    tuned.write_text(text)
    return compared(source, tuned, functions=(function, function), timeout=5.0)


def edited(*pairs: tuple[str, str]) -> str:
    """The kernel with some parts in the place of others."""
    text = TUNED
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("source", "tuned"), [("matmul.c", "matmul_rows.py"), ("matmul.c", "matmul_blocks.py"), ("rmsnorm.c", "rmsnorm.py")]
)
def test_a_kernel_that_was_edited_is_proved(source: str, tuned: str) -> None:
    found = compared(SOURCES / source, HERE / tuned)
    assert found.verdict is EquivVerdict.EQUAL_WHERE, found.reason
    assert all(condition.startswith("0 <= int(") for condition in found.where)
    assert found.inputs > 40


WRONG = {
    "a stale tile": ("matmul.c", "matmul_rows.py", "nisa.tensor_tensor(acc, acc, part, nl.add)", "nisa.tensor_copy(acc, part)"),
    "a dropped remainder": ("matmul.c", "matmul_rows.py", "(n + 255) // 256", "n // 256"),
    "a wrong slice": ("matmul.c", "matmul_blocks.py", "[1, 1]], 64 * k)", "[1, 1]], 0)"),
    "a missing sum over partitions": (
        "rmsnorm.c", "rmsnorm.py", "stationary=one_part_4, moving=one_ones_7", "stationary=one_ones_7, moving=one_ones_7",
    ),
    "a product where a quotient was": ("rmsnorm.c", "rmsnorm.py", "scale=1.0 / float(size)", "scale=float(size)"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_edit_is_not_proved(what: str, tmp_path: Path) -> None:
    source, tuned, old, new = WRONG[what]
    text = (HERE / tuned).read_text()
    assert old in text
    (tmp_path / "tuned.py").write_text(text.replace(old, new))
    found = compared(SOURCES / source, tmp_path / "tuned.py", timeout=5.0)
    assert found.verdict in (EquivVerdict.UNKNOWN, EquivVerdict.DIFFERENT)


def test_the_command_says_where_a_kernel_is_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "source.c").write_text(SCALE)
    (tmp_path / "tuned.py").write_text(TUNED)
    files, folder = [f"{tmp_path}/source.c:scaled", f"{tmp_path}/tuned.py"], str(tmp_path / "claim")
    assert main(["equiv", *files, "--assume", "n >= 0", "--certificate", folder]) == 0
    assert "\nEQUAL\n" in capsys.readouterr().out
    assert main(["check", folder]) == 0


def test_what_runs_differently_is_different(tmp_path: Path) -> None:
    found = judged(tmp_path, edited(("scale=t)", "scale=2.0)")))
    assert found.verdict is EquivVerdict.DIFFERENT
    assert "source y[" in found.reason


HOSTILE = {
    "a tile of the last iteration": (("    return out", "    nisa.memset(tile, 0.0)\n    return out"),),
    "iterations in any order that add up": (
        ("    for block", "    acc = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)\n    for block"),
        ("        nisa.activation", "        nisa.memset(acc, 1.0)\n        nisa.activation"),
    ),
    "a number that is divided by 0 where the source does nothing": (("scale=t)", "scale=t * float(n) * (1.0 / float(n)))"),),
    "a root of what may be negative": (
        ("scale=t)", "scale=math.sqrt(t) * math.sqrt(t))"), ("import nki\n", "import math\nimport nki\n"),
    ),
    "a minimum that is none": (("\n@nki.jit", "\ndef min(a, b):\n    return a\n\n\n@nki.jit"),),
    "an annotation that runs": (("def scaled(y, x, n, t)", "def scaled(y, x, n, t: setattr(nisa, 'memset', None))"),),
    "a default that runs": (("def scaled(y, x, n, t)", "def scaled(y, x, n, t=print(1))"),),
    "results put elsewhere": (("y[:n] = z", "x[:n] = z"),),
    "parameters in another order": (("def tuned(x, n, t)", "def tuned(x, t, n)"),),
    "a column beside a wide tile": (
        ("        nisa.activation(made, nl.copy, tile, scale=t)",
         "        one = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)\n        nisa.memset(one, t)\n"
         "        nisa.tensor_tensor(made, tile, one, nl.multiply)"),
    ),
    "a name that changes": (("        nisa.activation", "        block = 0\n        nisa.activation"),),
    "several targets": (("        width = ", "        width = other = "),),
    "another module": (("import nki.isa as nisa", "import nki.language as nisa"),),
    "a type that saturates": (
        ("made = nl.ndarray((1, width), dtype=nl.float32", "made = nl.ndarray((1, width), dtype=nl.int32"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_not_read_is_refused_with_its_line(what: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"tuned\.py: line \d+: "):
        judged(tmp_path, edited(*HOSTILE[what]))


UNPROVED = {
    "elements that are written twice": (("(n + 511) // 512", "(n + 255) // 256"), ("512 * block", "256 * block")),
    "a store that only some sizes have": (
        ("        nisa.dma_copy(out", "        if n < 4096:\n            nisa.dma_copy(out"),
    ),
    "a tile that is too wide": (("511", "65535"), ("512", "65536")),
    "one element more": (("min(512, n - 512 * block)", "min(512, n - 512 * block + 1)"),),
    "nothing in a tile": (("        nisa.dma_copy(tile, x.ap([[1, 1], [1, width]], offset=512 * block))\n", ""),),
}  # fmt: skip


@pytest.mark.parametrize("what", UNPROVED)
def test_what_is_read_and_wrong_is_not_proved(what: str, tmp_path: Path) -> None:
    found = judged(tmp_path, edited(*UNPROVED[what]))
    assert found.verdict in (EquivVerdict.UNKNOWN, EquivVerdict.DIFFERENT)


def test_the_order_of_operands_counts(tmp_path: Path) -> None:
    text = edited(
        ("def tuned(x, n, t)", "def tuned(x, z, n)"),
        ("    z = tuned(x, n, t)\n    y[:n] = z", "    found = tuned(x, z, n)\n    y[:n] = found"),
        ("def scaled(y, x, n, t)", "def apart(y, x, z, n)"),
        ("        nisa.activation(made, nl.copy, tile, scale=t)",
         "        other = nl.ndarray((1, width), dtype=nl.float32, buffer=nl.sbuf)\n"
         "        nisa.dma_copy(other, z.ap([[1, 1], [1, width]], offset=512 * block))\n"
         "        nisa.tensor_tensor(made, tile, other, nl.subtract)"),
    )  # fmt: skip
    assert judged(tmp_path, text, "apart").verdict is EquivVerdict.EQUAL_WHERE
    turned = text.replace("made, tile, other", "made, other, tile")
    assert judged(tmp_path, turned, "apart").verdict is EquivVerdict.DIFFERENT
