"""Strings in C++, and pairs and tuples as keys: the fragment does what the compiled source does, or it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend import compile_source, import_function
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.ir.text import show_fragment
from metalift.ir.wellformed.check_fragment import check_fragment
from tests.support.native import check_against_native, refusal

HEAD = """#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
struct Sale { std::string region; int product; short year; double amount; };
typedef const std::vector<std::string> &Words;
typedef const std::vector<Sale> &Sales;
typedef std::pair<std::string, int> Key;
typedef const std::string &Word;
"""
SOURCES = {  # each is a function f, whose result and parameters are in front of the colon
    "equal": ("int f(Words w, Word k)", "int n = 0; for (const auto &v : w) if (v == k) n++; return n;"),
    "different": ("int f(Words w, Word k)", "int n = 0; for (auto v : w) if (v != k && v != \"a\") n++; return n;"),
    "by value": ("int f(std::vector<std::string> w, std::string k)", "int n = 0; for (auto &v : w) n += k == v; return n;"),
    "literal first": ("int f(Words w)", 'int n = 0; for (auto &v : w) if ("b" == v) n++; return n;'),
    "compared": ("int f(Words w, Word k)", "int n = 0; for (auto &v : w) if (v.compare(k) != 0) n++; return n;"),
    "empty": ("int f(Words w)", "int n = 0; for (auto &v : w) if (!v.empty()) n++; return n;"),
    "counted": ("long f(Words w, Word k)", "return std::count(w.begin(), w.end(), k);"),
    "copied": ("int f(Words w)", 'int n = 0; for (auto &v : w) { std::string t = v; if (t == "a") t = "b"; n += t == "b"; }'
               " return n;"),
    "swapped": ("int f(Words w, Word k)", 'int n = 0; for (auto &v : w) { std::string t = v, u = k; if (k == "b") t.swap(u);'
                ' if (t == "b") n++; } return n;'),
    "last": ("bool f(Words w, Word k)", "std::string last; for (auto &v : w) last = v; return last == k;"),
    "kept": ("std::vector<std::string> f(Words w, Word k)", "std::vector<std::string> r; for (auto &v : w) if (v != k)"
             " r.push_back(v); return r;"),
    "fields": ("double f(Sales s, Word r)", "double t = 0; for (auto &v : s) if (v.region == r && v.year > 1) t += v.amount;"
               " return t;"),
    "whole structs": ("std::vector<double> f(Sales s, Word r)", "std::vector<double> t; for (Sale v : s) if (v.region == r)"
                      " t.push_back(v.amount); return t;"),
    "words": ("std::map<std::string, int> f(Words w)", "std::map<std::string, int> m; for (auto &v : w) m[v]++; return m;"),
    "found": ("std::unordered_map<std::string, int> f(Words w)", "std::unordered_map<std::string, int> m; for (auto &v : w) {"
              " auto i = m.find(v); if (i == m.end()) m.insert({v, 1}); else i->second++; } return m;"),
    "set": ("std::unordered_set<std::string> f(Words w)", 'std::unordered_set<std::string> s; for (auto v : w) if (v != "a")'
            " s.insert(v); return s;"),
    "both": ("std::set<std::string> f(Words w, Words u)", "std::set<std::string> s(u.begin(), u.end()), t; for (auto &v : w)"
             " if (s.count(v)) t.insert(v); return t;"),
    "one key": ("std::map<std::string, int> f(Words w)", 'std::map<std::string, int> m; for (auto &v : w) m["a"] += v == "b";'
                " return m;"),
    "over the map": ("std::map<std::string, int> f(Words w)", "std::map<std::string, int> m, r; for (auto &v : w) m[v]++;"
                     ' for (const auto &[k, n] : m) if (n > 1 && k != "") r[k] = n; return r;'),
    "pairs": ("std::map<std::pair<int, int>, int> f(const std::vector<std::pair<int, int>> &v)",
              "std::map<std::pair<int, int>, int> m; for (auto &p : v) m[{p.second, p.first}]++; return m;"),
    "made pairs": ("std::map<Key, double> f(Sales s)", "std::map<Key, double> m; for (auto &v : s)"
                   " m[std::make_pair(v.region, v.year)] += v.amount; return m;"),
    "parts of keys": ("std::map<Key, int> f(Sales s, Word r)", "std::map<Key, int> m, o; for (auto &v : s)"
                      " m[Key(v.region, v.product)]++; for (auto &e : m) if (e.first.first != r && e.first.second > 0)"
                      " o[e.first] = e.second; return o;"),
    "inserted pairs": ("std::map<Key, double> f(Sales s)", "std::map<Key, double> m; for (auto &v : s)"
                       " m.insert({{v.region, v.product}, 1.0}); return m;"),
    "tuples": ("std::map<std::tuple<short, std::string, int>, int> f(Sales s)",
               "std::map<std::tuple<short, std::string, int>, int> m; for (auto &v : s)"
               " ++m[std::make_tuple(v.year, v.region, v.product)]; return m;"),
    "set of pairs": ("std::set<std::pair<unsigned, int>> f(const std::vector<unsigned> &a)",
                     "std::set<std::pair<unsigned, int>> s; for (unsigned v : a) s.insert({v, v > 4}); return s;"),
}  # fmt: skip
REFUSED = {
    "std::string::size": ("int f(Words w)", "int n = 0; for (auto &v : w) n += v.size(); return n;"),
    "operator<": ("bool f(Word a, Word b)", "return a < b;"),
    "std::string::find_first_of": ("int f(Word a)", "return a[0] + a.find_first_of(a[1]);"),
    "std::string::operator=": ("std::string f(Words w)", "std::string s; for (auto &v : w) s = v; return s;"),
    "std::string::operator+=": ("bool f(Words w, Word k)", "std::string s; for (auto &v : w) s += v; return s == k;"),
    "operator+ of std::string": ("bool f(Word a, Word b)", 'return a + "x" == b;'),
    "the parameter a of type string &": ("void f(std::string &a)", 'a = "b";'),
    "std::string::compare": ("int f(Word a, Word b)", "return a.compare(b);"),
    "std::string::find": ("bool f(Word a, Word b)", "return a.find(b) == 0;"),
    "a std::map<std::string, std::string>": ("std::map<std::string, std::string> f(Words w)",
                                             "std::map<std::string, std::string> m; for (auto &v : w) m[v] = v; return m;"),
    "std::move of a string that is no local variable": ("int f(std::vector<std::string> w)",
                                                        'int n = 0; for (auto &v : w) { std::string t = std::move(v);'
                                                        ' n += t == "a"; } return n;'),
}  # fmt: skip


RUN = ("made pairs", "swapped", "kept", "whole structs", "over the map", "parts of keys", "tuples")  # compiling takes long


def test_all_are_read(tmp_path: Path) -> None:
    source = tmp_path / "kernels.cc"
    bodies = [f"{s.replace(' f(', f' f{n}(')} {{ {b} }}" for n, (s, b) in enumerate(SOURCES.values())]
    source.write_text(HEAD + "\n".join(bodies) + "\n", encoding="utf-8")
    module = compile_source(source, ("-std=c++17",))
    for number in range(len(SOURCES)):
        check_fragment(import_function(module, f"f{number}"))


@pytest.mark.quick("whole structs", "tuples")
@pytest.mark.parametrize("name", RUN)
def test_the_fragment_does_what_the_source_does(name: str, tmp_path: Path) -> None:
    signature, body = SOURCES[name]
    source = tmp_path / "kernel.cc"
    source.write_text(f"{HEAD}{signature} {{ {body} }}\n", encoding="utf-8")
    fragment = import_function(compile_source(source, ("-std=c++17",)), "f")
    check_against_native(fragment, source)


@pytest.mark.quick(every=6)
@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_asked_of_strings_beyond_equality_is_refused_by_name(reason: str, tmp_path: Path) -> None:
    signature, body = REFUSED[reason]
    found = refusal(HEAD, signature, body, tmp_path)
    if not find_clang().zig:  # libc++ may use another operator for it
        assert reason in str(found)


def test_what_a_string_holds_after_a_move_is_not_known(tmp_path: Path) -> None:
    source = tmp_path / "kernel.cc"
    body = 'int n = 0; for (auto v : w) { std::string t = std::move(v); n += v == "a"; } return n;'
    source.write_text(f"{HEAD}int f(Words w) {{ {body} }}\n", encoding="utf-8")
    fragment = import_function(compile_source(source, ("-std=c++17",)), "f")
    assert "undefined" in str(fragment).lower()


def test_strings_whose_class_the_module_does_not_describe_are_counted_one_by_one() -> None:
    path = Path(__file__).parents[3] / "benchmarks" / "mapreduce" / "string_match_vector.cc"
    assert "32" not in show_fragment(import_function(compile_source(path), "string_match"))
