"""Arrays that cannot be changed: the generated function returns new ones; 64 bits in JAX are asked for, never assumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metalift import lift
from metalift.result import FunctionResult
from metalift.result.verdict import Agreement, FunctionVerdict
from tests.support.generated import load_function

SOURCE = """
void scale(float *o, const float *x, float s, int n) { for (int i = 0; i < n; i++) o[i] = s * x[i]; }
void swap(float *a, float *b, int n) { for (int i = 0; i < n; i++) { float t = a[i]; a[i] = b[i]; b[i] = t; } }
void evens(double *o, const double *x, int n) { for (int i = 0; i < n; i++) o[2 * i] = x[i] + 1; }
"""
LIBRARIES = {"jax": "jax", "tensorflow": "tensorflow", "mlx": "mlx.core"}


def lifted(target: str, names: list[str], folder: Path) -> dict[str, FunctionResult]:
    """The functions, proved; their code agrees with the source, also where one array is passed twice."""
    pytest.importorskip(LIBRARIES[target], reason=f"{target} is not installed")
    source = folder / "kernels.c"
    source.write_text(SOURCE, encoding="utf-8")
    result = lift(source, functions=names, to=[target], out=folder / "out")
    found: dict[str, FunctionResult] = {each.name: each for each in result.functions}
    for function in found.values():
        assert function.verdict is FunctionVerdict.PROVED, function.diagnostics
        assert function.targets[target].checked is Agreement.AGREES, function.targets[target].engine
    return found


def text_of(function: FunctionResult, target: str) -> str:
    file = function.targets[target].file
    assert file is not None
    return Path(file).read_text(encoding="utf-8")


def test_jax_arrays_are_returned_anew(tmp_path: Path) -> None:
    import jax.numpy as jnp

    found = lifted("jax", ["scale", "swap"], tmp_path)
    scale = text_of(found["scale"], "jax")
    assert "o = o.at[:n].set(" in scale and "returned anew" in scale and "in place" not in scale and "_check_same" not in scale
    assert "x64" not in scale
    function = load_function(tmp_path / "out/jax/scale.py", "scale")
    o, x = jnp.zeros(4), jnp.ones(3)
    assert function(o, x, 2.0, 3).tolist() == [2.0, 2.0, 2.0, 0.0] and o.tolist() == [0.0] * 4
    assert function(x, x, 2.0, 2).tolist() == [2.0, 2.0, 1.0]
    swap = load_function(tmp_path / "out/jax/swap.py", "swap")
    assert [each.tolist() for each in swap(o, x, 2)] == [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


def test_jax_code_of_64_bits_asks_for_them(tmp_path: Path) -> None:
    import jax
    import jax.numpy as jnp

    found = lifted("jax", ["evens"], tmp_path)
    assert "if not jax.config.jax_enable_x64:" in text_of(found["evens"], "jax")
    function = load_function(tmp_path / "out/jax/evens.py", "evens")
    before = jax.config.jax_enable_x64
    try:
        jax.config.update("jax_enable_x64", False)
        with pytest.raises(ValueError, match="jax_enable_x64"):
            function(jnp.zeros(4), jnp.ones(2), 2)
        jax.config.update("jax_enable_x64", True)
        assert function(jnp.zeros(4), jnp.ones(2), 2).tolist() == [2.0, 0.0, 2.0, 0.0]
    finally:
        jax.config.update("jax_enable_x64", before)


def test_tensorflow_tensors_are_returned_anew(tmp_path: Path) -> None:
    found = lifted("tensorflow", ["swap", "evens"], tmp_path)
    assert "tf.concat([new_b, b[n:]], 0)" in text_of(found["swap"], "tensorflow")
    assert "tf.tensor_scatter_nd_update(" in text_of(found["evens"], "tensorflow")


def test_mlx_arrays_are_written_in_place(tmp_path: Path) -> None:
    import mlx.core as mx

    lifted("mlx", ["scale", "swap"], tmp_path)
    swap = load_function(tmp_path / "out/mlx/swap.py", "swap")
    a, b = mx.zeros(2), mx.ones(3)
    assert swap(a, b, 2)[0] is a
    assert (a.tolist(), b.tolist()) == ([1.0, 1.0], [0.0, 0.0, 1.0])


@pytest.mark.parametrize("wrong", ["o", "o.at[:n].set(x[:n])", "o.at[: n + 1].set(s * x[0])"])
def test_wrong_code_for_new_arrays_differs(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is returned is compared, not what was passed."""
    pytest.importorskip("jax", reason="jax is not installed")
    from metalift.codegen import generate
    from metalift.codegen.request import Generated, GenerateRequest

    def changed(request: GenerateRequest) -> Generated:
        made = generate(request)
        head, _, _ = made.text.rpartition("    o = ")
        imports = "" if "import jax.numpy" in head.rpartition('"""')[0] else "    import jax.numpy as jnp\n"
        return Generated(f"{head}{imports}    o = {wrong}\n    return o\n", made.guarded, made.function, made.written)

    monkeypatch.setattr("metalift.pipeline.target.generate", changed)
    source = tmp_path / "kernels.c"
    source.write_text(SOURCE, encoding="utf-8")
    (function,) = lift(source, functions=["scale"], to=["jax"]).functions
    target: Any = function.targets["jax"]
    assert target.checked is Agreement.DIFFERS and function.verdict is FunctionVerdict.ERROR
