"""A batch of kernels that hang, crash, eat memory and flood: it ends, each has its own verdict, others are unaffected."""

from __future__ import annotations

from pathlib import Path

from metalift.app.batch import run

FINE = "void fine{n}(int *out, const int *a, int n) {{ for (int i = 0; i < n; i++) out[i] = a[i] + {n}; }}\n"
TWICE = """#if __INCLUDE_LEVEL__ < 60
#include "hangs_clang.c"
#include "hangs_clang.c"
#endif
int f;
"""
EATS = """#define A(x) x x x x x x x x
#define B(x) A(A(A(x)))
#define C(x) B(B(B(x)))
int f(int n) { C(C(n++;)) return n; }
"""
NOISY = """import sys

for _ in range(1100):
    sys.stderr.write("x" * 1000000)


def f(a: list[int]) -> list[int]:
    return [x + 1 for x in a]
"""
SOLVER = """void f(int *out, const int *a, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (i * i * i + 5 * i) % 7 ? a[(i * i * i + 5 * i) / 6] : 0;
}
"""
HOSTILE = {
    "eats.c": EATS,
    "noisy.py": NOISY,
    "hangs_solver.c": SOLVER,
    "crashes_clang.c": f"int f(int x) {{ return {'+'.join(['x'] * 200_000)}; }}\n",
    "crashes_importer.py": f"def f(x: int) -> int:\n    return {'+'.join(['x'] * 50_000)}\n",
}


def suite(folder: Path, texts: dict[str, str]) -> Path:
    """A folder with the files, each a kernel of its manifest."""
    folder.mkdir()
    entries = ['suite = "s"\n']
    for name, text in texts.items():
        (folder / name).write_text(text)
        function = name.split(".")[0] if name.startswith("fine") else "f"
        entries.append(f'[[kernel]]\nname = "{name}"\nfile = "{name}"\nfunction = "{function}"\n')
    (folder / "manifest.toml").write_text("".join(entries))
    return folder


def test_each_has_a_verdict_of_its_own(tmp_path: Path) -> None:
    folder = suite(tmp_path / "suite", {**HOSTILE, "fine1.c": FINE.format(n=1), "fine2.c": FINE.format(n=2)})
    options = run.Options(("numpy",), tmp_path / "out", jobs=2, timeout=2.0, memory=600 << 20)
    rows = {row.label.removeprefix("s/"): row for row in run.run([folder], options, lambda event: None)}
    assert rows["fine1.c"].ok and rows["fine2.c"].ok
    assert not any(rows[name].ok for name in HOSTILE)
    assert "more than 600 MiB of memory" in rows["eats.c"].reason
    assert "File too large" in rows["noisy.py"].reason
    assert rows["hangs_solver.c"].verdict == "TESTED" and "not proved" in rows["hangs_solver.c"].reason
    assert "does not compile" in rows["crashes_clang.c"].reason
    assert "cannot be parsed" in rows["crashes_importer.py"].reason


def test_one_that_never_ends_is_ended(tmp_path: Path) -> None:
    folder = suite(tmp_path / "suite", {"hangs_clang.c": TWICE})
    options = run.Options(("numpy",), tmp_path / "out", jobs=2, seconds=3.0)
    (row,) = run.run([folder], options, lambda event: None)
    assert not row.ok and "longer than 3 s" in row.reason


def test_a_file_that_cannot_be_listed_is_its_own_verdict(tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    (folder / "made").mkdir(parents=True)
    (folder / "made" / "CMakeCache.txt").touch()
    (folder / "made" / "generated.c").write_text(FINE.format(n=3))
    (folder / "eats.c").write_text(EATS)
    (folder / "fine1.c").write_text(FINE.format(n=1))
    options = run.Options(("numpy",), tmp_path / "out", jobs=2, seconds=30.0, memory=600 << 20)
    for _ in range(2):
        rows = {row.label: row for row in run.run([folder], options, lambda event: None)}
        assert rows.keys() == {"eats.c/(the file)", "fine1.c/fine1"}
        assert rows["fine1.c/fine1"].ok
        assert "more than 600 MiB of memory" in rows["eats.c/(the file)"].reason
