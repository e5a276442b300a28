"""Results that a function of C allocates: arrays of as many elements as it asks for; other pointers are refused."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from metalift import lift
from metalift.frontend import import_function, open_source
from metalift.ir.interp.interpret import run
from metalift.ir.program.fragment import Unsupported
from metalift.result.verdict import FunctionVerdict

SOURCE = Path(__file__).parent / "sources" / "allocated.c"


def loaded(file: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("made", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.quick("checked", "outer")
@pytest.mark.parametrize("name", ["checked", "through", "outer", "inverted", "copied", "by_rows"])
def test_what_is_allocated_and_returned_is_an_array(name: str, tmp_path: Path) -> None:
    (function,) = lift(SOURCE, functions=[name], to=("numpy",), out=tmp_path).functions
    assert function.ok, function.diagnostics
    assert any("what is allocated for the result is there" in each.text for each in function.assumptions)


def test_sizes_that_are_asserted_to_be_equal_are_one(tmp_path: Path) -> None:
    (function,) = lift(SOURCE, functions=["blended"], to=("numpy",), out=tmp_path).functions
    assert function.ok, function.diagnostics
    code = Path(function.targets["numpy"].file or "").read_text()
    assert '_check("b_data", b_data, np.float32, a_h * a_w)' in code and "a_w != b_w or a_h != b_h" in code


def test_the_code_makes_a_new_array(tmp_path: Path) -> None:
    (function,) = lift(SOURCE, functions=["checked"], to=("numpy",), out=tmp_path).functions
    x = np.array([1, 2, 3], np.float32)
    made = loaded(function.targets["numpy"].file or "").checked(x, 2)
    assert made.tolist() == [2, 4] and not np.shares_memory(made, x)


@pytest.mark.parametrize("name", ["freed", "inside", "odd", "also_elsewhere"])
def test_other_pointers_are_refused(name: str) -> None:
    with pytest.raises(Unsupported, match="a result of type float|a change of the pointers"):
        import_function(open_source(SOURCE), name)


@pytest.mark.quick("scaled", "split")
@pytest.mark.parametrize("name", ["scaled", "transposed", "split", "released", "inner"])
def test_a_struct_that_is_returned_may_hold_what_is_allocated(name: str, tmp_path: Path) -> None:
    (function,) = lift(SOURCE, functions=[name], to=("numpy",), out=tmp_path).functions
    assert function.ok, function.diagnostics


@pytest.mark.parametrize("name", ["same_twice", "around", "freed_data"])
def test_a_struct_with_other_pointers_is_refused(name: str) -> None:
    with pytest.raises(Unsupported, match="a result of type (twins|image)"):
        import_function(open_source(SOURCE), name)


@pytest.mark.parametrize("name", ["padding_seen", "padding_kept", "passed_on"])
def test_bytes_between_fields_that_are_read_or_written_are_no_padding(name: str) -> None:
    with pytest.raises(Unsupported):
        import_function(open_source(SOURCE), name)


def test_elements_that_are_all_the_same_are_apart(tmp_path: Path) -> None:
    (function,) = lift(SOURCE, functions=["sums"], to=("numpy",), out=tmp_path).functions
    made = loaded(function.targets["numpy"].file or "").sums(np.array([1, 2], np.float32), 2)
    made[0] = 7
    assert made.tolist() == [7, 3]


def test_what_overlaps_is_read_before_it_is_written() -> None:
    fragment = import_function(open_source(SOURCE), "moved_over")
    assert run(fragment, {"x": 777777, "y": 2, "z": 31337}).result == 2


def test_two_arrays_of_the_same_numbers_are_two(tmp_path: Path) -> None:
    (function,) = lift(SOURCE, functions=["equal_ones"], to=("numpy",), out=tmp_path).functions
    one, other = loaded(function.targets["numpy"].file or "").equal_ones(np.array([1, 2], np.float32), 2)
    assert one.tolist() == other.tolist() == [2, 4]
    assert not np.shares_memory(one, other)


def test_code_that_writes_behind_what_it_allocates_is_never_defined(tmp_path: Path) -> None:
    source = tmp_path / "behind.c"
    loop = "for (int i = 0; i <= n; i++) r[i] = x[i];"
    source.write_text(f"""
#include <stdlib.h>
float *f(const float *x, int n) {{ float *r = malloc(n * sizeof(float)); {loop} return r; }}
""")
    (function,) = lift(source, to=("numpy",), out=tmp_path / "out").functions
    assert function.verdict is FunctionVerdict.VACUOUS, function.diagnostics


def test_a_tuple_of_the_library_has_its_own_layout(tmp_path: Path) -> None:
    source = tmp_path / "tuple.cc"
    source.write_text("""
#include <tuple>
std::tuple<int, float *> made(const float *x, int n) {
  float *y = new float[n];
  for (int i = 0; i < n; i++) y[i] = x[i] * x[i];
  return {n, y};
}
struct Ended { int n; float *x; ~Ended() { delete[] x; } };
Ended ended(int n) { Ended r{n, new float[n]}; for (int i = 0; i < n; i++) r.x[i] = i; return r; }
""")
    (function,) = lift(source, functions=["made"], to=("numpy",), out=tmp_path / "out").functions
    assert function.ok, function.diagnostics
    with pytest.raises(Unsupported, match="a result of type"):
        import_function(open_source(source), "ended")


def test_what_new_makes_is_an_array(tmp_path: Path) -> None:
    source = tmp_path / "new.cc"
    source.write_text("""
struct Row { int n; double *x; };
Row doubled(const double *x, int n) {
  Row r;
  r.n = n;
  r.x = new double[n];
  for (int i = 0; i < n; i++) r.x[i] = 2 * x[i];
  return r;
}
""")
    (function,) = lift(source, to=("numpy",), out=tmp_path / "out").functions
    assert function.ok, function.diagnostics


LAST = ("r[n] = 0;", "r[n] = n > 3 ? r[n] : 0;", "r[n] = n > 3 && r[n];", "if (n > 3) r[n]++; else r[n] = 0;")
SIZES = ("n + 1", "(unsigned) n + 1")  # an unsigned sum may wrap, so it is no size that is known
OPEN = {("r[n] = 0;", "(unsigned) n + 1")}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("last", LAST)
def test_an_array_that_a_part_writes_further_is_not_made_shorter(last: str, size: str, tmp_path: Path) -> None:
    source = tmp_path / "text.c"
    loop = "for (int i = 0; i < n; i++) r[i] = s[n - 1 - i];"
    body = f"char *r = malloc({size}); {loop} {last} return r;"
    source.write_text(f"#include <stdlib.h>\nchar *f(const char *s, int n) {{ {body} }}\n")
    (function,) = lift(source, to=("numpy",), out=tmp_path / "out").functions
    expected = FunctionVerdict.NOT_LIFTED if (last, size) in OPEN else FunctionVerdict.PROVED
    assert function.verdict is expected, function.diagnostics


def test_what_is_read_before_it_is_written_makes_no_array_longer(tmp_path: Path) -> None:
    source = tmp_path / "count.cc"
    source.write_text(
        "#include <vector>\n"
        "int most(const std::vector<int> &x, int k) {\n"
        "  std::vector<int> counts(k);\n"
        "  for (int i = 0; i < k; i++) counts[i] = 0;\n"
        "  int best = 0;\n"
        "  for (int each : x) { if (each > 0) counts[each] += 1; best = counts[0] > best ? counts[0] : best; }\n"
        "  return best;\n}\n"
    )
    (function,) = lift(source, to=("numpy",), out=tmp_path / "out").functions
    assert function.verdict is FunctionVerdict.PROVED, function.diagnostics
