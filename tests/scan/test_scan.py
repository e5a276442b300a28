"""`metalift scan` on folders: what can be lifted is found, and everything else is named with its reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metalift.app.batch import run as batch
from metalift.app.scan.rows import Row, Scan, Status
from metalift.app.scan.run import Options, scan
from metalift.app.scan.table import ending, rows_of
from metalift.frontend.llvm.salvage import declarations
from metalift.result.errors import UsageError
from tests.support.commands import metalift

SUM = "float sum(float *x, int n) {\n    float s = 0;\n    for (int i = 0; i < n; i++) s += x[i];\n    return s;\n}\n"
SCALE = "def scale(x: list[float], c: float) -> list[float]:\n    return [c * v for v in x]\n"
TALKS = '#include <stdio.h>\nvoid talk(int n) {\n    for (int i = 0; i < n; i++) printf("%d", i);\n}\n'


def rows(found: Scan) -> dict[str, Row]:
    return {row.name: row for row in found.rows}


def test_a_folder_of_several_languages(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "sum.c").write_text(SUM)
    (tmp_path / "sub" / "scale.py").write_text(SCALE)
    (tmp_path / "talk.cc").write_text(TALKS)
    (tmp_path / ".hidden" / "sum.c").write_text(SUM)
    (tmp_path / "notes.txt").write_text("no source")
    found = scan(tmp_path, Options(jobs=2))
    assert found.files == 3
    named = rows(found)
    assert named["sum"].status is Status.CANDIDATE and named["sum"].loops == 1 and named["sum"].line == 1
    assert named["scale"].status is Status.CANDIDATE and named["scale"].file.endswith("scale.py")
    assert named["talk"].status is Status.UNSUPPORTED and "only prints" in named["talk"].reason and named["talk"].reason_line == 2
    assert [row.status.good for row in found.rows] == sorted((row.status.good for row in found.rows), reverse=True)
    assert next(rows_of(found.rows)).split()[1] in ("sum", "scale")
    assert named["talk"].code == "S34" and named["sum"].code == ""
    lines = metalift("scan", tmp_path).output.splitlines()
    assert f"{tmp_path / 'sub' / 'scale.py'}: 1 candidate" in lines[:3]
    assert any(line.startswith(f"{tmp_path / 'talk.cc'}: ") and line.endswith("(S34)") for line in lines[:3])
    assert "S34 a function that only prints" in ending(found, tmp_path)
    (last,) = metalift("scan", tmp_path, "-q").output.splitlines()
    assert last == lines[-1] and "in 3 files" in last
    assert "only prints" in metalift("scan", tmp_path, "-v").output
    assert Row.from_json(json.loads(json.dumps(named["talk"].to_json()))) == named["talk"]


@pytest.mark.plugin
def test_each_loop_is_counted_in_the_function_that_is_written_around_it(tmp_path: Path) -> None:
    (tmp_path / "level.c").write_text(
        "float level(const float *x, int n) {\n    float m = 0;\n    for (int i = 0; i < n; i++) m += x[i];\n    return m;\n}\n"
    )
    (tmp_path / "talk.cc").write_text(
        '#include <cstdio>\nextern "C" float level(const float *x, int n);\nvoid talk(float *x, int n) {\n'
        "    auto half = [&](int to) { for (int i = 0; i < to; i++) x[i] /= 2; };\n    FILE *f = fopen(\"log\", \"w\");\n"
        '    half(n);\n    half(n / 2);\n    fprintf(f, "%g", level(x, n));\n    fclose(f);\n}\n'
    )
    (tmp_path / "twice.c").write_text(
        "float level(const float *x, int n);\nfloat read_sensor(void);\n"
        "float twice(const float *x, int n) { return read_sensor() * (level(x, n) + level(x, n / 2)); }\n"
    )
    found = {row.name: row.loops for row in scan(tmp_path, Options(jobs=2)).rows}
    assert found == {"level": 1, "twice": 0, "talk": 1, "talk_line6": 1}


def test_a_reason_in_an_included_body_says_in_which_file_it_is(tmp_path: Path) -> None:
    body = "\n\nint NAME(int n)\n{\n    return outside(n);\n}\n"
    (tmp_path / "body_source.c").write_text(body)
    (tmp_path / "body.c").write_text('int outside(int);\n#define NAME first\n#include "body_source.c"\n')
    found = rows(scan(tmp_path / "body.c", Options()))["first"]
    assert found.line == 3 and found.reason_line == 0
    assert found.reason.startswith("a call of outside, ") and found.reason.endswith("(body_source.c, line 5)")


def test_what_does_not_compile_does_not_stop_the_rest(tmp_path: Path) -> None:
    (tmp_path / "mixed.c").write_text(
        '#include "config/not_there.h"\n'
        "struct image { int w; float *data; };\n"
        "void save(handle_t *to, struct image im) {\n    write_all(to, im.data);\n}\n"
        "int lost(int n) {\n    for (int i = 0; i < n; i++) n += LIMIT;\n    return n;\n}\n"
        "void scale(struct image im, float c) {\n    for (int i = 0; i < im.w; i++) im.data[i] *= c;\n}\n"
    )
    named = rows(scan(tmp_path, Options(lifting=batch.Options(("numpy",), tmp_path / "out"))))
    assert named["lost"] == Row(
        str(tmp_path / "mixed.c"), 6, "lost", Status.BROKEN, 1, "use of undeclared identifier 'LIMIT'", 7
    )
    assert named["save"].status is Status.UNSUPPORTED
    # what was compiled is not the file as it is, so nothing is claimed of it
    assert named["scale"].status is Status.CANDIDATE and "config/not_there.h" in named["scale"].reason


def test_lifting_what_can_be(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "both.c").write_text(SUM + "int next(int n) { return n + 1; }\n")
    named = rows(scan(tmp_path / "src", Options(lifting=batch.Options(("numpy",), tmp_path / "out"))))
    assert named["sum"].status is Status.PROVED
    assert named["next"].status is Status.CANDIDATE  # it has no loop
    assert (tmp_path / "out" / "lifted" / "both.c" / "sum" / "numpy" / "sum.py").is_file()


def test_the_arguments_of_a_build_are_used_where_they_are_harmless(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "size.h").write_text("#define N 8\n")
    (tmp_path / "a.c").write_text('#include "size.h"\n' + SUM.replace("int n", "int n, float y[N * SCALE]"))
    command = "cc -Iinclude -DSCALE=2 -fplugin=./evil.so -Xclang -load -Xclang ./evil.so -O3 -o a.o -c a.c"
    (tmp_path / "compile_commands.json").write_text(json.dumps([{"directory": str(tmp_path), "file": "a.c", "command": command}]))
    assert rows(scan(tmp_path, Options()))["sum"].status is Status.CANDIDATE


@pytest.mark.parametrize("text", ["{", "[1]", '[{"file": "a.c"}]', "null"])
def test_a_build_that_cannot_be_read_is_a_note(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.c").write_text(SUM)
    (tmp_path / "compile_commands.json").write_text(text)
    found = scan(tmp_path, Options())
    assert len(found.notes) == 1 and "compile_commands.json" in found.notes[0]
    assert rows(found)["sum"].status is Status.CANDIDATE


def test_a_file_that_takes_too_long_costs_its_own_rows_only(tmp_path: Path) -> None:
    (tmp_path / "deep.c").write_text("#include __FILE__\n")  # clang ends at some depth
    (tmp_path / "sum.c").write_text(SUM)
    (tmp_path / "text.py").write_text("def f(:\n")
    named = [(row.name, row.status) for row in scan(tmp_path, Options(jobs=2)).rows]
    assert ("sum", Status.CANDIDATE) in named
    assert named.count(("(the file)", Status.BROKEN)) == 2


def test_nothing_to_scan(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        scan(tmp_path / "none", Options())
    with pytest.raises(UsageError, match="has no C"):
        scan(tmp_path, Options())


def test_declarations_of_a_file() -> None:
    text = (
        "#include <x.h>\n"
        "namespace a { namespace {\n"
        "int f(int x) { return x; }\n"
        "struct S { int a; void m() { } } s = { 1 };\n"
        "int t[] = { 1, 2 };\n"
        "} }\n"
        'extern "C" { void g(void); }\n'
        'const char *q = "} {"; // } {\n'
        "int h(void)\n{\n  return '{';\n}\n"
    )
    found = [(span.first, span.last, text[span.start : span.end].split("(")[0].split()[-1]) for span in declarations(text)]
    assert [lines[:2] for lines in found] == [(3, 3), (4, 4), (5, 5), (7, 7), (8, 8), (9, 12)]
    assert found[0][2] == "f" and found[-1][2] == "h"
