"""C++ vectors of structs, pairs and tuples that a function fills: whole elements, made of their parts or copied."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend import import_function, open_source
from metalift.ir.program.fragment import Undefined, Unsupported
from metalift.ir.wellformed.check_fragment import check_fragment
from metalift.result import FunctionResult
from metalift.run.inputs.inputs import runs
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

HEAD = """
#include <string>
#include <tuple>
#include <utility>
#include <vector>
struct View { std::string url; int rank; int seconds; };
struct Point { double x; int k; };
struct Swapped { double x; int k; Swapped(int a, double b) : x(b), k(a + 1) {} };
"""
ODD = """
struct Copied { double x; int k; Copied() = default; Copied(const Copied &o) : x(o.x), k(0) {} };
struct Moved { double x; int k; Moved() = default; Moved(const Moved &) = default; Moved(Moved &&o) : x(o.x), k(0) {} };
struct Any { double x; int k; Any() = default; template <class T> Any(T &&o) : x(o.x), k(0) {} };
int ended;
struct Ended { double x; int k; ~Ended() { ended++; } };
"""
SUFFIX = ".cc"
SOURCE = HEAD + """
std::vector<View> whole(const std::vector<View> &views, int least) {
    std::vector<View> out;
    for (const auto &view : views)
        if (view.rank > least) out.push_back(view);
    return out;
}
std::vector<std::pair<std::string, int>> ranked(const std::vector<View> &views, int least) {
    std::vector<std::pair<std::string, int>> out;
    for (const auto &view : views)
        if (view.rank > least) out.push_back({view.url, view.rank});
    return out;
}
std::vector<std::tuple<std::string, double, int>> halves(const std::vector<View> &views) {
    std::vector<std::tuple<std::string, double, int>> out;
    for (const auto &view : views)
        if (view.rank > 0) out.emplace_back(view.url, view.rank / 2.0, view.seconds);
    return out;
}
std::vector<Point> points(const std::vector<double> &xs, const std::vector<int> &ks) {
    std::vector<Point> out;
    out.reserve(xs.size());
    for (std::size_t i = 0; i < xs.size(); i++) {
        Point point{xs[i] * 3, ks[i]};
        out.push_back(point);
        point.k = 9;
    }
    return out;
}
std::vector<Swapped> swapped(const std::vector<double> &xs) {
    std::vector<Swapped> out;
    for (double x : xs) out.push_back(Swapped(3, x));
    return out;
}
"""
WRITTEN = {
    "rdd": {
        "whole": ["views.filter(lambda v: least < v.rank)"],
        "ranked": [".map(lambda v: (v.url, v.rank))"],
        "halves": ["(v.url, v.rank / 2", "v.seconds)"],
        "points": ["Row(x=", "k=pair["],
        "swapped": ["Row(x=v, k="],
    },
    "dataframe": {
        "whole": ['views.filter(least < F.col("value")["rank"])'],
        "ranked": ['F.struct(F.col("value")["url"].alias("_1"), F.col("value")["rank"].alias("_2"))'],
        "halves": ["F.struct(", '.alias("_3")'],
        "points": ["F.struct(", '.alias("k")'],
        "swapped": ["F.struct(", '.alias("x")'],
    },
}
CHANGES = [
    ("whole", "view.rank > least", "view.seconds > least"),
    ("ranked", "{view.url, view.rank}", "{view.url, view.seconds}"),
    ("ranked", "view.rank > least", "view.rank >= least"),
    ("halves", "view.rank / 2.0", "view.seconds / 2.0"),
    ("points", "point.k = 9;", "out.push_back(point);"),
    ("points", "Point point{xs[i] * 3, ks[i]};", "Point point{xs[i] * 3, ks[0]};"),
    ("swapped", "x(b), k(a + 1)", "x(a), k(a + 1)"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_other_parts_and_conditions_are_refuted(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.cc", name, SOURCE, old, new)


@pytest.mark.parametrize("clang", ["", "zig"])
def test_either_library_is_read(clang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if clang:
        pytest.importorskip("ziglang")
        monkeypatch.setenv("METALIFT_CLANG", clang)
        monkeypatch.setenv("METALIFT_PLUGIN", "none")
    path = tmp_path / "kernels.cc"
    path.write_text(SOURCE, encoding="utf-8")
    module = open_source(path)
    for name in WRITTEN["rdd"]:
        fragment = import_function(module, name)
        check_fragment(fragment)
        assert len({str(run.outcome.result) for run in runs(fragment)}) > 1


LOOP = "std::vector<{0}> out; for (const auto &v : vs) {{ {1} }} return out;"


@pytest.mark.parametrize(
    ("element", "body", "reason"),
    [
        ("Copied", "out.push_back(v);", "copies of Copied, which has a copy constructor or a destructor of its own"),
        ("Moved", "out.push_back(v);", "copies of Moved"),
        ("Ended", "out.push_back(v);", "copies of Ended"),
        ("Any", "Any a; a.x = 1; a.k = 7; out.emplace_back(a);", "std::vector::emplace_back as it is used here"),
        ("Swapped", "out.emplace_back(1, v.x);", "std::vector::emplace_back as it is used here"),
        ("Point", "out.push_back(v); out.back().k = 7;", "an access of type i32 to out"),
        ("Point", "out.push_back(v); out.pop_back();", "std::vector::pop_back as it is used here"),
        ("Point", "out.insert(out.end(), v);", "std::vector::insert as it is used here"),
        ("Point", "out.push_back(v); out[0] = v;", ""),
        ("Point", "out.push_back(v); std::swap(out[0], out[1]);", ""),
    ],
)
def test_what_is_more_than_adding_whole_elements_is_refused(element: str, body: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "kernels.cc"
    vector, text = f"std::vector<{element}>", LOOP.format(element, body)
    path.write_text(f"{HEAD}{ODD}{vector} kernel(const {vector} &vs) {{ {text} }}\n", encoding="utf-8")
    with pytest.raises(Unsupported) as found:
        import_function(open_source(path), "kernel")
    assert reason in str(found.value)


def test_strings_that_were_moved_have_no_value(tmp_path: Path) -> None:
    path = tmp_path / "kernels.cc"
    text = LOOP.format("View", "View w{v.url, v.rank, 1}; out.push_back(std::move(w)); out.push_back({w.url, 2, 3});")
    path.write_text(f"{HEAD}std::vector<View> kernel(const std::vector<View> &vs) {{ {text} }}\n", encoding="utf-8")
    fragment = import_function(open_source(path), "kernel")
    assert [each.variable for block in fragment.blocks for each in block.body if isinstance(each, Undefined)][:1] == ["w"]


@pytest.mark.parametrize(
    "text",
    [
        "void kernel(const std::vector<Point> &vs, std::vector<Point> &out) { for (const auto &v : vs) out.push_back(v); }",
        "std::vector<Point> kernel(std::vector<Point> vs) { vs.push_back(Point{1.0, 2}); return vs; }",
        "std::vector<Point> kernel(int n) { std::vector<Point> out(n); return out; }",
    ],
)
def test_other_ways_to_make_them_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kernels.cc"
    path.write_text(f"{HEAD}{text}\n", encoding="utf-8")
    with pytest.raises(Unsupported, match="push_back on a std::vector<Point> that is a parameter|constructor as it is used here"):
        import_function(open_source(path), "kernel")
