"""Functions that make maps and sets do at each key what the compiled source does; what reaches beyond a key is refused."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests.support.map_sources import LOOP, check_all, fragments, text_of

MAPS = ("std::map<int, int>", "std::unordered_map<int, int>")
STEPS = (
    "m[keys[i]]++;",
    "m[keys[i]] += xs[i];",
    "m[xs[i]] = m[xs[i]] + keys[i];",
    "m[keys[i] % 2] += xs[i];",
    "m[keys[i]] = xs[i];",
    "int &c = m[keys[i]]; c += xs[i]; if (c > 3) c = 0;",
    "m.insert({keys[i], xs[i]});",
    "m.insert(std::make_pair(keys[i], xs[i]));",
    "m.emplace(keys[i], xs[i]);",
    "m.insert_or_assign(keys[i], xs[i]);",
    "if (!m.insert({keys[i], xs[i]}).second) m[keys[i]] += 10;",
    "auto found = m.emplace(keys[i], xs[i]); found.first->second += 2;",
    "if (m.count(keys[i])) m[keys[i]]++; else m[keys[i]] = 1;",
    "if (m.count(keys[i])) m[keys[i]]++; else m.insert({keys[i], 2});",
    "if (m.find(keys[i]) == m.end()) m[keys[i]] = 0; m[keys[i]] += xs[i];",
    "auto it = m.find(keys[i]); if (it == m.end()) m[keys[i]] = xs[i]; else it->second = std::max(it->second, xs[i]);",
    "auto it = m.find(keys[i]); if (it != m.end() && it->second > xs[i]) it->second = xs[i];"
    " else if (it == m.end()) m[keys[i]] = xs[i];",
    "auto it = m.find(keys[i]); m[keys[i]] = 5; if (it == m.end()) m[keys[i]] = 0;",
    "if (xs[i] > 0) { int c = m[keys[i]]; m[keys[i]] = c * 2 + 1; }",
    "if (m.count(keys[i]) && xs[i] > 1) m.at(keys[i]) -= xs[i]; else m[keys[i]] += 0;",
    "const auto k = keys[i]; m[k] = m.count(k) ? std::min(m[k], xs[i]) : xs[i];",
    "m[static_cast<signed char>(keys[i] * 64)] += 1;",
    "m.at(keys[i]) = xs[i];",
)
ENDS = (
    "return m;",
    "M r; for (const auto &p : m) r[p.first] = p.second * 2 + 1; return r;",
    "M r; for (auto [k, v] : m) if (v > 1) r.emplace(k, v); return r;",
    "for (auto &p : m) p.second = p.second * p.second; return m;",
    "M r = m; for (const auto &p : m) { if (p.second < 0) continue; r[p.first] -= 1; } return r;",
    "M r; for (auto it = m.begin(); it != m.end(); ++it) if (it->first > 0) r.insert(*it); return r;",
)
SETS = {
    "all": "std::set<int> s(keys.begin(), keys.end()); return s;",
    "inserted range": "std::unordered_set<int> s; s.insert(keys.begin(), keys.end()); return s;",
    "some": "std::set<int> s; for (int k : keys) if (k > 0) s.insert(k * 2); return s;",
    "new": "std::unordered_set<int> s; for (int k : keys) if (!s.count(k)) s.insert(k); return s;",
    "both": "std::set<int> s(keys.begin(), keys.end()), t; for (int x : xs) if (s.count(x)) t.insert(x); return t;",
    "difference": "std::set<int> s(keys.begin(), keys.end()), t(xs.begin(), xs.end()), r;"
    " for (int k : s) if (!t.count(k)) r.insert(k); return r;",
    "repeated": "std::set<int> s, t; for (int k : keys) if (!s.insert(k).second) t.insert(k); return t;",
    "narrow": "std::set<signed char> s; for (int k : keys) s.insert(static_cast<signed char>(k * 100)); return s;",
    "unsigned": "std::set<unsigned> s; for (int k : keys) s.insert(k); return s;",
}
REFUSED = {
    "a value reaches another key": f"M m; int c = 0; {LOOP} {{ m[keys[i]] = c; c = m[keys[i]] + 1; }} return m;",
    "a value reaches a number": f"M m; int n = 0; {LOOP} {{ if (!m.count(keys[i])) n++; m[keys[i]] = n; }} return m;",
    "left over": f"M m; int c = 0; {LOOP} {{ if (m.count(keys[i])) c = m[keys[i]]; m[keys[i]] = c + 1; }} return m;",
    "two keys": f"M m; {LOOP} m[keys[i]] = m[xs[i]] + 1; return m;",
    "a condition at another key": f"M m; {LOOP} if (m.count(xs[i])) m[keys[i]] = 1; return m;",
    "a key that is read": f"M m; {LOOP} m[m[keys[i]]] = 1; return m;",
    "how many": f"M m; {LOOP} m[keys[i]] = m.size(); return m;",
    "whether there are any": f"M m; {LOOP} if (m.empty()) m[keys[i]] = 1; return m;",
    "of all keys": "M m, r; for (int k : keys) m[k]++; int s = 0; for (auto &p : m) s += p.second; r[0] = s; return r;",
    "the order of keys": "M m, r; for (int k : keys) m[k]++; int n = 0; for (auto &p : m) r[p.first] = n++; return r;",
    "the first key": "M m, r; for (int k : keys) m[k]++; for (auto &p : m) { r[p.first] = 1; break; } return r;",
    "up to a key": "M m, r; for (int k : keys) m[k]++; for (auto &p : m) { if (p.second > 2) break; r[p.first] = 1; } return r;",
    "a key of a key": "M m, r; for (int k : keys) m[k]++; for (auto &p : m) r[p.second]++; return r;",
    "two loops": "M m, r; for (int k : keys) m[k]++; for (auto &p : m) for (auto &q : m) r[p.first] += q.second; return r;",
    "the last key": "M m, r; for (int k : keys) m[k]++; int c = 0; for (auto &p : m) c = p.first; r[c] = 1; return r;",
    "a loop that ends": f"M m; {LOOP} {{ if (m.count(keys[i])) break; m[keys[i]] = 1; }} return m;",
    "a return": f"M m; {LOOP} {{ if (m.count(keys[i])) return m; m[keys[i]] = 1; }} return m;",
    "an exception": f"M m; {LOOP} {{ if (m.count(keys[i])) throw std::runtime_error(\"twice\"); m[keys[i]] = 1; }} return m;",
    "erased": f"M m; {LOOP} {{ m[keys[i]] = 1; m.erase(xs[i]); }} return m;",
    "cleared": f"M m; {LOOP} {{ m[keys[i]] = 1; if (xs[i] == 0) m.clear(); }} return m;",
    "a list that is changed": f"M m; std::vector<int> v; {LOOP} {{ v.push_back(m[keys[i]]); m[keys[i]] = v[0]; }} return m;",
    "an index": f"M m; {LOOP} {{ int c = m[keys[i]]; m[keys[i]] = xs[c]; }} return m;",
    "a division that may not happen": f"M m; {LOOP} {{ int c = m[keys[i]]; m[keys[i]] = 7 / c; }} return m;",
    "another order": f"M m; {LOOP} m[keys[i]] = 1; auto it = m.begin(); it->second = 2; return m;",
    "neighbours": f"M m; {LOOP} {{ auto it = m.find(keys[i]); if (it != m.end()) {{ ++it; it->second = 1; }} }} return m;",
    "a copy": f"M m, r; {LOOP} {{ if (m.count(keys[i])) r = m; m[keys[i]] = 1; }} return r;",
    "a copy for each key": "M m, r; for (int k : keys) m[k]++; for (int x : xs) r[x] = 1; for (auto &p : m) r = m; return r;",
    "started again": f"M m, r; {LOOP} {{ r[xs[i]] = 1; if (m.count(keys[i])) r = M(); m[keys[i]] = 1; }} return r;",
    "a reference that moves": "M m; for (int k : keys) m[k]++; int &c = m[0]; M r = std::move(m); c = 5; return r;",
    "an iterator that moves": "M m, r; for (int k : keys) m[k]++; auto it = m.find(1); r = std::move(m);"
    " if (!keys.empty()) it->second = 1; return r;",
    "a bound": f"M m; {LOOP} {{ m[keys[i]] = 1; auto it = m.lower_bound(xs[i]); it->second = 2; }} return m;",
    "a key that moves on": f"M m; int k = 0, c = 0; {LOOP} {{ m[k] += c; k = keys[i]; c = m[k]; }} return m;",
    "floats as keys": f"std::map<float, int> f; M m; {LOOP} {{ f[keys[i] * 0.1f] = 1; m[keys[i]] = 1; }} return m;",
    "ordered": f"std::map<int, int, std::greater<int>> f; M m; {LOOP} {{ f[keys[i]] = 1; m[keys[i]] = 1; }} return m;",
}


@pytest.mark.quick(every=2)
@pytest.mark.parametrize("type_", MAPS)
def test_a_function_at_a_key_does_what_it_does_for_all_keys(type_: str, tmp_path: Path) -> None:
    bodies = {
        f"f{one}_{two}": (type_, f"M m; {LOOP} {{ {step} }} {end}")
        for (one, step), (two, end) in itertools.product(enumerate(STEPS), enumerate(ENDS))
        if two == 0 or one % len(ENDS) == two
    }
    check_all(tmp_path / "maps.cc", bodies)


def test_sets(tmp_path: Path) -> None:
    types = {"inserted range": "std::unordered_set<int>", "new": "std::unordered_set<int>"}
    types |= {"narrow": "std::set<signed char>", "unsigned": "std::set<unsigned>"}
    bodies = {f"set{number}": (types.get(name, "std::set<int>"), body) for number, (name, body) in enumerate(SETS.items())}
    check_all(tmp_path / "sets.cc", bodies)


def test_what_reaches_beyond_a_key_is_refused(tmp_path: Path) -> None:
    bodies = {f"refused{number}": (MAPS[0], body) for number, body in enumerate(REFUSED.values())}
    path = tmp_path / "refused.cc"
    path.write_text(text_of(bodies))
    accepted = fragments(path, list(bodies))
    assert [name for number, name in enumerate(REFUSED) if f"refused{number}" in accepted] == []
