"""What `lift` prints by default: one screen, the same bytes each time, a next step for every failure, no internal word."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from metalift.app.excerpt import excerpt
from metalift.app.lift.screen import Screen
from metalift.app.terminal import Paint, Progress
from metalift.result import FunctionResult, Result
from metalift.result.verdict import FunctionVerdict
from tests.support.commands import metalift, metalift_process

SOURCE = """\
int read_sensor(void);

void scale(float *a, float s, int n) {
    for (int i = 0; i < n; i++)
        a[i] *= s;
}

float poll(const float *x, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * read_sensor();
    return sum;
}

void bins(int n, int *h, const int *k) {
    for (int i = 0; i < n; i++)
        h[k[i]] = h[k[i]] * 2 + i;
}

int never(const int *a) {
    return a[0] / 0;
}
"""
INTERNAL = re.compile(r"\bfold\(|\bupdate\(|\b[a-z]\w*\.\d+ |counterexample|for\.cond|obligation")


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """A file with a function of each kind."""
    path = tmp_path / "kernel.c"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def test_one_line_for_each_function_then_what_would_help(kernel: Path, tmp_path: Path) -> None:
    runs = [metalift("lift", kernel, "--to", "mlx,numpy", "--out", tmp_path / "out", "--jobs", jobs) for jobs in ("1", "2")]
    assert runs[0] == runs[1], "the same bytes, however many are lifted at a time"
    done = runs[0]
    assert (done.status, done.errors) == (1, "")
    rows = [line.split() for line in done.output.splitlines()[:5]]
    assert [row[:3] for row in rows] == [
        ["function", "mlx", "numpy"],
        ["scale", "PROVED", "PROVED"],
        ["poll", "UNSUPPORTED", "UNSUPPORTED"],
        ["bins", "NOT_LIFTED", "PROVED"],
        ["never", "NOT_LIFTED", "VACUOUS"],
    ]
    assert str(tmp_path / "out" / "*" / "scale.py") in done.output
    place = f"{kernel}:11:23: poll: a call of read_sensor, which is not defined in this file [S01]"
    caret = "   11 |         sum += x[i] * read_sensor();\n      |                       ^~~~~~~~~~~\n"
    assert f"{place}\n{caret}" in done.output
    assert "--with FILE" in done.output and "--pure read_sensor" in done.output and "metalift explain S01" in done.output
    assert not INTERNAL.search(done.output), INTERNAL.search(done.output)
    assert "PROVED" not in done.output.splitlines()[4], "a claim about no input is no proof"
    assert done.output.endswith("\n1 of 4 functions proved, with code that agrees with the source\n")


def test_quiet_prints_the_last_line_and_verbose_all(kernel: Path, tmp_path: Path) -> None:
    given = ("lift", kernel, "--function", "scale", "--out", tmp_path / "out")
    assert metalift(*given, "-q").output == "1 of 1 function proved, with code that agrees with the source\n"
    told = metalift(*given, "-v").output
    assert "summary:" in told and "certificate:" in told and "obligations proved" in told
    assert metalift(*given, "-q", "-v").status == 2


def test_a_function_is_found_by_a_part_of_its_name(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cc"
    body = "(int x) { return x + x; }\n"
    path.write_text(f"namespace legacy {{\nint layer_norm{body}int norm{body}int batch_norm{body}}}\n", encoding="utf-8")
    given = ("lift", path, "--out", tmp_path / "out", "--json", "--function")
    found = [metalift(*given, part) for part in ("layer_norm", "norm", "ayer")]
    assert [done.function["name"] for done in found] == ["legacy::layer_norm", "legacy::norm", "legacy::layer_norm"]
    several = metalift("lift", path, "--function", "_norm")
    assert several.status == 2 and "legacy::layer_norm, legacy::batch_norm" in several.errors


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("lfit", "a.c"), "did you mean lift?"),
        (("lift", "a.c", "--asume", "x"), "did you mean --assume?"),
        (("scan", ".", "--lfit"), "did you mean --lift?"),
    ],
)
def test_what_is_mistyped_gets_a_suggestion(arguments: tuple[str, ...], hint: str) -> None:
    done = metalift(*arguments)
    assert (done.status, done.output) == (2, "") and hint in done.errors


def test_a_limit_ends_one_function_and_not_the_others(kernel: Path, tmp_path: Path) -> None:
    done = metalift_process("lift", kernel, "--time-limit", "0.001", "--function", "scale", "--out", tmp_path / "out", "--json")
    (reason,) = done.function["reasons"]
    assert (done.status, done.function["verdict"], reason["code"]) == (1, "ERROR", "X01")
    assert "0.001 s" in reason["what"] and not list(tmp_path.rglob("*.tmp"))


def test_an_interrupt_prints_what_is_done() -> None:
    out = io.StringIO()
    screen = Screen(out, Paint(False), Progress(io.StringIO()))
    screen.begins("kernel.c", ["f", "g"], ["numpy"])
    screen.ended([FunctionResult("f", 1, FunctionVerdict.TESTED)])
    screen.interrupted()
    assert out.getvalue().endswith("interrupted: 1 of 2 functions done, 0 of them proved with code that agrees\n")


def test_colours_are_for_terminals() -> None:
    for on in (False, True):
        out = io.StringIO()
        screen = Screen(out, Paint(on), Progress(io.StringIO()))
        screen.begins("kernel.c", ["f"], ["numpy"])
        screen.ended([FunctionResult("f", 1, FunctionVerdict.TESTED)])
        screen.finish(Result("kernel.c", tuple(screen.done)))
        assert ("\033[" in out.getvalue()) is on


def test_the_mark_is_below_the_word_or_the_line(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text("int x;\n    value = f(a) + b;  // why\n", encoding="utf-8")
    assert excerpt(path, str(path), 2, 13, Paint(False)).lines[1] == "      |             ^"
    assert excerpt(path, str(path), 2, 0, Paint(False)).lines[1] == "      |     ^~~~~~~~~~~~~~~~~"
    assert excerpt(path, str(path), 2, 5, Paint(False)).head == f"{path}:2:5"
    for line, column in ((9, 1), (0, 0), (2, 400)):
        shown = excerpt(path, "other.c", line, column, Paint(False))
        assert len(shown.lines) == (2 if line == 2 else 0)
