"""Maps of vectors that are only counted and gone through do at each key what the compiled source does."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend.llvm.compile.clang import compile_source
from metalift.frontend.llvm.source import import_function
from metalift.ir.interp.interpret import run
from metalift.ir.interp.values import SourceUndefined
from tests.support.map_sources import HEAD, LOOP, check_all, fragments, text_of

LISTS = ("std::map<int, std::vector<int>>", "std::unordered_map<int, std::vector<int>>")
ADDED = (
    "m[keys[i]].push_back(xs[i]);",
    "m[keys[i]].emplace_back(xs[i] * 2);",
    "if (xs[i] > 0) m[keys[i]].push_back(xs[i]); else m[keys[i]];",
    "auto &list = m[keys[i]]; if (list.size() < 2) list.push_back(xs[i]);",
    "auto found = m.find(keys[i]); if (found != m.end()) found->second.push_back(xs[i]); else m[keys[i]].push_back(7);",
    "m[keys[i]].push_back(1); m[xs[i]].push_back(2);",
    "auto &list = m[keys[i]]; m[xs[i]].push_back(3); list.push_back(xs[i]);",
)
ASKED = (
    "int s = 0; for (int x : list) s += x; r[k] = s;",
    "r[k] = list.size();",
    "double s = 0; for (auto x : list) s += x * x; r[k] = s * 2 + list.size();",
    "int best = -5; for (int x : list) if (x > best) best = x; r[k] = best;",
    "int best = -5, n = 0; for (const auto &x : list) { best = x < best ? best : x; n += x > 1 && x != 3; } r[k] = best + n;",
    "if (list.size() > 1) r[k] = std::accumulate(list.begin(), list.end(), 3);",
    "int s = 1; for (int x : list) s += x; int t = 4; for (int x : list) if (x > 0) t -= 2; else t += x; r[k] = s * t;",
    "if (!list.empty()) { long s = 2; for (int x : list) s = s * 3 + x; r[k] = s; }",
)
REFUSED = {
    "an element": "r[k] = list[0];",
    "the last": "r[k] = list.back();",
    "up to an element": "int s = 0; for (int x : list) { if (x < 0) break; s += x; } r[k] = s;",
    "what another loop computed": "int s = 0; for (int x : list) s += x; int t = 0; for (int x : list) t += x * s; r[k] = t;",
    "a division": "int s = 0; for (int x : list) s += 10 / x; r[k] = s;",
    "another map": "int s = 0; for (int x : list) { s += x; r[x] = s; }",
    "what is not constant at first": "int s = k; for (int x : list) s += x; r[k] = s;",
    "places": "int s = 0; for (size_t j = 1; j < list.size(); j++) s += list[j] - list[j - 1]; r[k] = s;",
    "a copy": "auto copy = list; r[k] = copy.size();",
    "elements of all": "for (int x : list) r[0] += x;",
}
ADDED_REFUSED = {
    "something of another key": "m[keys[i]].push_back(m[xs[i]].size());",
    "a size of another key": "if (m[xs[i]].size() > 1) m[keys[i]].push_back(1);",
    "the vector of another key": "m[keys[i]] = m[xs[i]];",
    "a vector": "m[keys[i]] = std::vector<int>(3, xs[i]);",
    "inserted": "m.emplace(keys[i], std::vector<int>(3, xs[i]));",
    "cleared": "m[keys[i]].push_back(1); if (xs[i] > 1) m[keys[i]].clear();",
    "an element that changes": "m[keys[i]].push_back(1); m[keys[i]][0] = xs[i];",
    "a vector that moves": "m[keys[i]].push_back(1); auto v = std::move(m[keys[i]]);",
    "one of two": "auto &list = xs[i] > 0 ? m[keys[i]] : m[xs[i]]; list.push_back(1);",
}
WHOLE = (
    "for (auto &e : m) e.second.push_back(4); for (auto &[k, l] : m) { int s = 0; for (int x : l) s += x; r[k] = s; }",
    f"L n = m; {LOOP} n[xs[i]].push_back(2); for (auto &[k, l] : n) {{ int s = 3; for (int x : l) s -= x; r[k] = s; }}"
    " for (auto &[k, l] : m) { int s = 0; for (int x : l) s += x; r[k] += s; }",
    f"L n; n = std::move(m); {LOOP} m[xs[i]].push_back(1);"
    " for (auto &[k, l] : m) { int s = 3; for (int x : l) s -= x; r[k] = s; }"
    " for (auto &[k, l] : n) { int s = 3; for (int x : l) s -= x; r[k] += s; }",
    f"{LOOP} {{ m[keys[i]].push_back(1); int s = 0; for (int x : m[keys[i]]) s += x; r[keys[i]] = s; }}",
)
WHOLE_REFUSED = (
    f"{LOOP} {{ int s = 0; for (int x : m[xs[i]]) s += x; r[keys[i]] = s; }}",
    f"{LOOP} {{ int s = 0; for (int x : m[xs[i]]) s += x; m[keys[i]].push_back(s); }}",
    "for (auto &[k, l] : m) for (auto &[k2, l2] : m) { int s = 3; for (int x : l2) s -= x; r[k] = s; }",
    "int s = 0; for (auto &[k, l] : m) { for (int x : l) s -= x; r[k] = s; }",
    "for (auto &[k, l] : m) { int s = 0; for (int x : m[k + 1]) s -= x; r[k] = s; }",
)
TOP = f"#include <numeric>\n{HEAD}"
RESULT = "std::map<int, double>"
PLAIN = "int s = 0; for (int x : list) s += x; r[k] = s;"


def body_of(type_: str, added: str, asked: str) -> str:
    """A function that collects and then asks."""
    return f"{type_} m; {LOOP} {{ {added} }} M r; for (const auto &[k, list] : m) {{ {asked} }} return r;"


@pytest.mark.quick(every=2)
@pytest.mark.parametrize("type_", LISTS)
def test_a_function_at_a_key_does_what_it_does_for_all_keys(type_: str, tmp_path: Path) -> None:
    pairs = [(one, two) for one in range(len(ADDED)) for two in range(len(ASKED)) if one == 0 or two % len(ADDED) == one]
    pairs += [(one, len(ASKED) - 1) for one in range(1, len(ADDED))]
    bodies = {f"f{one}_{two}": (RESULT, body_of(type_, ADDED[one], ASKED[two])) for one, two in pairs}
    check_all(tmp_path / "lists.cc", bodies, TOP)


def test_members_of_an_entry(tmp_path: Path) -> None:
    loop = f"{LISTS[1]} m; {LOOP} m[keys[i]].push_back(xs[i]); M r; for (const auto &e : m)"
    total = "std::accumulate(e.second.begin(), e.second.end(), 0)"
    check_all(tmp_path / "lists.cc", {"f": (RESULT, f"{loop} r[e.first] = {total} + 2.0 * e.second.size(); return r;")}, TOP)


def test_lists_in_several_maps_and_at_several_times(tmp_path: Path) -> None:
    head = f"typedef {LISTS[0]} L; L m; M r; {LOOP} m[keys[i]].push_back(xs[i]);"
    check_all(tmp_path / "lists.cc", {f"f{at}": (RESULT, f"{head} {text} return r;") for at, text in enumerate(WHOLE)}, TOP)
    path = tmp_path / "refused.cc"
    refused = {f"refused{at}": (RESULT, f"{head} {text} return r;") for at, text in enumerate(WHOLE_REFUSED)}
    path.write_text(text_of(refused, TOP))
    assert fragments(path, list(refused)) == {}


def test_what_is_not_a_value_of_a_list_is_refused(tmp_path: Path) -> None:
    asked = {f"asked {name}": body_of(LISTS[0], ADDED[0], text) for name, text in REFUSED.items()}
    added = {f"added {name}": body_of(LISTS[0], text, PLAIN) for name, text in ADDED_REFUSED.items()}
    texts = [*asked.values(), *added.values()]
    path = tmp_path / "refused.cc"
    path.write_text(text_of({f"refused{number}": (RESULT, text) for number, text in enumerate(texts)}, TOP))
    accepted = fragments(path, [f"refused{number}" for number in range(len(texts))])
    assert [name for number, name in enumerate([*asked, *added]) if f"refused{number}" in accepted] == []


@pytest.mark.parametrize(("condition", "computed"), [("", True), ("if (list.size() > 2)", False)])
def test_a_sum_that_the_source_does_not_compute_may_leave_its_type(condition: str, computed: bool, tmp_path: Path) -> None:
    path = tmp_path / "sums.cc"
    path.write_text(text_of({"f": (RESULT, body_of(LISTS[0], ADDED[0], f"{condition} {{ {PLAIN} }}"))}, TOP))
    fragment = import_function(compile_source(path), "f")
    args = {"keys": [1, 1], "xs": [2**31 - 1, 1], "key": 1}
    if computed:
        with pytest.raises(SourceUndefined):
            run(fragment, args)
    else:
        assert run(fragment, args).result == (False, 0)
