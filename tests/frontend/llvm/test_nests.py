"""The LLVM pass makes a function of every loop: what it takes, what it leaves, and which loops it refuses."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from metalift.frontend.llvm.compile.clang import compile_source
from metalift.frontend.llvm.nests import Nest, Nests, find_nests, import_nest
from metalift.ir.expr.types import FLOAT, MachineInt, TensorType, TupleType
from metalift.ir.program.fragment import Fragment, Unsupported
from metalift.pipeline import at_line
from metalift.result.errors import UsageError

SOURCE = Path(__file__).parent / "sources" / "nests.c"
pytestmark = pytest.mark.plugin


@cache
def nests() -> Nests:
    """The loops of the source."""
    return find_nests(compile_source(SOURCE))


def line_of(comment: str) -> int:
    """The line with that comment."""
    (line,) = (number for number, text in enumerate(SOURCE.read_text().splitlines(), 1) if text.endswith(f"// {comment}"))
    return line


def nest(comment: str) -> Nest:
    """The outermost loop on the line with that comment."""
    (found, *_) = at_line(nests(), line_of(comment))
    assert isinstance(found, Nest)
    return found


def fragment(comment: str) -> Fragment:
    """Its fragment."""
    return import_nest(nests(), nest(comment))


def params(made: Fragment) -> dict[str, str]:
    """The parameters with their types as they are spelled."""
    return {param.var.name: param.c_type for param in made.params}


def test_members_that_nothing_writes_are_parameters() -> None:
    made = fragment("members")
    assert params(made) == {"m_state_dim": "int", "m_state_scale": "float", "m_state_q": "float *", "m_state_x": "float *"}
    assert made.name == f"long_one_line{line_of('members')}"
    (premise,) = made.premises
    assert premise.text == "nothing that the loops store overlaps m->state.dim, m->state.scale, m->state.q, m->state.x"
    assert made.source.startswith("    for (int i = 0; i < s->dim; i++)")


def test_a_loop_of_an_inlined_function_has_the_line_of_the_call() -> None:
    (found,) = (one for one in nests().found if one.function == "long_one" and one.inlined and not one.outer)
    assert found.elsewhere and found not in nests().outermost("long_one")  # it is counted in matmul
    lines = SOURCE.read_text().splitlines()
    assert "matmul(s->q" in lines[found.first - 1]
    assert lines[found.inlined - 1].strip().startswith("for (int i = 0; i < d")
    assert set(params(import_nest(nests(), found)).values()) == {"int", "float *", "const float *"}


def test_a_break_is_a_way_out_and_two_variables_are_results() -> None:
    made = fragment("a break, two results")
    assert params(made) == {"count": "unsigned int", "bytes": "uint8_t *"}
    assert isinstance(made.result, TupleType)
    assert set(made.result.items) == {MachineInt(32, False), MachineInt(32, True)}


@pytest.mark.parametrize("comment", ["a break past variables of the body", "and another one"])
def test_a_break_past_variables_of_the_body_is_the_same_way_out(comment: str) -> None:
    assert {"x", "n", "most"} <= set(params(fragment(comment)))


def test_a_pointer_that_is_left_behind_is_counted_from_where_it_began() -> None:
    assert fragment("a pointer is left behind").result == MachineInt(64, True)


@pytest.mark.parametrize(
    ("comment", "why"),
    [("left to two places", "can be left to two places"), ("never left", "is never left")],
)
def test_a_loop_without_one_way_out_is_refused(comment: str, why: str) -> None:
    with pytest.raises(Unsupported) as caught:
        fragment(comment)
    assert caught.value.diagnostic.message.startswith(f"the loop at line {line_of(comment)} {why}")
    assert caught.value.diagnostic.location.line == line_of(comment)


def test_local_arrays_and_globals_are_pointers_and_do_not_overlap() -> None:
    table = fragment("a local array")
    assert [(p.var.name, isinstance(p.var.type, TensorType)) for p in table.params] == [("l", False), ("table", True)]
    globals_ = fragment("globals, and an array that lives inside")
    assert {p.var.name: p.noalias for p in globals_.params} == {"total": False, "grid": True}
    assert [var.name for var in globals_.locals] == ["row"]


def test_pointers_into_one_array_are_one_parameter() -> None:
    assert set(params(fragment("two pointers into one array"))) == {"bytes", "count"}
    overlapping = fragment("overlapping parts of one array")
    assert [p.var.name for p in overlapping.params if isinstance(p.var.type, TensorType)] == ["a"]


def test_a_start_value_that_may_be_undefined_is_a_parameter() -> None:
    made = fragment("from a variable that may not be set")
    assert params(made) == {"n": "int", "a": "const int *", "x": "int"}


def test_a_loop_of_gotos_is_a_loop() -> None:
    (found,) = nests().outermost("by_goto")
    assert params(import_nest(nests(), found)) == {"a": "int *", "n": "int"}


def test_a_line_means_the_loop_that_begins_there_else_those_around_it() -> None:
    inner = next(one for one in nests().found if one.function == "matmul" and one.outer)
    assert at_line(nests(), inner.first) == (inner,)
    (around,) = at_line(nests(), inner.first + 1)
    assert (around.function, around.outer) == ("matmul", "")
    with pytest.raises(UsageError, match=r"no loop at line 1; loop nests begin at the lines \d+, "):
        at_line(nests(), 1)


def test_every_outermost_loop_is_found() -> None:
    counted = {
        symbol: len(nests().outermost(symbol)) for symbol in ("matmul", "long_one", "rows_of", "undefined_start", "by_goto")
    }
    assert counted == {"matmul": 1, "long_one": 8, "rows_of": 1, "undefined_start": 1, "by_goto": 1}


def test_without_the_plugin_a_line_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    module = compile_source(SOURCE)
    monkeypatch.setenv("METALIFT_PLUGIN", "none")
    with pytest.raises(UsageError, match="loop nests as units need the LLVM pass, .*doctor"):
        find_nests(module)


def test_structs_that_the_body_makes_are_none_of_the_results() -> None:
    made = fragment("boxes")
    assert params(made) == {"n": "int", "v": "const float *"}
    assert made.result == TupleType((FLOAT, FLOAT))


def test_structs_that_are_passed_in_vector_registers_are_their_members() -> None:
    assert set(params(fragment("boxes in registers"))) == {"n", "v", "total", "other_x", "other_h"}
    assert {"n", "sum", "p_x", "p_y", "p_z"} == set(params(fragment("in a vector register and a float")))


def test_structs_that_are_passed_in_an_integer_are_their_members() -> None:
    made = fragment("members in one register")
    assert params(made) == {"n": "int", "h_low": "short", "h_high": "short", "h_both": "int"}
    assert made.result == MachineInt(32, True)


def test_members_of_a_copied_struct_that_nothing_reads_are_not_there() -> None:
    expected = {"n": "int", "total": "float", "l_cells": "float *", "l_width": "int"}
    assert params(fragment("a copy of which little is used")) == expected


def test_a_struct_that_the_function_returns_is_its_members() -> None:
    made = fragment("into a result")
    expected = {"p_rows": "int", "p_columns": "int", "p_data": "float *", "result_data": "float *"}
    assert params(made) == expected and made.result is None
    made = fragment("another member of a result")
    assert params(made) == {"most": "int", "result_rows": "int"} and made.result == MachineInt(32, True)


def test_members_of_structs_by_value_are_parameters() -> None:
    assert params(fragment("in memory")) == {"total": "float", "p_rows": "int", "p_data": "float *"}
    assert params(fragment("in registers")) == {"total": "float", "t_rows": "int", "t_cells": "float * *"}
