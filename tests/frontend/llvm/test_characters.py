"""Strings in C++ whose characters are used: they are read as vectors of char, or refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.frontend import compile_source, functions_of, import_function
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.frontend.llvm.names.string_names import string_call
from metalift.frontend.llvm.names.vector_names import vector_member
from metalift.frontend.llvm.std.characters import MEMBERS, RANGE, VECTOR
from metalift.ir.expr.types import MachineInt, TensorType
from metalift.ir.program.fragment import Assume, Fragment, Ground, ParamKind
from metalift.ir.wellformed.check_fragment import check_fragment
from metalift.result.verdict import Agreement, FunctionVerdict
from metalift.run.workers.outlined import STRING
from tests.support.native import check_against_native, refusal

SOURCE = Path(__file__).parent / "sources" / "strings.cc"
CHARACTERS = TensorType(MachineInt(8, True))
HEAD = "#include <string>\n#include <vector>\nusing std::string; using std::vector; typedef const std::string &Text;\n"
RUN = ("caesar", "letters", "ends", "zeros", "first_null", "raised", "next", "starred", "moved", "both", "mixed", "mirrored")
WITHOUT_NULL = {"first_null", "picked", "palindrome", "reversed", "starred", "mirrored"}  # where the index is not seen to be less
REFUSED = {
    "operator== of std::string": ("bool f(Text a, Text b)", "return a == b && a[0] == 'x';"),
    "std::string::find": ("bool f(Text a)", "return a.find('x') == 0 && a.size() > 3;"),
    "std::string::substr": ("char f(Text a)", "return a.substr(1)[0] + a[0];"),
    "std::string::c_str": ("int f(Text a)", "const char *p = a.c_str(); int n = 0; while (*p++) n++; return n + a.size();"),
    "std::string::string": ("int f(const vector<string> &w)", "string t = w[0]; return t[0];"),
    "std::string::begin": ("int f(Text a, Text b, bool c)", "Text s = c ? a : b; int n = 0; for (char v : s) n += v; return n;"),
    "a change of the length of the parameter s": ("void f(string &s)", "s.push_back('a');"),
    "a std::string that is used after a move": ("string f(string s)", "string t = std::move(s); t[0] = s[0]; return t;"),
    "a std::string that is passed on": ("long f(Text a)", "return a.size() + *reinterpret_cast<const long *>(&a);"),
}  # fmt: skip


@pytest.fixture(scope="module")
def fragments() -> dict[str, Fragment]:
    """All functions of the file, by their names."""
    module = compile_source(SOURCE, ("-std=c++17",))
    return {name: import_function(module, name) for name, _ in functions_of(module)}


def test_all_are_read_as_arrays_of_characters(fragments: dict[str, Fragment]) -> None:
    for name, fragment in fragments.items():
        check_fragment(fragment)
        strings = [param for param in fragment.params if STRING.fullmatch(param.c_type)]
        assert strings and all(param.var.type == CHARACTERS for param in strings), name
    assert [param.kind for param in fragments["mixed"].params] == [ParamKind.VECTOR, ParamKind.VALUE, ParamKind.VECTOR]
    assert fragments["caesar"].params[0].kind is ParamKind.VECTOR_REF
    assert fragments["raised"].result == CHARACTERS


def test_that_the_null_behind_them_is_not_read_is_assumed_where_it_may_be(fragments: dict[str, Fragment]) -> None:
    found = set()
    for name, fragment in fragments.items():
        assumed = (each for block in fragment.blocks for each in block.body if isinstance(each, Assume))
        texts = {each.origin: each.ground for each in assumed if each.origin.startswith("the null behind the characters of ")}
        assert set(texts.values()) <= {Ground.RESTRICTION}
        found |= {name} if texts else set()
    assert found == WITHOUT_NULL


MAY_BE_THE_SIZE = {  # whether an index may be, and the body of a function f(s, k) that gives n
    "at most": (True, "for (size_t i = 0; i <= s.size(); i++) n += s[i] == 0;"),
    "one more": (True, "for (size_t i = 0; i < s.size(); i++) n += s[i + 1] == 0;"),
    "less than another": (True, "string t(s.size() / 2, 'a'); for (size_t i = 0; i < s.size(); i++) n += t[i];"),
    "shorter then": (True, "string t = s; size_t m = t.size(); for (size_t i = 0; i < m; i++) { t.pop_back(); n += t[i]; }"),
    "seen before": (
        True,
        "bool b = false; for (int i = 0;; i++) { if (b) n += s[i]; if (i >= k) break; b = i < (int)s.size(); }",
    ),
    "either": (True, "for (size_t i = 0; i < s.size() || k > 9; i++) n += s[i];"),
    "both": (False, "for (size_t i = 0; k > 9 && i < s.size() && n < 9; i++) n += s[i];"),
    "one less": (False, "for (int i = 1; i < (int)s.size(); i++) n += s[i - 1];"),
    "last": (False, "if (k > 2) n = s[s.size() - 1];"),
    "until": (False, "for (size_t i = 0; i != s.size(); i++) n += s[i];"),
}


@pytest.mark.parametrize("name", MAY_BE_THE_SIZE)
def test_an_index_that_may_be_the_size_is_seen(name: str, tmp_path: Path) -> None:
    expected, body = MAY_BE_THE_SIZE[name]
    source = tmp_path / "kernel.cc"
    source.write_text(f"{HEAD}int f(Text s, int k) {{ int n = 0; {body} return n; }}\n", encoding="utf-8")
    fragment = import_function(compile_source(source), "f")
    assumed = (each for block in fragment.blocks for each in block.body if isinstance(each, Assume))
    assert any(each.origin.startswith("the null behind the characters of ") for each in assumed) == expected


@pytest.mark.parametrize(
    ("body", "listed"),
    [
        ("return s[0];", False),
        ("const char *p = &s[0]; int n = 0; while (*p++) n++; return n;", True),
        ("return *s.data();", True),
    ],
)
def test_that_it_is_not_read_through_a_pointer_is_listed(body: str, listed: bool, tmp_path: Path) -> None:
    source = tmp_path / "kernel.cc"
    source.write_text(f"{HEAD}int f(Text s) {{ {body} }}\n", encoding="utf-8")
    fragment = import_function(compile_source(source), "f")
    text = "the null behind the characters of a string is not read through a pointer"
    assert [each.text for each in fragment.premises] == [text] * listed


@pytest.mark.quick("caesar", "raised", "mixed")
@pytest.mark.parametrize("name", RUN)
def test_the_fragment_does_what_the_source_does(name: str, fragments: dict[str, Fragment]) -> None:
    check_against_native(fragments[name], SOURCE)


def test_one_is_lifted_end_to_end(tmp_path: Path) -> None:
    [found] = lift(SOURCE, functions=["palindrome"], to=["numpy"], out=tmp_path).functions
    assert found.verdict is FunctionVerdict.PROVED
    assumed = [each.text for each in found.assumptions]
    assert sum(text.startswith("the null behind the characters of s is not read (line ") for text in assumed) == 1


@pytest.mark.plugin
def test_a_loop_over_the_characters_is_lifted_alone(tmp_path: Path) -> None:
    source = tmp_path / "kernel.cc"
    body = "char b[9]; fgets(b, 9, f); for (size_t i = 0; i < s.size(); i++) s[i] = s[i] == 'a' ? 'b' : s[i]; return b[0];"
    source.write_text(f"#include <cstdio>\n{HEAD}int f(string &s, FILE *f) {{ {body} }}\n", encoding="utf-8")
    whole, loop = lift(source, to=["numpy"], nests=True, out=tmp_path).functions
    assert (whole.verdict, loop.verdict) == (FunctionVerdict.UNSUPPORTED, FunctionVerdict.PROVED)
    assert loop.targets["numpy"].checked is Agreement.AGREES


@pytest.mark.quick(every=4)
@pytest.mark.parametrize("reason", REFUSED)
def test_what_else_is_asked_of_them_is_refused_by_name(reason: str, tmp_path: Path) -> None:
    signature, body = REFUSED[reason]
    found = refusal(HEAD, signature, body, tmp_path)
    if not find_clang().zig:
        assert str(found.diagnostic.message).startswith(reason)


def test_members_are_those_of_vectors() -> None:
    for (name, params), suffix in MEMBERS.items():
        member = vector_member(f"{VECTOR}{suffix}"[1:])
        assert member is not None and member.element == "c", suffix
        assert name in (member.name, "length", "operator+=", "reserve", "assign")
        assert len(member.params) >= len(params) or name == "reserve"
    ranged = vector_member(f"{VECTOR}{RANGE}"[1:])
    assert ranged is not None and ranged.template[0] == "char const*"
    assert ranged.params[-1] == "std::allocator<char> const&"


@pytest.mark.parametrize(
    "symbol",
    [
        "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv",
        "_ZNKSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE4sizeB8ne220108Ev",
    ],
)
def test_both_libraries_are_known(symbol: str) -> None:
    call = string_call(symbol)
    assert call is not None and (call.name, call.params) in MEMBERS
