"""Kernels over compressed arrays: what is proved, and that nothing is proved of arrays that are bound in a wrong way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import metalift
from benchmarks.bindings import bindings
from benchmarks.configurations import Found, differs, found, proved
from metalift.driver import CannotWrite, Request, Written
from metalift.driver.files import load
from metalift.frontend import import_function, open_source
from metalift.prove.solver import SolverPool
from metalift.synth.cover import NotCovered, cover
from metalift.synth.derive import derive

SUITE = Path(__file__).parents[2] / "benchmarks" / "sparse"
STATEMENTS = {
    "csr_matrix_vector csr_matvec": "y(i) = A(i,k) * x(k)",
    "csr_matrix_vector csr_matvec_add": "y(i) = y1(i) + A(i,k) * x(k)",
    "csc_matrix_vector csc_matvec": "y(i) = A(i,j) * x(j)",
    "coo_matrix_vector coo_matvec": "y(i) = A(i,k) * x(k)",
    "csr_matrix_matrix csr_matmat": "c(i,j) = A(i,r) * b(r,j)",
    "csf_mttkrp csf_mttkrp": "d(i,j) = A(i,r,s) * b(r,j) * c(s,j)",
    "csr_sampled csr_sddmm": "s(i,j) = A(i,j) * b(i,t) * c(j,t)",
}


def text_of(one: Found) -> str:
    """The Python of a program."""
    write = load("taco").driver.target("tensora").write
    assert write is not None
    formulas = (*one.summary.requires, *one.program.requires)
    made = write(Request(one.fragment, one.summary, one.program, tuple("it" for _ in formulas), formulas=formulas, thorough=True))
    assert isinstance(made, Written) and all(made.checked)
    return made.text


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_statement_is_what_the_loops_compute(name: str) -> None:
    """Each in the index notation that a person would have written."""
    file, function = name.split()
    assert f'"{STATEMENTS[name]}"' in text_of(found(SUITE / f"{file}.c", function, "tensora"))


@pytest.mark.quick("csr_matrix_matrix-csr_matmat")  # the other one is among the kernels of the suites
@pytest.mark.parametrize("file, function", [("csr_matrix_vector", "csr_matvec"), ("csr_matrix_matrix", "csr_matmat")])
def test_a_kernel_is_proved_and_agrees(file: str, function: str) -> None:
    """From the source to a run beside it."""
    pytest.importorskip("tensora", reason="the extra taco is not installed")
    result = metalift.lift(SUITE / f"{file}.c", functions=[function], to=["tensora"], timeout=60)
    assert result.ok


def test_wrong_bindings_are_not_proved() -> None:
    """Arrays exchanged, `pos` one element further on, CSR as CSC, rows and columns exchanged."""
    one = found(SUITE / "csr_matrix_vector.c", "csr_matvec", "tensora")
    wrong = list(bindings(one))
    assert len(wrong) >= 5
    with SolverPool(1) as pool:
        for what, program in wrong:
            assert not proved(one, program, pool), what
    assert any(differs(one, program) for _, program in wrong)


BESIDE_SCIPY: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "csr_matrix_vector csr_matvec": ("m pos crd vals x y", lambda a, g: a @ g["x"]),
    "csr_transpose_product csr_transpose_matvec": ("m n pos crd vals z y", lambda a, g: a.T @ g["z"]),
    "csr_matrix_matrix csr_matmat": ("m k pos crd vals b c", lambda a, g: (a @ g["b"].reshape(-1, 3)).ravel()),
    "csr_elementwise csr_add": ("m n pos crd vals w c", lambda a, g: (a.toarray() + g["w"].reshape(a.shape)).ravel()),
    "csr_elementwise csr_multiply": ("m n pos crd vals w c", lambda a, g: (a.toarray() * g["w"].reshape(a.shape)).ravel()),
    "csr_sampled csr_sddmm": (
        "m n k pos crd vals u v c",
        lambda a, g: a.multiply(g["u"].reshape(-1, 3) @ g["v"].reshape(-1, 3).T),
    ),
}


@pytest.mark.parametrize("name", BESIDE_SCIPY)
def test_the_function_computes_what_scipy_does(name: str) -> None:
    """On random matrices, the result by SciPy's own sparse matrices."""
    pytest.importorskip("tensora", reason="the extra taco is not installed")
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    file, function = name.split()
    space: dict[str, Any] = {}
    exec(text_of(found(SUITE / f"{file}.c", function, "tensora")), space)
    np = space["np"]
    params, wanted = BESIDE_SCIPY[name]
    rng = np.random.default_rng(7)
    for m, n, density in ((1, 1, 1.0), (4, 6, 0.4), (7, 3, 0.2), (5, 5, 0.0)):
        matrix = sparse.random_array((m, n), density=density, format="csr", rng=rng)
        matrix.sort_indices()
        given: dict[str, Any] = {"m": m, "n": n, "k": 3, "pos": matrix.indptr, "crd": matrix.indices, "vals": matrix.data}
        sizes = {"x": n, "z": m, "y": max(m, n), "b": n * 3, "c": m * max(n, 3), "w": m * n, "u": m * 3, "v": n * 3}
        given |= {each: rng.random(size) for each, size in sizes.items()}
        given |= {"pos": matrix.indptr.astype(np.int32), "crd": matrix.indices.astype(np.int32)}
        answer = wanted(matrix, given)
        expected = np.ravel(answer.toarray() if sparse.issparse(answer) else answer)
        result = space[function](*(given[each] for each in params.split()))
        np.testing.assert_allclose(result[: len(expected)], expected, rtol=1e-12, atol=1e-14)


GOOD: dict[str, Any] = {"m": 2, "pos": [0, 2, 3], "crd": [0, 2, 1], "vals": [1.0, 2.0, 3.0], "x": [1.0, 10.0, 100.0]}


@pytest.fixture(scope="module")
def matvec() -> Callable[..., Any]:
    """The generated function."""
    pytest.importorskip("tensora", reason="the extra taco is not installed")
    space: dict[str, Any] = {}
    exec(text_of(found(SUITE / "csr_matrix_vector.c", "csr_matvec", "tensora")), space)
    np = space["np"]

    def run(**changed: Any) -> Any:  # noqa: ANN401
        given = {**GOOD, **changed}
        types = {"pos": np.int32, "crd": np.int32}
        arrays = {name: np.array(given[name], types.get(name, float)) for name in ("pos", "crd", "vals", "x")}
        return space["csr_matvec"](given["m"], *arrays.values(), np.zeros(2)).tolist()

    return run


def test_the_function_multiplies(matvec: Callable[..., Any]) -> None:
    """On a matrix of two rows."""
    assert matvec() == [201.0, 30.0]


@pytest.mark.parametrize(
    "changed",
    [
        {"crd": [2, 0, 1]},  # not sorted
        {"crd": [2, 2, 1]},  # twice the same
        {"crd": [0, 3, 1]},  # outside
        {"crd": [-1, 2, 1]},
        {"pos": [1, 2, 3]},  # off by one
        {"pos": [0, 3, 2]},  # falling
        {"pos": [0, 2, 4]},  # beyond the cells
        {"m": 3},
    ],
)
def test_arrays_that_are_no_csr_are_refused(matvec: Callable[..., Any], changed: dict[str, Any]) -> None:
    """By guards of the generated code."""
    with pytest.raises(ValueError, match="is required"):
        matvec(**changed)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) y[i] = i * x[i];",
        "for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : 0;",
        "for (int i = 0; i < n; i++) y[i] = __builtin_sqrt(x[i]);",
        "for (int i = 0; i < n; i++) y[i] = x[p[i]];",
    ],
)
def test_what_is_no_index_notation_is_refused(body: str, tmp_path: Path) -> None:
    """With a reason, before anything is written."""
    path = tmp_path / "kernel.c"
    path.write_text(f"void f(int n, const int *p, const double *x, double *y) {{ {body} }}\n", encoding="utf-8")
    fragment = import_function(open_source(path, (), ()), "f")
    driver = load("taco").driver
    summary = derive(fragment)
    with pytest.raises((NotCovered, CannotWrite)):
        program = cover(summary, fragment, driver, "tensora")
        text_of(Found(fragment, summary, program, driver))


DENSE = {  # a body: the statements
    "for (int i = 0; i < n; i++) y[i] = 2 * in[i] - x[i];": ["y(i) = 2 * in1(i) - x(i)"],
    "for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < n; j++) s += a[i][j] * x[j]; y[i] = s / n + x[i]; }": [
        "y(i) = sum(i) * s() + x(i)",
        "sum(i) = a(i,j) * x(j)",
    ],
    "for (int i = 0; i < n; i++) { double s = x[i]; for (int j = 0; j < n; j++) s -= a[i][j] * in[j]; y[i] = s; }": [
        "y(i) = x(i) - a(i,j) * in1(j)"
    ],
    "for (int i = 0; i < n; i++) { y[2 * i] = x[i]; y[2 * i + 1] = -x[i]; }": ["y(i) = x(i)", "y(i) = 0 - x(i)"],
}


@pytest.mark.parametrize("body", DENSE)
def test_dense_loops_as_index_notation(body: str, tmp_path: Path) -> None:
    """Arrays of one and two axes, parameters with names that mean something in Python, sums that are scaled, several loops."""
    path = tmp_path / "kernel.c"
    params = "int n, double **a, const double *restrict in, const double *restrict x, double *restrict y"
    path.write_text(f"void f({params}) {{ {body} }}\n", encoding="utf-8")
    text = text_of(found(path, "f", "tensora"))
    for statement in DENSE[body]:
        assert f'"{statement}"' in text


def test_integers_are_exact_or_refused(tmp_path: Path) -> None:
    """Sums of products of integers are computed in doubles, which hold those below 2**53."""
    pytest.importorskip("tensora", reason="the extra taco is not installed")
    path = tmp_path / "kernel.c"
    body = "long s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s;"
    path.write_text(f"long dot(int n, const long *x, const long *y) {{ {body} }}\n", encoding="utf-8")
    result = metalift.lift(path, functions=["dot"], to=["tensora"], out=tmp_path / "out", timeout=60)
    assert result.ok
    assert any(str(2**53) in each.text for each in result.functions[0].targets["tensora"].assumptions)
    space: dict[str, Any] = {}
    exec((tmp_path / "out" / "tensora" / "dot.py").read_text(encoding="utf-8"), space)
    array = space["np"].array
    assert space["dot"](2, array([2**26, 3]), array([-(2**26), 5])) == 15 - 2**52
    with pytest.raises(ValueError, match="below 2"):
        space["dot"](2, array([2**53 + 1, 1]), array([1, 1]))
    with pytest.raises(ValueError, match="below 2"):
        space["dot"](2, array([2**52, 2**52]), array([1, -1]))
