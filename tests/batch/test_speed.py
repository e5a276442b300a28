"""`--measure`: sizes that fit, the source compiled by gcc, forms that are compared; times themselves are no matter of tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from metalift.app.batch import run
from metalift.app.batch.speed.measured_arguments import NotMeasurable, Sizes, Values
from metalift.app.batch.speed.source import Native, compiled
from metalift.app.batch.speed.timing import agree, recommended
from metalift.app.batch.store import Store
from metalift.frontend import import_function
from metalift.frontend.llvm.compile.clang import compile_source
from metalift.ir.program.fragment import Fragment
from metalift.run.inputs.roles import roles_of
from metalift.synth.derive import derive

needs_gcc = pytest.mark.skipif(shutil.which("g++") is None, reason="gcc is not installed")

SCALE = """void scale(float *x, const float *y, int width, int height) {
  for (int i = 0; i < width * height; i++) x[i] *= y[i];
}
"""
VECTORS = """#include <vector>
std::vector<int> twice(const std::vector<int> &a, std::vector<int> &b, int k) {
  std::vector<int> r;
  for (unsigned i = 0; i < a.size(); i++) r.push_back(a[i] * 2);
  for (unsigned i = 0; i < b.size(); i++) b[i] = b[i] + k;
  return r;
}
"""
ROWS = """long total(int **m, int h, int w) {
  long s = 0;
  for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) s += m[i][j];
  return s;
}
"""


def sizes_of(text: str, suffix: str, name: str, folder: Path) -> tuple[Fragment, Sizes, Path]:
    source = folder / f"source{suffix}"
    source.write_text(text)
    fragment = import_function(compile_source(source), name)
    summary = derive(fragment)
    written = tuple(name for name, _ in summary.outputs if name != "return")
    return fragment, Sizes(fragment, roles_of(fragment), summary.shapes, (), written), source


def native(fragment: Fragment, values: Values, source: Path, folder: Path) -> Native:
    return Native(compiled(fragment, source, (), folder), fragment, values)


@needs_gcc
def test_arrays_have_about_the_bytes_asked_for_and_are_restored(tmp_path: Path) -> None:
    fragment, sizes, source = sizes_of(SCALE, ".c", "scale", tmp_path)
    values = sizes.of_bytes(1 << 20)
    assert 0.9 * (1 << 20) < values.bytes <= 1 << 20
    assert values.parameters["width"] == values.parameters["height"]
    form = native(fragment, values, source, tmp_path)
    for _ in range(2):
        form.prepare()
        assert form.call() > 0
        [found] = form.outputs()
        assert np.array_equal(found, values.arrays["x"] * values.arrays["y"])


@needs_gcc
def test_vectors_are_passed_and_results_taken(tmp_path: Path) -> None:
    fragment, sizes, source = sizes_of(VECTORS, ".cc", "twice", tmp_path)
    values = sizes.given({"a": 5, "b": 3, "k": 4})
    made, changed = native(fragment, values, source, tmp_path).outputs()
    assert list(made) == [2 * each for each in values.arrays["a"]] and list(changed) == [each + 4 for each in values.arrays["b"]]
    assert len(made) == 5 and len(changed) == 3


@needs_gcc
def test_rows_of_pointers_are_passed(tmp_path: Path) -> None:
    fragment, sizes, source = sizes_of(ROWS, ".c", "total", tmp_path)
    values = sizes.given({"h": 5, "w": 7})
    assert native(fragment, values, source, tmp_path).outputs() == [values.arrays["m"].sum()]


def test_sizes_that_do_not_fit_are_told(tmp_path: Path) -> None:
    fragment, sizes, _ = sizes_of(SCALE, ".c", "scale", tmp_path)
    with pytest.raises(NotMeasurable, match="say sizes in the manifest"):
        Sizes(fragment, sizes.roles, {}, (), ("x",)).of_bytes(1 << 20)


def test_outputs_are_compared() -> None:
    ones = np.ones(4, np.float32)
    assert agree([ones], [ones * (1 + 1e-5)]) and not agree([ones], [ones * 1.1]) and not agree([ones], [])
    assert agree([np.arange(3)], [np.arange(3)]) and not agree([np.arange(3)], [np.arange(1, 4)])
    assert not agree([ones], [ones * np.nan])


def test_what_does_not_agree_is_not_recommended() -> None:
    forms: dict[str, dict[str, object]] = {
        "source": {"median": 2.0, "agrees": True},
        "a": {"median": 0.5, "agrees": False},
        "b": {"median": 1.0, "agrees": True},
        "c": {"problem": "it fails"},
        "d": {"median": 0.1, "agrees": True},
    }
    smaller: dict[str, dict[str, object]] = {**forms, "d": {"median": 0.1, "agrees": False}}
    assert recommended([smaller, forms]) == ("b", 2.0)


@needs_gcc
def test_a_batch_measures_what_is_proved_once(tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "scale.c").write_text(SCALE)
    (folder / "scale.py").write_text("def scale(x: list[int], k: int) -> list[int]:\n    return [v * k for v in x]\n")
    entries = '[[kernel]]\nfile = "scale.c"\nfunction = "scale"\n[kernel.sizes]\ntiny = {width = 8, height = 4}\n'
    entries += '[[kernel]]\nfile = "scale.py"\nfunction = "scale"\nstyle = "Python"\n'
    (folder / "manifest.toml").write_text('suite = "s"\n' + entries)
    options = run.Options(("numpy",), tmp_path / "out", measure=True)
    told: list[str] = []
    for _ in range(2):
        run.run([folder], options, lambda event: told.append(type(event).__name__))
    assert told.count("Measured") == 2
    store = Store(tmp_path / "out")
    [compiled_source, python] = [row.speed for _, row in store.each(results=True) if row is not None]
    store.close()
    assert python == {"problem": "the source is Python, which gcc does not compile"}
    assert compiled_source is not None and compiled_source["kind"] == "elementwise"
    [size] = compiled_source["sizes"].values()
    assert size["parameters"] == {"width": 8, "height": 4} and size["bytes"] == 2 * 8 * 4 * 4
    assert size["forms"].keys() == {"source", "numpy"} and all(form["agrees"] for form in size["forms"].values())
    assert compiled_source["recommended"] in size["forms"]
