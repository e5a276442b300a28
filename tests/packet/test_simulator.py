"""The simulator: it runs a pipeline as its documentation says, and refuses what no pipeline could run."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.packet.pipelines import SIMULATOR

PARAMS = "register bit<32> s_a, register bit<32> s_b, in bit<32> p_x, in bit<32> p_y, in bool p_f, inout bit<32> p_z"


def simulator() -> Any:  # noqa: ANN401 - it is a module
    """The simulator by itself, as the process that runs it loads it."""
    spec = importlib.util.spec_from_file_location("simulator_alone", SIMULATOR)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pipeline(folder: Path, stages: str, deparser: str = "p_z = p_x;") -> Callable[..., Any]:
    """The function of a pipeline with these stages."""
    path = folder / "step.p4"
    path.write_text(f"control step({PARAMS}) {{ {stages} deparser {{ {deparser} }} }}", encoding="utf-8")
    run: Callable[..., Any] = simulator().load(str(path), "step")
    return run


def test_it_imports_nothing_but_the_standard_library() -> None:
    texts = [SIMULATOR.with_name(name).read_text(encoding="utf-8") for name in ("simulator.py", "syntax.py")]
    imports = [node for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert list(map(ast.unparse, imports)) == ["import importlib.util", "from pathlib import Path", "import re"]


def test_a_packet_changes_registers_and_fields(tmp_path: Path) -> None:
    stages = """
        stage 1 { if_else(s_a[p_y] as a, out old, out new) { if (a < p_x) { a = a + p_x; } else { a = 32w7; } } }
        stage 2 { bit<32> meta_1 = a_new - a_old; bool meta_2 = a_old == 32w0 || p_f; }
        stage 3 { bit<32> meta_3 = meta_2 ? meta_1 : (bit<32>) meta_2; }"""
    run = pipeline(tmp_path, stages, "p_z = meta_3; return a_new;")
    a, z = [0, 4294967290], [9]
    assert run(a, [0], 5, 0, False, z) == (5, a, z)
    assert (a, z) == ([5, 4294967290], [5])
    assert run(a, [0], 4294967295, 1, False, z)[0] == 4294967289  # sums wrap
    assert z == [0]


def test_statements_of_an_atom_run_at_once(tmp_path: Path) -> None:
    stages = "stage 1 { paired(s_a[0] as a; s_b[0] as b) { if (b < 32w9) { a = a + p_x; } if (a == 32w0) { b = 32w8; } } }"
    a, b = [0], [3]
    pipeline(tmp_path, stages)(a, b, 2, 0, False, [0])
    assert (a, b) == ([2], [8])


REFUSED = {
    "a register in two atoms": (
        "stage 1 { read_write(s_a[0] as a) { a = p_x; } } stage 2 { read_write(s_a[0] as c) { c = p_y; } }"
    ),
    "a value of its own stage": "stage 1 { bit<32> m = p_x + p_y; bit<32> n = m + p_x; }",
    "a register outside of its atom": "stage 1 { bit<32> m = s_a + p_x; }",
    "stages out of order": "stage 2 { bit<32> m = p_x; } stage 1 { bit<32> n = p_x; }",
    "more stages than there are": "stage 33 { bit<32> m = p_x; }",
    "an unknown atom": "stage 1 { triple(s_a[0] as a) { a = p_x; } }",
    "an if in an atom that has none": "stage 1 { read_add_write(s_a[0] as a) { if (p_f) { a = p_x; } } }",
    "an else in an atom that has none": "stage 1 { predicated(s_a[0] as a) { if (p_f) { a = p_x; } else { a = p_y; } } }",
    "a difference in an atom that only adds": "stage 1 { if_else(s_a[0] as a) { if (p_f) { a = a - p_x; } } }",
    "a sum in an atom that only writes": "stage 1 { read_write(s_a[0] as a) { a = a + p_x; } }",
    "ifs that are nested too deeply": (
        "stage 1 { nested_ifs(s_a[0] as a) { if (p_f) { if (a < p_x) { if (a == p_y) { a = p_x; } } } } }"
    ),
    "a gate on what is no flag": (
        "stage 1 { paired(s_a[0] as a; s_b[0] as b) { if (a < b) { if (a < p_x) { if (a == p_y) { a = p_x; } } } } }"
    ),
    "two cells in an atom for one": "stage 1 { nested_ifs(s_a[0] as a; s_b[0] as b) { if (p_f) { a = p_x; } } }",
    "two things done with one cell": "stage 1 { predicated(s_a[0] as a) { if (p_f) { a = p_x; } if (p_f) { a = p_y; } } }",
    "a product of sums in a cell": "stage 1 { read_add_write(s_a[0] as a) { a = a + (p_x + p_y); } }",
    "widths that differ": "stage 1 { bool m = p_x + p_y; }",
    "operands of other widths": "stage 1 { bit<32> m = p_x + 16w3; }",
    "a literal that does not fit": "stage 1 { bit<32> m = p_x + 32w4294967296; }",
    "an unknown hash unit": "stage 1 { bit<32> m = hash4(p_x, p_x, p_x, p_x); }",
    "too many fields": (
        "stage 1 { bit<32> m = p_x; bit<32> n = p_y; } stage 2 { nested_ifs(s_a[0] as a) "
        "{ if (p_f) { if (a < p_x) { a = p_y; } else { a = m; } } else { a = n; } } }"
    ),
    "a field that is only read": "stage 1 { bit<32> m = p_x; }",
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_no_pipeline_can_run_is_refused(what: str, tmp_path: Path) -> None:
    deparser = "p_x = m;" if what == "a field that is only read" else "p_z = p_x;"
    with pytest.raises(Exception) as caught:  # noqa: B017 (its class is made anew with the module)
        pipeline(tmp_path, REFUSED[what], deparser)
    assert type(caught.value).__name__ == "Refused", caught.value
