"""Maps whose values are pairs, tuples and structs do at each key what the compiled source does."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.support.map_sources import HEAD, LOOP, check_all, fragments, text_of

STRUCTS = """
struct Totals { int first = 0; double second = 0; void add(int x) { first += x; second++; } };
struct Plain { int first; double second; };
struct Range { int first = 7; double second = -2.5; };
struct Made { int first; double second; Made() : first(3), second(0) {} Made(int f, double s) : first(f), second(s) {} };
"""
OF_LIBRARY = ("std::map<int, std::pair<int, double>>", "std::unordered_map<int, std::pair<int, double>>")
TYPES = (*OF_LIBRARY, "std::map<int, Totals>", "std::map<int, Plain>", "std::unordered_map<int, Range>", "std::map<int, Made>")
STEPS = (
    "m[keys[i]].first += xs[i]; m[keys[i]].second++;",
    "auto &c = m[keys[i]]; c.first += xs[i]; if (c.second < 3) c.second += c.first;",
    "auto &c = m[keys[i]]; auto &d = m[xs[i]]; c.first += 1; d.second += 1;",
    "auto &c = m[keys[i]]; m[xs[i]].first = 4; c.second += c.first;",
    "auto c = m[keys[i]]; m[keys[i]].first = 9; c.first++; m[keys[i]].second = c.first;",
    "m[keys[i]] = {xs[i], 0.5};",
    "m[keys[i]].first = 2; m[keys[i]] = V{xs[i], m[keys[i]].first + 1.0};",
    "auto it = m.find(keys[i]); if (it == m.end()) m.emplace(keys[i], V{xs[i], 1}); else it->second.second *= xs[i];",
    "auto it = m.find(keys[i]); if (it == m.end()) m[keys[i]] = {xs[i], 1.0};"
    " else { it->second.first = std::max(it->second.first, xs[i]); it->second.second += 1; }",
    "m.insert({keys[i], V{xs[i], 1}}); m.at(keys[i]).first++;",
    "m.insert_or_assign(keys[i], V{xs[i], 1}); m[keys[i]].second += xs[i];",
    "if (m.count(keys[i])) { m[keys[i]].first += xs[i]; m[keys[i]].second += 2; } else m[keys[i]] = {xs[i], 2.0};",
    "auto [a, b] = m[keys[i]]; m[keys[i]] = {a + 1, b + xs[i]};",
    "auto &[a, b] = m[keys[i]]; a++; b += a;",
    "m[keys[i]]; m[xs[i]] = V{1, 2};",
    "m[keys[i]] = V(); m[keys[i]].first -= 1;",
    "V v = m[keys[i]]; v.second = 3; m[keys[i]] = v;",
)
ENDS = (
    "return m;",
    "M r; for (const auto &p : m) r[p.first] = p.second; return r;",
    "M r; for (const auto &[k, p] : m) { r[k].first = p.first * 2; r[k].second = p.second + p.first; } return r;",
    "M r; for (auto p : m) if (p.second.first > 1) r.insert(p); return r;",
    "for (auto &p : m) p.second.second = p.second.first; return m;",
    "M r = m; for (auto &p : m) { if (p.second.first < 0) continue; r[p.first].first -= 1; } return r;",
)
TUPLE = "std::map<int, std::tuple<int, double, long>>"
TUPLE_STEPS = (
    "std::get<0>(m[keys[i]]) += xs[i]; std::get<2>(m[keys[i]])++;",
    "auto &g = m[keys[i]]; std::get<1>(g) += xs[i]; std::get<0>(g) = 2;",
    "m[keys[i]] = {xs[i], 0.5, 1};",
    "m[keys[i]] = std::make_tuple(xs[i], std::get<1>(m[keys[i]]) + 1, std::get<2>(m[keys[i]]));",
    "auto [a, b, c] = m[keys[i]]; m[keys[i]] = std::tuple<int, double, long>(a + 1, b + xs[i], c);",
    "int a; double b; long c; std::tie(a, b, c) = m[keys[i]]; m[keys[i]] = std::make_tuple(a, b + xs[i], c + 1);",
    "auto it = m.find(keys[i]); if (it == m.end()) m.emplace(keys[i], std::make_tuple(xs[i], 1.0, 2L));"
    " else std::get<2>(it->second) = std::max(std::get<2>(it->second), 3L);",
)
TRUTH_STEPS = (
    "if (xs[i] > 0) m[keys[i]] = true;",
    "m[keys[i]] = xs[i] > 0;",
    "m[keys[i]] = !m[keys[i]];",
    "bool &b = m[keys[i]]; b = b || xs[i] > 2;",
    "auto it = m.find(keys[i]); if (it == m.end()) m.emplace(keys[i], true); else it->second = xs[i] < 0;",
    "m.insert({keys[i], xs[i] == 1}); if (m.at(keys[i])) m[keys[i]] = false;",
)
REFUSED = {
    "a value reaches another key": f"M m; int c = 0; {LOOP} {{ m[keys[i]].first = c; c = m[keys[i]].first + 1; }} return m;",
    "another part of another key": f"M m; {LOOP} m[keys[i]].first = m[xs[i]].second; return m;",
    "a whole value of another key": f"M m; {LOOP} m[keys[i]] = m[xs[i]]; return m;",
    "a condition at another key": f"M m; {LOOP} if (m[xs[i]].first > 0) m[keys[i]].second = 1; return m;",
    "a reference to one of two": f"M m; {LOOP} {{ auto &c = xs[i] ? m[keys[i]] : m[xs[i]]; c.first++; }} return m;",
    "a pointer that is kept": f"M m; auto *c = &m[0]; {LOOP} {{ c->first++; c = &m[keys[i]]; }} return m;",
    "a reference that moves": "M m; for (int k : keys) m[k].first++; auto &c = m[0]; M r = std::move(m); c.first = 5; return r;",
    "bytes of a number": f"M m; {LOOP} *reinterpret_cast<char *>(&m[keys[i]].first) = 1; return m;",
    "a number as another": f"M m; {LOOP} *reinterpret_cast<float *>(&m[keys[i]].first) = 1; return m;",
    "beyond the value": f"M m; {LOOP} *(&m[keys[i]].first + xs[i]) = 1; return m;",
    "of all keys": "M m, r; for (int k : keys) m[k].first++; for (auto &p : m) r[0].second += p.second.first; return r;",
}
VALUES_REFUSED = (
    "struct V { int first = 0; int second[2]; };",
    "struct V { int first = 0; const char *second; };",
    "struct V { int first; int second = 0; V() : second(1) {} };",  # one that is not initialised
    "int made; struct V { int first = made; int second = 0; };",
    "struct V { int first = 0; int second = 0; V(); };",
    "struct V { int first = 0; int second = 0; V() { if (this->second == 0) first = 1; } };",
    "struct A { int first = 1; }; struct V : A { int second = 0; };",
    "struct V { int first : 3; int second; };",
    "union V { int first; int second; };",
    "struct V { int first = 0; int second = 0; V() = default; V(const V &o) : first(o.first + 1), second(o.second) {} };",
    "struct V { int first = 0; int second = 0; V &operator=(const V &o) { first = o.first; return *this; } };",
    "int ended; struct V { int first = 0; int second = 0; ~V() { ended++; } };",
)
CODED = ("struct i { int first = 7; };", "struct d { double first; };", "struct S { int first; };")


def head_of(type_: str) -> str:
    """What stands before functions that make maps of a type, with a name for its values."""
    return f"{HEAD}{STRUCTS}typedef {type_}::mapped_type V;\n"


@pytest.mark.quick("std::map<int, std::pair<int, double>>")
@pytest.mark.parametrize("type_", TYPES)
def test_structs_and_pairs(type_: str, tmp_path: Path) -> None:
    bodies = {
        f"f{one}_{two}": (type_, f"M m; {LOOP} {{ {step} }} {end}")
        for (one, step), (two, end) in itertools.product(enumerate(STEPS), enumerate(ENDS))
        if two == 0 or one % len(ENDS) == two
    }
    if "pair" not in type_:
        bodies["method"] = ("std::map<int, Totals>", f"M m; {LOOP} m[keys[i]].add(xs[i]); return m;")
    check_all(tmp_path / "maps.cc", bodies, head_of(type_), ("p.second.first", "p.second.second"))


@pytest.mark.quick("std::map<int, bool>")
@pytest.mark.parametrize("type_", ["std::map<int, bool>", "std::unordered_map<int, bool>"])
def test_truth_values(type_: str, tmp_path: Path) -> None:
    bodies = {f"f{number}": (type_, f"M m; {LOOP} {{ {step} }} return m;") for number, step in enumerate(TRUTH_STEPS)}
    bodies["other"] = (type_, f"M m, r; {LOOP} m[keys[i]] = xs[i] > 1; for (auto &[k, v] : m) r[k] = !v; return r;")
    check_all(tmp_path / "maps.cc", bodies, HEAD, ("(p.second ? 1 : 0)",))


def test_tuples(tmp_path: Path) -> None:
    bodies = {f"f{number}": (TUPLE, f"M m; {LOOP} {{ {step} }} return m;") for number, step in enumerate(TUPLE_STEPS)}
    numbers = [f"std::get<{part}>(p.second)" for part in range(3)]
    check_all(tmp_path / "maps.cc", bodies, HEAD, numbers)


def test_numbers_of_several_parts(tmp_path: Path) -> None:
    body = f"std::map<int, std::pair<int, int>> m; {LOOP} {{ m[keys[i]].first += xs[i]; m[keys[i]].second++; }}"
    end = "M r; for (const auto &[k, p] : m) r[k] = p.first - p.second * 0.25; return r;"
    check_all(tmp_path / "maps.cc", {"f": ("std::map<int, double>", f"{body} {end}")})


@pytest.mark.parametrize("type_", [TYPES[0], "std::map<int, Totals>"])
def test_what_reaches_beyond_a_key_is_refused(type_: str, tmp_path: Path) -> None:
    bodies = {f"refused{number}": (type_, body) for number, body in enumerate(REFUSED.values())}
    path = tmp_path / "refused.cc"
    path.write_text(text_of(bodies, head_of(type_), ("p.second.first",)))
    accepted = fragments(path, list(bodies))
    assert [name for number, name in enumerate(REFUSED) if f"refused{number}" in accepted] == []


@pytest.mark.quick(every=6)
@pytest.mark.parametrize("made", VALUES_REFUSED)
def test_values_of_which_it_is_not_known_what_they_are_at_first_are_refused(made: str, tmp_path: Path) -> None:
    path = tmp_path / "refused.cc"
    bodies = {"f": ("std::map<int, V>", f"M m; {LOOP} m[keys[i]].first++; return m;")}
    path.write_text(text_of(bodies, f"{HEAD}{made}\n", ("p.second.first",)))
    assert fragments(path, ["f"]) == {}


@pytest.mark.parametrize("made", CODED)
def test_a_class_with_the_name_of_a_code_is_no_number(made: str, tmp_path: Path) -> None:
    name = made.split()[1]
    path = tmp_path / "refused.cc"
    bodies = (
        f"bool operator<(const {name} &a, const {name} &b) {{ return a.first / 10 < b.first / 10; }}",
        f"std::map<int, {name}> f(const std::vector<int> &xs) {{",
        f"std::map<int, {name}> m; for (int x : xs) m[x].first += 1; return m; }}",
        f"std::set<{name}> g(const std::vector<{name}> &xs) {{",
        f"std::set<{name}> m; for (auto &x : xs) m.insert(x); return m; }}",
        f"unsigned long h(const std::vector<{name}> &xs) {{ return xs.size(); }}",
    )
    heads = ("#include <map>", "#include <set>", "#include <vector>", made)
    path.write_text("\n".join((*heads, *bodies)), encoding="utf-8")
    assert fragments(path, ["f", "g", "h"]) == {}
