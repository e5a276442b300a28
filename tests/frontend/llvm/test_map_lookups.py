"""Maps and sets of C++ that are only asked once they are filled: what is read does what the compiled source does."""

from __future__ import annotations

import ctypes
import itertools
import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from metalift.frontend import compile_source, import_function
from metalift.ir.interp.execute import Outcome
from metalift.ir.interp.interpret import AssumeViolated, run
from metalift.ir.program.fragment import Unsupported
from tests.support.compiled import shared_library
from tests.support.map_sources import HEAD

FILL = "for (std::size_t i = 0; i < keys.size(); i++)"
ASK = "for (std::size_t j = 0; j < xs.size(); j++)"
FILLS = (
    "m[keys[i]] = xs[i];",
    "m[keys[i]] += xs[i];",
    "if (!m.count(keys[i])) m[keys[i]] = xs[i];",
    "m.insert({keys[i], xs[i]});",
    "m.emplace(xs[i], keys[i]);",
    "m[keys[i]] = std::max(m[keys[i]], xs[i]);",
    "auto it = m.find(keys[i]); if (it == m.end()) m[keys[i]] = 1; else it->second++;",
    "if (xs[i] > 0) m[keys[i]]++; else m[xs[i]] = keys[i];",
    "int k = keys[i] + 1; m[k] -= 2; limit = k;",
    "if (xs[i] == 2) continue; if (keys[i] == 3) break; m[keys[i]] = limit; limit += xs[i];",
    "m[2] = xs[i]; m[keys[i]];",
)
ASKS = (
    "if (m.count(xs[j])) t += 3;",
    "auto it = m.find(keys[j] + 1); if (it != m.end()) t = 2 * t + it->second;",
    "t += m[xs[j]] * (t + 1);",
    "if (m.count(keys[j]) > 0) t += m[keys[j]] * (int)j;",
    "if (m.find(xs[j]) == m.end()) continue; t += limit;",
    "t -= m.at(keys[j]);",
    "if (m.count(xs[j]) && !m.count(keys[j])) t += m.at(xs[j]);",
    "if (!m.count(xs[j])) return -t; t++;",
    "if (m.count(t % 3)) t++; else t += 2;",
    "int k = xs[j]; if (m.count(k)) { k = keys[j]; if (m.count(k)) t += k; }",
    "const int &v = m[keys[j]]; t = std::max(t, v);",
)
OTHERS = {
    "early": f"if (keys.empty()) return 7; M m; {FILL} {{ if (xs[i] < -1) return 5; m[keys[i]] = xs[i]; }}"
    f" int t = 0; {ASK} t += m[xs[j]]; return t;",
    "two": f"std::set<int> bad(xs.begin(), xs.end()); M m; {FILL} if (!bad.count(keys[i])) m[keys[i]]++;"
    f" int t = 0; {ASK} if (m.count(keys[j])) t += m[keys[j]] + 1; return t;",
    "chained": f"M m, n; {FILL} {{ m[keys[i]] = xs[i]; n[xs[i]] = (int)i; }} int t = 0; {ASK} t += n[m[keys[j]]]; return t;",
    "copied list": f"std::vector<int> own; {FILL} own.push_back(xs[i] * 2); M m; for (int k : own) m[k]++; own.clear();"
    f" int t = 0; {ASK} t += m[keys[j]]; return t + (int)own.size();",
    "outside loops": f"M m; {FILL} m[keys[i]] = xs[i]; int t = m.count(1) ? 10 : 20; if (m.count(2)) t += m[2]; return t;",
    "both ways": f"M m; {FILL} m[keys[i]] = xs[i]; int t = 0; if (keys.size() > 2) {{ {ASK} t += m.count(xs[j]); }}"
    f" else {{ {ASK} if (!m.count(keys[j])) t -= 2; else t += 5; }} return t;",
    "a limit": f"int limit = 2; M m; {FILL} if (xs[i] < limit) m[keys[i]] = limit; limit = 9; int t = 0;"
    f" {ASK} t += m[xs[j]] * limit; return t;",
    "a set": f"std::unordered_set<int> s; {FILL} s.insert(xs[i] - 1); int t = 0;"
    f" {ASK} t += s.find(keys[j]) != s.end(); return t;",
    "pairs": f"std::map<std::pair<int, int>, int> p; {FILL} p[{{keys[i], xs[i]}}]++; int t = 0;"
    f" {ASK} t += p[{{xs[j], keys[j]}}]; return t;",
    "structs": f"std::map<int, Both> p; {FILL} {{ p[keys[i]].first += xs[i]; p[keys[i]].second++; }} int t = 0;"
    f" {ASK} {{ auto it = p.find(xs[j]); if (it != p.end()) t += it->second.first * it->second.second; }} return t;",
    "a whole struct": f"std::map<int, Both> p; {FILL} p[keys[i]] = Both{{xs[i], (int)i}}; int t = 0;"
    f" {ASK} {{ Both b = p[xs[j]]; b.first++; t += b.first * b.second; }} return t;",
}
REFUSED = {
    "filled between": f"M m; {FILL} {{ m[keys[i]]++; t += m[xs[i]]; }} return t;",
    "asked and changed": f"M m; {FILL} m[keys[i]] = xs[i]; {ASK} if (m.count(xs[j])) {{ t++; m[xs[j]] = 0; }} return t;",
    "erased": f"M m; {FILL} m[keys[i]] = xs[i]; m.erase(2); {ASK} t += m.count(xs[j]); return t;",
    "cleared": f"M m; {FILL} m[keys[i]] = xs[i]; {ASK} {{ t += m.count(xs[j]); if (t > 3) m.clear(); }} return t;",
    "an alias": f"M m; {FILL} m[keys[i]] = xs[i]; M *p = t > 0 ? &m : nullptr; {ASK} if (p) t += p->count(xs[j]); return t;",
    "swapped": f"M m, n; {FILL} m[keys[i]] = xs[i]; m.swap(n); {ASK} t += m.count(xs[j]); return t;",
    "a reference that is kept": f"M m; {FILL} m[keys[i]] = xs[i]; int &r = m[2]; {ASK} {{ t += m[xs[j]]; r++; }} return t;",
    "a new one each time": f"for (int k : xs) {{ M m; {FILL} m[keys[i] + k]++; t += m[k]; }} return t;",
    "read while it is filled": f"M m; {FILL} {{ m[keys[i]]++; if (m.count(2)) t++; }} {ASK} t += m[xs[j]]; return t;",
    "with its size": f"M m; {FILL} m[keys[i]]++; {ASK} t += m[xs[j]]; return t + (int)m.size();",
}
WRITTEN = """int f(std::vector<int> &keys, List xs) {{
    std::map<int, int> m; {} m[keys[i]]++; keys[0] = 3; int t = 0; {} t += m[xs[j]]; return t;
}}"""


def bodies(type_: str) -> dict[str, str]:
    """Every way to fill with every way to ask, and others."""
    head = "M m; int t = 0, limit = 1;"
    made = {
        f"{fill} {ask}": f"{head} {FILL} {{ {fill} }} {ASK} {{ {ask} }} return t;" for fill, ask in itertools.product(FILLS, ASKS)
    }
    return {name: f"typedef {type_} M; {body}" for name, body in (made | OTHERS).items()}


def text_of(functions: Mapping[str, str]) -> str:
    """A file with the functions, and what calls them with arrays: -1000 where they throw."""
    parts = [HEAD, "struct Both { int first = 0, second = 0; Both() {} Both(int f, int s) : first(f), second(s) {} };"]
    for name, body in functions.items():
        parts.append(f"int {name}(List keys, List xs) {{ {body} }}")
        given = "std::vector<int>(a, a + size), std::vector<int>(b, b + size)"
        parts.append(f'extern "C" int call_{name}(const int *a, const int *b, int size) {{')
        parts.append(f"try {{ return {name}({given}); }} catch (...) {{ return -1000; }} }}")
    return "\n".join(parts) + "\n"


@pytest.mark.quick(every=2)
@pytest.mark.parametrize("type_", ["std::map<int, int>", "std::unordered_map<int, int>"])
def test_does_what_the_compiled_source_does(type_: str, tmp_path: Path) -> None:
    known = {f"f{number}": body for number, body in enumerate(bodies(type_).values())}
    path = tmp_path / "lookups.cc"
    path.write_text(text_of(known), encoding="utf-8")
    native, module, rng = shared_library(path, tmp_path, "-std=c++17"), compile_source(path), random.Random(5)
    for name, body in known.items():
        fragment, compared = import_function(module, name), 0
        for _ in range(14):
            size = rng.randrange(7)
            keys, xs = ([rng.randint(-2, 3) for _ in range(size)] for _ in range(2))
            arrays = [(ctypes.c_int * size)(*values) for values in (keys, xs)]
            expected = getattr(native, f"call_{name}")(*arrays, size)
            try:
                found: Outcome | None = run(fragment, {"keys": keys, "xs": xs})
            except AssumeViolated:
                found = None
            if found is not None:
                assert found.result == expected, (body, keys, xs)
                compared += 1
            else:
                assert expected == -1000 or "m[" in body, (body, keys, xs)
        assert compared, body


@pytest.mark.quick(every=6)
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "refused.cc"
    path.write_text(text_of({"f": f"typedef std::map<int, int> M; int t = 0; {REFUSED[name]}"}), encoding="utf-8")
    with pytest.raises(Unsupported):
        import_function(compile_source(path), "f")


def test_a_list_that_is_written_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "written.cc"
    path.write_text(HEAD + WRITTEN.format(FILL, ASK), encoding="utf-8")
    with pytest.raises(Unsupported, match="in a function that writes keys"):
        import_function(compile_source(path), "f")
