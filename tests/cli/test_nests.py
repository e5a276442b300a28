"""FILE:LINE and --nests: loop nests lifted, proved, run beside the loop as the LLVM pass outlined it, and checked again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import metalift

pytestmark = pytest.mark.plugin
SOURCE = """\
#include <math.h>
#include <stdio.h>
typedef struct { float *x, *y; int n; } State;

int step(State *s, const float *w, unsigned char *mask, int layers) {
    float peak = 0.0f;
    int last = 0;
    for (int l = 0; l < layers; l++) {
        getchar();
        for (int i = 0; i < s->n; i++) {
            float acc = 0.0f;
            for (int j = 0; j < s->n; j++)
                acc += w[l * s->n * s->n + i * s->n + j] * s->x[j];
            s->y[i] = acc;
        }
        for (int i = 0; i < s->n; i++)
            s->x[i] += s->y[i];
    }
    for (int i = 0; i < s->n; i++) {
        if (s->x[i] > peak)
            peak = s->x[i];
        last += mask[i];
    }
    unsigned char *end = mask + s->n;
    for (unsigned char *m = mask; m < end; m++)
        *m = 255 - *m;
    for (int i = 0; i < s->n; i++)
        if (mask[i] == 3)
            return i;
    last += getchar();
    return last;
}

void scale(float *a, float k, int n) {
    for (int i = 0; i < n; i++)
        a[i] *= k;
}
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """The source as a file."""
    path = tmp_path / "kernel.c"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def test_every_nest_has_its_own_verdict(kernel: Path, tmp_path: Path) -> None:
    done = metalift("lift", kernel, "--nests", "--to", "numpy,pytorch", "--out", tmp_path / "out", "--json")
    assert done.status == 1, done.errors
    found = {each["name"]: (each["line"], each["verdict"], each["split"]) for each in done.functions}
    assert found == {
        "step": (5, "UNSUPPORTED", True),
        "step_line8": (8, "UNSUPPORTED", True),
        "step_line10": (10, "PROVED", False),
        "step_line16": (16, "PROVED", False),
        "step_line19": (19, "PROVED", False),
        "step_line25": (25, "PROVED", False),
        "step_line27": (27, "UNSUPPORTED", False),
        "scale": (34, "PROVED", False),
    }
    for each in done.functions:
        agree = [target["checked"] for target in each["targets"].values()]
        assert each["verdict"] != "PROVED" or agree == ["agrees", "agrees"], each["name"]
    (why,) = (each["diagnostics"][0]["message"] for each in done.functions if each["name"] == "step_line27")
    assert "can be left to two places" in why
    checked = metalift("check", tmp_path / "out" / "certificates" / "step_line10")
    assert (checked.status, checked.output.splitlines()[-1]) == (0, "ok"), checked.output


def test_a_line_lifts_the_nest_that_begins_there(kernel: Path, tmp_path: Path) -> None:
    done = metalift("lift", f"{kernel}:10", "--out", tmp_path / "out", "--json")
    assert (done.status, done.function["name"], done.function["verdict"]) == (0, "step_line10", "PROVED")
    assert any("s->n, s->x, s->y" in item["text"] or "s->" in item["text"] for item in done.function["assumptions"])


def test_a_line_in_a_nest_lifts_the_largest_around_it(kernel: Path, tmp_path: Path) -> None:
    done = metalift("lift", f"{kernel}:13", "--out", tmp_path / "out", "--json")
    assert [(each["name"], each["split"]) for each in done.functions] == [("step_line8", True), ("step_line10", False)]
    assert done.status == 0


def test_a_certificate_of_a_nest_that_is_not_there_is_not_checked(kernel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out" / "certificates" / "step_line16"
    metalift("lift", f"{kernel}:16", "--out", tmp_path / "out", "--json")
    recorded = folder / "kernel.c"
    recorded.write_text("\n" + recorded.read_text(encoding="utf-8"), encoding="utf-8")
    checked = metalift("check", folder)
    assert checked.status == 1
    assert "no loop nest step_line16" in checked.output


def test_a_line_without_a_loop_is_an_error(kernel: Path) -> None:
    done = metalift("lift", f"{kernel}:30")
    assert done.status == 2
    assert "no loop at line 30; loop nests begin at the lines 8, 19, 25, 27, 35" in done.errors
    assert metalift("lift", f"{kernel.parent / 'other.c'}:3").status == 2


def test_without_the_pass_one_line_says_so(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METALIFT_PLUGIN", "none")
    for arguments in ([f"{kernel}:10"], [kernel, "--nests"]):
        done = metalift("lift", *arguments)
        assert done.status == 2
        assert len(done.errors.splitlines()) == 1
        assert "LLVM pass" in done.errors
