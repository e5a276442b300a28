"""Summaries over arrays of several axes: covered, written as code, and run in both libraries."""

from __future__ import annotations

import ast
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from drivers.tensor import driver
from metalift.codegen import GenerateRequest, generate
from metalift.ir.expr.nodes import Expr, MakeTuple, Var, type_of
from metalift.ir.expr.types import DOUBLE, INT32, TensorType, TupleType, Type
from metalift.ir.interp.interpret import Tensor, Value, evaluate
from metalift.ir.program.assumption import Assumption, Overlap
from metalift.ir.program.fragment import Fragment, Location, Param, ParamKind
from metalift.ir.program.summary import Summary
from metalift.ir.text import parse
from metalift.synth.cover import cover
from tests.support.lazily import module

torch = module("torch")

TYPES: dict[str, Type] = {
    **dict.fromkeys("abc", TensorType(DOUBLE, 2)),
    **dict.fromkeys(("t", "u"), TensorType(DOUBLE, 3)),
    **dict.fromkeys("xyz", TensorType(DOUBLE)),
    **dict.fromkeys("mnk", INT32),
    "f": DOUBLE,
}
EACH = "for i < int(m), j < int(n)"
# What is stored in c or returned, and the last lines of the code for PyTorch.
COVERS = {
    f"c, [i, j] = a[i, j] * f {EACH}": "c[:m, :n] = a[:m, :n] * f",
    f"c, [i, j] = a[i, j] * f + b[i, j] * (1 - f) {EACH}": "c[:m, :n] = a[:m, :n] * f + b[:m, :n] * (1.0 - f)",
    f"c, [i, j] = c[i, j] + f * x[j] {EACH}": "c[:m, :n] = c[:m, :n] + f * x[:n]",
    f"c, [i, j] = a[i, j] + x[i] {EACH}": "c[:m, :n] = a[:m, :n] + x[:m, None]",
    f"c, [i, j] = 0 {EACH}": "c[:m, :n] = 0.0",
    f"c, [i, j] = x[j] {EACH}": "c[:m, :n] = x[:n].expand(m, n)",
    f"c, [i, j] = x[i] * y[j] {EACH}": "c[:m, :n] = torch.outer(x[:m], y[:n])",
    f"c, [i, j] = fold(int(k), 0, s, p: s + a[i, p] * b[p, j]) {EACH}": "c[:m, :n] = torch.mm(a[:m, :k], b[:k, :n])",
    f"c, [i, j] = fold(int(k), 0, s, p: s + a[i, p] * b[j, p]) {EACH}": "c[:m, :n] = torch.mm(a[:m, :k], b[:n, :k].T)",
    f"c, [i, j] = fold(int(k), 0, s, p: s + a[p, i] * b[p, j]) {EACH}": "c[:m, :n] = torch.mm(a[:k, :m].T, b[:k, :n])",
    f"c, [i, j] = fold(int(k), c[i, j], s, p: s + a[i, p] * b[p, j]) {EACH}": (
        "c[:m, :n] = c[:m, :n] + torch.mm(a[:m, :k], b[:k, :n])"
    ),
    f"c, [j, i] = a[i, j] {EACH}": "c[:n, :m] = a[:m, :n].T",
    f"c, [i, j] = a[j, i] {EACH}": "c[:m, :n] = a[:n, :m].T",
    f"c, [i, j] = a[int(m) - 1 - i, j] {EACH}": "c[:m, :n] = torch.flip(a[:m, :n], (0,))",
    f"c, [int(m) - 1 - i, j] = a[i, j] {EACH}": "c[:m, :n] = torch.flip(a[:m, :n], (0,))",
    f"c, [i + 1, 2 * j] = a[i, j + 1] {EACH}": "c[1 : m + 1, : 2 * n : 2] = a[:m, 1 : n + 1]",
    "c, [i, int(n)] = x[i] for i < int(m)": "c[:m, n] = x[:m]",
    "c, [2, j] = a[0, j] * f for j < int(n)": "c[2, :n] = a[0, :n] * f",
    "c, [i, i] = x[i] for i < int(m)": "c[torch.arange(m, device=c.device), torch.arange(m, device=c.device)] = x[:m]",
    "c, [int(m), int(n)] = f": "c[m, n] = f",
    "z, [i] = fold(int(n), 0, s, p: s + a[i, p]) for i < int(m)": "z[:m] = torch.sum(a[:m, :n], dim=1)",
    "z, [j] = fold(int(m), 0, s, p: s + a[p, j]) for j < int(n)": "z[:n] = torch.sum(a[:m, :n], dim=0)",
    "z, [i] = fold(int(n), 0, s, p: s + a[i, p] * x[p]) for i < int(m)": "z[:m] = torch.mv(a[:m, :n], x[:n])",
    "z, [i] = fold(int(n), a[i, 0], s, p: max(s, a[i, p])) for i < int(m)": "z[:m] = torch.amax(a[:m, :n], dim=1)",
    "z, [j] = a[int(m), j] for j < int(n)": "z[:n] = a[m, :n]",
    "z, [i] = a[i, 1] for i < int(m)": "z[:m] = a[:m, 1]",
    "z, [i] = t[i, 1, int(n)] * f for i < int(m)": "z[:m] = t[:m, 1, n] * f",
    f"c, [i, j] = t[1, j, i] {EACH}": "c[:m, :n] = t[1, :n, :m].T",
    f"u, [i, j, p] = t[i, j, p] * f {EACH}, p < int(k)": "u[:m, :n, :k] = t[:m, :n, :k] * f",
    f"u, [p, i, j] = a[i, j] * x[p] {EACH}, p < int(k)": None,
    f"return [a[i, j] * 2 {EACH}]": "return a[:m, :n] * 2.0",
    "return [a[i, j] * 2 for i < int(m), j < (int(n) if 0 < int(m) else 0)]": "return a[:m, :n] * 2.0",
    "return [a[j, i] for i < int(m), j < int(n)]": "return a[:n, :m].T.clone()",
    "return fold(int(m), 0.0:f64, s, i: fold(int(n), s, r, j: r + a[i, j]))": "return torch.sum(a[:m, :n])",
    "return (fold(int(n), 0.0:f64, s, i: s + x[i]), [x[j] * f for j < int(n)])": "return torch.sum(x[:n]), x[:n] * f",
    "return (a[0, 1], int(m) * 2)": "return a[0, 1].clone(), m * 2",
}


def summary_of(text: str) -> Summary:
    """The summary in the short form above."""
    if text.startswith("return "):
        return Summary((), (), (("return", parse(text.removeprefix("return "), TYPES)),))
    return Summary((), (), ((text[0], parse(f"update({text})", TYPES)),))


def params_of(value: Expr) -> tuple[Param, ...]:
    """All names that the short form may use, as pointers and numbers."""
    kinds = {name: ParamKind.POINTER if isinstance(type_, TensorType) else ParamKind.VALUE for name, type_ in TYPES.items()}
    return tuple(Param(Var(name, type_), kinds[name], "") for name, type_ in TYPES.items())


def environment(chosen: random.Random, most: int) -> dict[str, Value]:
    """Small sizes, and arrays that are larger than what is accessed."""
    env: dict[str, Value] = {name: chosen.randint(0 if most < 2 else 1, most) for name in "mnk"}
    for name, type_ in TYPES.items():
        if isinstance(type_, TensorType):
            shape = tuple(2 * most + 3 + axis for axis in range(type_.rank))
            count = int(np.prod(shape))
            env[name] = Tensor(shape, [Fraction(chosen.randint(-9, 9)) for _ in range(count)])
    return {**env, "f": Fraction(3)}


def array(value: Value) -> Any:  # noqa: ANN401 - of numbers
    """The numbers of a value."""
    if isinstance(value, Tensor):
        return np.array([float(cell) for cell in value.cells]).reshape(value.shape)  # type: ignore[arg-type]
    return np.array(value, dtype=float)


@pytest.mark.parametrize("text", COVERS)
def test_code_over_several_axes(text: str) -> None:
    summary = summary_of(text)
    [(output, value)] = summary.outputs
    result = type_of(value) if output == "return" else None
    fragment = Fragment("g", params_of(value), result, (), (), Location("g.cc", 1), "")
    others = [] if output == "return" else [name for name in "abxytu" if name != output]
    apart = tuple(Assumption("", arrays=(output, other), overlap=Overlap.DISJOINT) for other in others)
    for target in ("numpy", "pytorch"):
        program = cover(summary, fragment, driver, target)
        request = GenerateRequest(fragment, summary, program, driver, driver.target(target), apart)
        generated = generate(request)
        if target == "pytorch" and COVERS[text] is not None:
            body = [line.strip() for line in generated.text.splitlines() if line.strip()]
            assert COVERS[text] in body[-2:]
        functions = [each for each in ast.parse(generated.text).body if isinstance(each, ast.FunctionDef)]
        assert not any(isinstance(node, ast.For | ast.ListComp) for node in ast.walk(functions[-1]))  # of the others, guards have
        runs(generated.text, summary, target)


def runs(text: str, summary: Summary, target: str) -> None:
    """Runs the code beside the interpreter."""
    scope: dict[str, Any] = {}
    exec(compile(text, "generated.py", "exec"), scope)
    [(output, value)] = summary.outputs
    for seed in range(9):
        env = environment(random.Random(seed), seed % 5)
        if "n >= 1" in text and env["n"] == 0:
            continue
        given = {name: array(each) if isinstance(each, Tensor) else each for name, each in env.items()}
        given["f"] = 3.0
        if target == "pytorch":
            given = {name: torch.tensor(each) if isinstance(each, np.ndarray) else each for name, each in given.items()}
        found = scope["g"](*(given[name] for name in TYPES))
        wanted = evaluate(value, env)
        if isinstance(value, MakeTuple) and isinstance(type_of(value), TupleType):
            pairs = list(zip(found, wanted, strict=True))  # type: ignore[arg-type]
        else:
            pairs = [(found, wanted)]
        for one, other in pairs:
            assert np.array_equal(np.asarray(one), array(other)) or np.asarray(one).size == array(other).size == 0
