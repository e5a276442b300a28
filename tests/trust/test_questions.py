"""Questions for NaN and infinities stay questions: proofs take them for any function of a float, and the code asks them, too."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path

import numpy as np
import pytest

from metalift import lift
from metalift.frontend import import_function, open_source
from metalift.frontend.lower.questions import PREMISE
from metalift.ir.expr.types import DOUBLE, INT, TensorType, Type
from metalift.ir.program.fragment import Unsupported
from metalift.ir.text import parse
from metalift.prove.prover import prove
from metalift.prove.solver import SolverPool
from metalift.result.verdict import FunctionVerdict
from tests.support.compiled import shared_library
from tests.support.generated import load_function

SOURCE = """
#include <math.h>
double total(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) if (x[i] == x[i]) s += x[i]; return s; }
int missing(const double *x, int n) { int k = 0; for (int i = 0; i < n; i++) if (isnan(x[i])) k++; return k; }
int usable(const double *x, int n) { int k = 0; for (int i = 0; i < n; i++) if (isfinite(x[i])) k++; return k; }
int unlimited(const double *x, int n) { int k = 0; for (int i = 0; i < n; i++) if (isinf(x[i])) k++; return k; }
int signs(const double *x, int n)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        k += isinf(x[i]) > 0 ? 3 : isinf(x[i]);
    return k;
}
int below(const double *x, int n) { int k = 0; for (int i = 0; i < n; i++) if (x[i] == -INFINITY) k++; return k; }
int some(const double *x, int n) { for (int i = 0; i < n; i++) if (isnan(x[i]) || isinf(x[i])) return 1; return 0; }
double mean(const double *x, int n)
{
    double s = 0;
    int k = 0;
    for (int i = 0; i < n; i++)
        if (!isnan(x[i])) {
            s += x[i];
            k++;
        }
    return k ? s / k : 0;
}
double largest(const double *x, int n)
{
    double m = x[0];
    for (int i = 0; i < n; i++) {
        if (isnan(x[i]))
            return x[i];
        if (x[i] > m)
            m = x[i];
    }
    return m;
}
"""
REFUSED = """
#include <math.h>
#define LEAST double m = INFINITY; for (int i = 0; i < n; i++) if (x[i] < m) m = x[i];
double equal(const double *x, int n) { LEAST if (m == INFINITY) return -1; return m; }
double above(const double *x, int n) { LEAST return m > 1.7976931348623157e308 ? -1 : m; }
double asked(const double *x, int n) { LEAST if (isinf(m)) return -1; return m; }
double usable(const double *x, int n) { LEAST if (!isfinite(m)) return -1; return m; }
"""
PYTHON = """
import math
import numpy as np
from numpy.typing import NDArray

def missing(x: NDArray[np.float64]) -> int:
    k = 0
    for v in x:
        if math.isnan(v):
            k += 1
    return k

def unequal(x: NDArray[np.float64]) -> int:
    k = 0
    for v in x:
        if v != v:
            k += 1
    return k

def replaced(x: NDArray[np.float64]):
    return np.where(np.isnan(x) | np.isinf(x), 0.0, x)

def kept(x: NDArray[np.float64]):
    return np.sum(x[np.isfinite(x)])
"""
OVERFLOWING = """
import numpy as np
from numpy.typing import NDArray

def overflows(x: NDArray[np.float32]) -> NDArray[np.bool_]:
    for i in range(len(x)):
        x[i] = 1e300
    return np.isinf(x)
"""
COMPUTED = """
#include <math.h>
int quotient(double a, double b) { return isinf(a / b); }
int narrowed(double a) { return isinf((float)a); }
#define EACH for (int i = 0; i < n; i++)
int product(const double *x, int n) { int k = 0; EACH k += isnan(x[i] * 0) ? 1 : 0; return k; }
int stored(double *x, int n) { int k = 0; EACH { x[i] /= n; k += isnan(x[i]) ? 1 : 0; } return k; }
double least(const double *x, int n) { double m = x[0]; EACH if (x[i] < m) m = x[i]; return isnan(m) ? 0 : m; }
double chosen(const double *x, int n, int c) { double a = c ? x[0] : x[n]; return isnan(a) ? 0 : a; }
double copied(double *x, const double *y, int n) { EACH x[i] = y[i] * 2; return isinf(x[0]) ? 0 : 1; }
"""
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -2.5, 3.0, 1.0]


def rows() -> list[np.ndarray]:
    """Inputs with NaN and infinities at all places."""
    return [np.roll(np.array(SPECIAL), by)[:length].copy() for by in range(len(SPECIAL)) for length in range(1, len(SPECIAL) + 1)]


def test_code_from_c_answers_for_nan_and_infinities_as_the_source_does(tmp_path: Path) -> None:
    source = tmp_path / "questions.c"
    source.write_text(SOURCE)
    compiled = shared_library(source, tmp_path)
    for found in lift(source, to=("numpy",), out=tmp_path / "out").functions:
        assert found.verdict is FunctionVerdict.PROVED, (found.name, found.diagnostics)
        made = load_function(tmp_path / "out" / "numpy" / f"{found.name}.py", found.name)
        original = getattr(compiled, found.name)
        original.restype = ctypes.c_double if f"double {found.name}(" in SOURCE else ctypes.c_int
        for row in rows():
            with np.errstate(invalid="ignore"):
                of_code = made(row, len(row))
            np.testing.assert_equal(of_code, original(row.ctypes.data_as(ctypes.c_void_p), len(row)))


def test_code_from_python_answers_for_nan_and_infinities_as_the_source_does(tmp_path: Path) -> None:
    source = tmp_path / "questions.py"
    source.write_text(PYTHON)
    for found in lift(source, to=("numpy",), out=tmp_path / "out").functions:
        assert found.verdict is FunctionVerdict.PROVED, (found.name, found.diagnostics)
        made = load_function(tmp_path / "out" / "numpy" / f"{found.name}.py", found.name)
        original = load_function(source, found.name)
        for row in rows():
            np.testing.assert_equal(made(row), original(row))


def test_no_infinity_is_asked_for_where_a_number_stands_for_one(tmp_path: Path) -> None:
    source = tmp_path / "questions.c"
    source.write_text(REFUSED)
    for found in lift(source, to=("numpy",), out=tmp_path / "out").functions:
        assert found.verdict is FunctionVerdict.UNSUPPORTED
        assert "a question for infinities where a loop starts from one" in str(found.diagnostics)


def test_no_question_is_asked_of_what_is_computed(tmp_path: Path) -> None:
    """Floats are infinite where real numbers are not: by a division by 0, or a cast."""
    source = tmp_path / "computed.c"
    source.write_text(COMPUTED)
    for found in lift(source, to=("numpy",), out=tmp_path / "out").functions:
        assert found.verdict is FunctionVerdict.UNSUPPORTED, found.name
        assert "a question for NaN or infinities of what is computed" in str(found.diagnostics)
    (source := tmp_path / "overflows.py").write_text(OVERFLOWING)
    (found,) = lift(source, to=("numpy",), out=tmp_path / "out").functions
    assert found.verdict is FunctionVerdict.UNSUPPORTED, "1e300 is an infinity in an array of np.float32"


def test_variables_that_are_swapped_again_and_again_are_followed_once(tmp_path: Path) -> None:
    """In 2 ** 40 ways from the last to the first."""
    source = tmp_path / "swapped.c"
    swaps = " ".join(f"if (n & {1 << (bit % 30)}) {{ t = a; a = b; b = t; }}" for bit in range(40))
    source.write_text(f"#include <math.h>\nint f(double a, double b, int n) {{ double t; {swaps} return isnan(a) ? 2 : 1; }}\n")
    with pytest.raises(Unsupported, match="a question for NaN or infinities of what is computed"):
        import_function(open_source(source), "f")


def test_no_float_is_nan_where_what_is_computed_is_compared_with_itself(tmp_path: Path) -> None:
    source = tmp_path / "computed.c"
    source.write_text(COMPUTED.replace("isnan(m)", "m != m"))
    (found,) = lift(source, functions=["least"], to=("numpy",), out=tmp_path / "out").functions
    assert found.verdict is FunctionVerdict.PROVED, found.diagnostics
    assert "no float is NaN" in {one.text for one in found.assumptions}


def test_elements_may_be_replaced_in_place(tmp_path: Path) -> None:
    source = tmp_path / "replaced.c"
    loop = "for (int i = 0; i < n; i++) if (isnan(x[i]) || isinf(x[i])) x[i] = v;"
    source.write_text(f"#include <math.h>\nvoid replaced(float *x, int n, float v) {{ {loop} }}\n")
    (found,) = lift(source, to=("numpy",), out=tmp_path / "out").functions
    assert found.verdict is FunctionVerdict.PROVED, found.diagnostics
    assert PREMISE.text in {one.text for one in found.assumptions}
    made = load_function(tmp_path / "out" / "numpy" / "replaced.py", "replaced")
    row = np.array(SPECIAL, np.float32)
    made(row, len(row), np.float32(7))
    np.testing.assert_equal(row, np.array([7, 7, 7, 0, -2.5, 3, 1], np.float32))


@pytest.mark.parametrize("formula", ["not isnan(a)", "not isinf(x[n])", "isnan(a) == isinf(a)", "isnan(a) == isnan(a + 0.0:f64)"])
def test_nothing_is_proved_from_floats_being_numbers(formula: str, pool: SolverPool) -> None:
    names: dict[str, Type] = {"n": INT, "a": DOUBLE, "x": TensorType(DOUBLE, 1)}
    proof = prove((), parse(formula, names), pool, 2)
    assert proof.verdict.name == ("PROVED" if "+" in formula else "UNKNOWN")
