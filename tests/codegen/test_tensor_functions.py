"""Functions that take and return tensors: what they take, give and refuse, and which sources keep their own parameters."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import metalift
from metalift.app.api.results import LiftedFunction
from tests.support.lazily import module

torch = module("torch")

SCALE_ROWS = """\
void scale_rows(float *out, const float *x, const float *by, int rows, int cols) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            out[r * cols + c] = x[r * cols + c] * by[c];
}
"""
NORMALISE = """\
void normalise(float *x, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += x[i];
    for (int i = 0; i < n; i++) x[i] /= sum;
}
"""
EVERY_OTHER = """\
void every_other(float *x, int pairs, float by) {
    for (int i = 0; i < pairs; i++) x[2 * i] *= by;
}
"""
ADD = """\
#include <vector>
std::vector<float> add(const std::vector<float> &a, const std::vector<float> &b) {
    std::vector<float> sum;
    for (int i = 0; i < a.size(); i++) sum.push_back(a[i] + b[i]);
    return sum;
}
"""
COPY = """\
#include <vector>
void copy(std::vector<float> &to, const std::vector<float> &from) {
    for (int i = 0; i < from.size(); i++) to[i] = from[i];
}
"""
ROWS_APART = """\
void add_rows(float *out, const float *x, int rows, int cols, int stride) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) out[r * stride + c] = x[r * stride + c] + 1.0f;
}
"""

COLUMN_SUMS = """\
void column_sums(float *out, const float *x, int rows, int cols, int stride) {
    for (int c = 0; c < cols; c++) {
        float sum = 0.0f;
        for (int r = 0; r < rows; r++) sum += x[r * stride + c];
        out[c] = sum;
    }
}
"""
ROW = """\
void row(float *x, const float *by, int r, int n, int stride) {
    for (int i = 0; i < n; i++) x[r * stride + i] *= by[i];
}
"""
TURNED = """\
void turned(float *out, const float *x, int n, int m, int to, int from) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) out[j * to + i] = x[i * from + j];
}
"""
TWO_ROWS = """\
void two_rows(float *out, const float *x, int n, int stride) {
    for (int i = 0; i < n; i++) out[i] = x[i * stride] + x[(i + 1) * stride];
}
"""
LAG = """\
void lag(float *out, const float *x, int n, unsigned char k) {
    for (int i = 0; i < n; i++) out[i] = x[i + k] - x[i];
}
"""
LOOK_UP = """\
void look_up(float *out, const float *table, const int *at, int n) {
    for (int i = 0; i < n; i++) out[i] = table[at[i]];
}
"""
SOFTMAX = """\
#include <math.h>
void softmax(float *x, int n) {
    float most = x[0], sum = 0.0f;
    for (int i = 1; i < n; i++) if (x[i] > most) most = x[i];
    for (int i = 0; i < n; i++) { x[i] = expf(x[i] - most); sum += x[i]; }
    for (int i = 0; i < n; i++) x[i] /= sum;
}
"""


def lifted(source: str, to: str = "pytorch", style: str = "guarded") -> LiftedFunction:
    """The one function of a source, proved, with code that agrees."""
    (function,) = metalift.lift(source, to=to, style=style, signature="tensor").functions
    assert function.ok, function.report()
    return function


@pytest.mark.parametrize("to", ["pytorch", "numpy"])
def test_sizes_are_shapes_and_what_is_written_is_returned(to: str) -> None:
    function = lifted(SCALE_ROWS, to).function
    assert list(inspect.signature(function).parameters) == ["x", "by"]
    x, by = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1, 10, 100], np.float32)
    given = (torch.from_numpy(x), torch.from_numpy(by)) if to == "pytorch" else (x, by)
    assert function(*given).tolist() == (x * by).tolist()
    for wrong in ((x, by[:2]), (x[0], by), (x.astype(np.float64), by), (x.tolist(), by)):
        with pytest.raises((ValueError, AttributeError)):
            function(*(torch.from_numpy(each) if to == "pytorch" and not isinstance(each, list) else each for each in wrong))


def test_a_maximum_begins_at_a_number_that_the_library_takes() -> None:
    begins = "float top(const float *x, int n) { float m = -INFINITY; for (int i = 0; i < n; i++) m = fmaxf(m, x[i]); return m; }"
    found = lifted(f"#include <math.h>\n{begins}\n")
    assert "-3.4028234663852886e+38" in found.code and found.function(torch.tensor([-2.0, -1.0])) == -1.0


def test_what_is_changed_is_left_alone_and_returned() -> None:
    for source, given, more, wanted in (
        (NORMALISE, [1.0, 3.0], (), [0.25, 0.75]),
        (EVERY_OTHER, [0.5, 6.0, 1.0], (2, 2.0), [1.0, 6.0, 2.0]),
    ):
        x = torch.tensor(given)
        assert lifted(source).function(x, *more).tolist() == wanted
        assert x.tolist() == given


def test_arrays_that_go_together_have_one_shape() -> None:
    added = lifted(ADD)
    assert "return a + b\n" in added.code
    assert added.function(torch.ones(2), torch.ones(2)).tolist() == [2, 2]
    with pytest.raises(ValueError, match="b must be"):
        added.function(torch.ones(2), torch.ones(3))


def test_what_is_only_written_has_the_size_of_what_is_read() -> None:
    copied = lifted(COPY)
    assert list(inspect.signature(copied.function).parameters) == ["from_"]
    assert copied.function(torch.ones(3)).tolist() == [1, 1, 1]


def test_plain_code_says_what_it_does_not_check() -> None:
    source = NORMALISE.replace("sum = 0.0f", "sum = x[0]").replace("i = 0", "i = 1", 1)
    guarded, plain = (lifted(source, style=each) for each in ("guarded", "plain"))
    assert "raise" in guarded.code and "raise" not in plain.code
    checked = {each.text for each in guarded.assumptions if each.checked.value != "no"}
    assert checked > {each.text for each in plain.assumptions if each.checked.value != "no"}


def test_where_a_part_of_an_array_is_does_not_matter() -> None:
    """Rows with others between them are a tensor, wherever its elements are in memory."""
    sums = lifted(COLUMN_SUMS)
    assert list(inspect.signature(sums.function).parameters) == ["x"]
    assert sums.function(torch.arange(7.0).as_strided((2, 2), (3, 1))).tolist() == [3, 5]
    assert "x: float32 of shape (rows, cols), the source's at i * stride + j." in sums.code
    with pytest.raises(ValueError, match="x must be"):
        sums.function(torch.arange(4).reshape(2, 2))


def test_parts_of_arrays_are_taken_and_given() -> None:
    scaled = lifted(ROWS_APART)
    assert list(inspect.signature(scaled.function).parameters) == ["x"]
    assert scaled.function(torch.arange(6.0).reshape(3, 2)).tolist() == [[1, 2], [3, 4], [5, 6]]
    assert any("stride" in each.text and each.checked.value == "no" for each in scaled.assumptions)
    row = lifted(ROW)
    assert list(inspect.signature(row.function).parameters) == ["x", "by"]
    assert row.function(torch.arange(3.0), torch.full((3,), 2.0)).tolist() == [0, 2, 4]


def test_a_part_with_the_shape_of_a_vector_says_where_it_is() -> None:
    source = "#include <vector>\nvoid f(const std::vector<float> &v, float *x, int s) {"
    found = lifted(source + " for (int i = 0; i < v.size(); i++) x[i * s] = v[i]; }")
    assert "Returns x: float32, of the shape of v, the source's at i * s." in " ".join(found.code.split())


def test_parts_have_their_axes_as_they_lie_in_memory() -> None:
    turned = lifted(TURNED)
    assert "return x.T.clone()\n" in turned.code
    assert turned.function(torch.arange(6.0).reshape(2, 3)).tolist() == [[0, 3], [1, 4], [2, 5]]


def test_arrays_of_which_several_parts_are_read_are_taken_whole() -> None:
    assert list(inspect.signature(lifted(TWO_ROWS).function).parameters) == ["x", "n", "stride"]


def test_an_array_that_is_read_beyond_a_view_of_it_may_be_longer() -> None:
    lag = lifted(LAG).function
    assert lag(torch.tensor([1.0, 2.0, 4.0, 8.0]), 2, 2).tolist() == [3, 6]
    with pytest.raises(ValueError, match=r"k \+ n <= len\(x\)"):
        lag(torch.ones(3), 2, 2)


def test_an_array_of_any_length_is_taken() -> None:
    found = lifted(LOOK_UP)
    assert list(inspect.signature(found.function).parameters) == ["table", "at"]
    assert found.function(torch.tensor([5.0, 7.0, 9.0]), torch.tensor([2, 0], dtype=torch.int32)).tolist() == [9, 5]


def test_functions_of_the_library_are_called() -> None:
    found = lifted(SOFTMAX)
    assert "return torch.softmax(x, dim=0)\n" in found.code
    assert "new_x[i] = exp(x[i] - max(x[j] for j < n)) / sum(exp(x[j] - max(x[k] for k < n)) for j < n)" in found.code


def test_unknown_styles_are_refused() -> None:
    with pytest.raises(metalift.UsageError, match="of code"):
        metalift.lift(ADD, style="fancy")
    with pytest.raises(metalift.UsageError, match="of code"):
        metalift.lift(ADD, signature="vector")
