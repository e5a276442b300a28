"""Programs of several files from end to end: `--with`, builds and folders, printing, and certificates that hold all files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import metalift

MAIN = """\
#include <stdio.h>
void *need(unsigned long bytes);
void give_back(void *p);
float gain(float x);
static float half(float x) { return x / 2; }
void apply(float *y, const float *x, int n) {
    float *t = need(n * sizeof *t);
    for (int i = 0; i < n; i++) t[i] = half(x[i]);
    for (int i = 0; i < n; i++) {
        y[i] = gain(t[i]);
        printf("%d: %f\\n", i, y[i]);
    }
    give_back(t);
}
int main(void) { return 0; }
"""
LIB = """\
#include <stdio.h>
#include <stdlib.h>
static float half(float x) { return x + 4; }
void *need(unsigned long bytes) {
    void *p = malloc(bytes);
    if (p == NULL) {
        fprintf(stderr, "no memory\\n");
        exit(1);
    }
    return p;
}
void give_back(void *p) { free(p); }
float gain(float x) { return half(x) * 3; }
"""
TOOL = "float gain(float x) { return x; }\nint main(void) { return 1; }\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program of two files, and a file of another program."""
    for name, text in (("main", MAIN), ("lib", LIB), ("tool", TOOL)):
        (tmp_path / f"{name}.c").write_text(text)
    return tmp_path


def test_a_lift_with_other_files_and_its_certificate(folder: Path) -> None:
    out = folder / "out"
    common = ("lift", folder / "main.c", "--function", "apply", "--out", out, "--json", "--with", folder / "lib.c")
    done = metalift(*common, "--with", folder / "tool.c")
    assert done.status == 0, done.output
    told = json.loads(done.output)
    assert told["others"] == [str(folder / "lib.c")]
    assert [(each["file"], "gain, which" in each["why"]) for each in told["left_out"]] == [(str(folder / "tool.c"), False)]
    assert done.function["targets"]["numpy"]["checked"] == "agrees"  # with what both files do
    assert "what is printed is not part of the claim" in [each["text"] for each in done.function["assumptions"]]
    missing = metalift(*common, "--with", folder / "none.c")  # which was asked for: named, and the rest goes on
    assert missing.status == 2 and missing.function["verdict"] == "PROVED" and "none.c" in missing.output

    certificate = out / "certificates" / "apply"
    (other,) = (certificate / "others").rglob("*.c")
    assert metalift("check", certificate).status == 0
    text = other.read_text()
    other.write_text(text.replace("x + 4", "x + 5"))
    assert metalift("check", certificate).status == 1
    other.write_text(text.replace("float gain", "float lost"))
    assert metalift("check", certificate).status == 1
    other.unlink()
    changed = metalift("check", certificate)
    assert changed.status == 1 and "cannot be read" in changed.output


def test_a_build_and_a_folder_are_programs_too(folder: Path) -> None:
    alone = metalift("lift", folder / "main.c", "--function", "apply", "--out", folder / "out")
    assert alone.status == 1 and "is not defined in this file" in alone.output and "--with FILE" in alone.output
    rows = json.loads(metalift("scan", folder, "--json").output)
    assert {row["name"]: row["status"] for row in rows["rows"]}["apply"] == "candidate"
    assert any("tool.c: it has a second main" in note for note in rows["notes"])  # it looks as if it had what main.c needs
    entries = [{"directory": ".", "file": name, "command": f"cc -c {name}"} for name in ("main.c", "lib.c")]
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    built = metalift("lift", folder / "main.c", "--function", "apply", "--out", folder / "out")
    assert built.status == 0 and f"linked with {folder / 'lib.c'}" in built.output


PURE = """\
float tone(float x);
unsigned char level(unsigned char a, int b);
float side(float *x);
static float known(float x) { return x; }
void develop(float *y, const float *x, int n) { for (int i = 0; i < n; i++) y[i] = tone(2 * x[i]) + known(1); }
int sum(const unsigned char *x, int n) { int s = 0; for (int i = 0; i < n; i++) s ^= level(x[i], i); return s; }
int note(const char *format, ...);
void all(float *y, int n) { for (int i = 0; i < n; i++) y[i] = side(y + i); }
int half(float *y, int n) {
    for (int i = 0; i < n; i++) { side(y + i); y[i] /= 2; }
    if (n < 0) note("%d is negative", n);
    return n;
}
int told(int n) { return n < 0 ? note("%d is negative", n) : n; }
void given(float *y, int n) { for (int i = 0; i < n; i++) { float v = 0; side(&v); y[i] = v; } }
"""
WITHOUT = [
    ("--pure known", "has a body"),
    ("--pure far", "tone, level, side"),
    ("--pure lambda", "a word of Python"),
]


def test_calls_of_pure_functions_stay_calls(tmp_path: Path) -> None:
    (tmp_path / "pure.c").write_text(PURE)
    names = ("tone", "level", "side", "note", "known", "far", "lambda")
    done = metalift("lift", tmp_path / "pure.c", "--out", tmp_path, "--json", *(f"--pure={name}" for name in names))
    assert done.status == 2
    left_out = json.loads(done.output)["left_out"]
    assert [(each["file"], each["failed"]) for each in left_out] == [(name, True) for name, _ in WITHOUT]
    assert all(why in each["why"] for each, (_, why) in zip(left_out, WITHOUT, strict=True))
    verdicts = {function["name"]: function["verdict"] for function in done.functions}
    proved = dict.fromkeys(("known", "develop", "sum", "half"), "PROVED")
    assert verdicts == {**proved, **dict.fromkeys(("all", "told", "given"), "UNSUPPORTED")}
    assert "the result of note is used" in done.functions[-2]["diagnostics"][0]["message"]
    assert "the address of a local variable" in done.functions[-1]["diagnostics"][0]["message"]
    (changed,) = [each["text"] for each in done.functions[4]["assumptions"] if "side returns" in each["text"]]
    assert changed == "side returns, and changes nothing that the function or its caller uses"
    (assumed,) = [each["text"] for each in done.functions[2]["assumptions"] if each["origin"] == "calls that stay calls"]
    assert assumed.startswith("level(u8, i32) -> u8 has no effects")
    code = (tmp_path / "numpy" / "develop.py").read_text()
    assert "import pure\n" in code and "y[:n] = pure.tone(2.0 * x) + 1.0" in code
    certificate = tmp_path / "certificates" / "develop"
    assert metalift("check", certificate).status == 0
    claim = certificate / "certificate.json"
    claim.write_text(claim.read_text().replace('"tone"', '"far"'))
    assert metalift("check", certificate).status == 1


REPORTING = """\
void report(const char *why, int line);
static int checked(int n) {
    if (n < 0) report("negative", __LINE__);
    return n;
}
int scale(float *y, int n) {
    if (checked(n) < 0) return 4;
    for (int i = 0; i < n; i++) y[i] *= 2;
    return 0;
}
"""
REPORT = "void (*handler)(const char *, int);\nvoid report(const char *why, int line) { handler(why, line); }\n"


def test_calls_of_pure_functions_without_a_result_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "scale.c").write_text(REPORTING)
    (tmp_path / "report.c").write_text(REPORT)
    common = ("lift", tmp_path / "scale.c", "--function", "scale", "--out", tmp_path, "--json", "--with", tmp_path)
    assert metalift(*common).functions[0]["verdict"] == "UNSUPPORTED"
    done = metalift(*common, "--pure", "report")
    assert done.status == 0, done.output
    (scale,) = done.functions
    assert scale["verdict"] == "PROVED"
    (assumed,) = [each["text"] for each in scale["assumptions"] if each["origin"] == "calls that stay calls"]
    assert assumed == "report returns, and changes nothing that the function or its caller uses"
    assert metalift("check", tmp_path / "certificates" / "scale").status == 0
    rows = json.loads(metalift("scan", tmp_path, "--json", "--pure", "report").output)["rows"]
    assert {row["name"]: row["status"] for row in rows}["scale"] == "candidate"


GAIN = """\
struct gain { float low, factor; int n; };
void apply(struct gain *g, float *x, int n) { for (int i = 0; i < n; i++) x[i] = (x[i] - g->low) * g->factor; }
void set(struct gain *g, float low) { g->low = low; }
float low(const struct gain *g) { return g->low; }
"""
OPAQUE = """\
typedef struct gain gain_t;
typedef struct { int n; gain_t *gain; float *data; } filter_t;
void apply(gain_t *g, float *x, int n);
void set(gain_t *g, float low);
float low(const gain_t *g);
void run(filter_t *f, float *x) {
    apply(f->gain, x, f->n);
    for (int i = 0; i < f->n; i++) f->data[i] += x[i];
}
float both(filter_t *f, gain_t *g, int n) {
    float t = 0;
    for (int i = 0; i < n; i++) { set(g, i); t += low(f->gain); }
    return t;
}
"""
PARTS = """\
struct base { short kind; float *x; };
struct part { char c; struct base b; int n; };
float at(const struct part *p, int i) { return p[i].b.kind * p[i].n; }
float first(const struct part *p, int i) { return p->b.x[i] + p->b.kind; }
"""
WHOLE = """\
typedef struct part part_t;
float at(const part_t *p, int i);
float first(const part_t *p, int i);
float all(part_t *p, int n) { float t = 0; for (int i = 0; i < n; i++) t += first(p, i); return t; }
"""
OWNED = ("struct a { int n; struct b *b; };", "struct b { struct a *owner; float x; };")
OTHER = "struct gain { int n; float low; };\nint size(const struct gain *g) { return g->n; }\n"


def test_structs_that_a_file_only_declares_are_those_of_the_file_that_defines_them(tmp_path: Path) -> None:
    (tmp_path / "filter.c").write_text(OPAQUE)
    (tmp_path / "gain.c").write_text(GAIN)
    common = ("lift", tmp_path / "filter.c", "--out", tmp_path / "out", "--json", "--with")
    done = metalift(*common, tmp_path / "gain.c")
    assert done.status == 0, done.output  # it was run beside the source, too
    assert [each["verdict"] for each in done.functions] == ["PROVED", "PROVED"]
    code = (tmp_path / "out" / "numpy" / "both.py").read_text()
    assert '_check_disjoint("f_gain_low"' in code, "they may be one struct, of which a field changes"
    assert metalift("check", tmp_path / "out" / "certificates" / "run").status == 0
    (tmp_path / "filter.c").write_text(GAIN.splitlines()[0] + "\n" + OPAQUE)  # it defines what it does not look into
    assert metalift(*common, tmp_path / "gain.c").status == 0
    (tmp_path / "whole.c").write_text(WHOLE)
    (tmp_path / "parts.c").write_text(PARTS)
    whole = metalift("lift", tmp_path / "whole.c", "--out", tmp_path / "out", "--with", tmp_path / "parts.c")
    assert whole.status == 0, whole.output  # a struct in it
    (tmp_path / "a.c").write_text(
        f"struct b;\n{OWNED[0]}\nfloat part(struct b *b, int i);\n"
        "void f(struct a *p, float *y) { for (int i = 0; i < p->n; i++) y[i] = part(p->b, i); }\n"
    )
    (tmp_path / "b.c").write_text(f"struct a;\n{OWNED[1]}\nfloat part(struct b *b, int i) {{ return b->x * i; }}\n")
    owned = metalift("lift", tmp_path / "a.c", "--out", tmp_path / "out", "--with", tmp_path / "b.c")
    assert owned.status == 0, owned.output  # each declares what the other one defines
    sized = OPAQUE.replace("float low(", "int size(const gain_t *g);\nfloat low(", 1).replace("+= x[i]", "+= size(f->gain)")
    (tmp_path / "filter.c").write_text(sized)
    (tmp_path / "other.c").write_text(OTHER)
    clash = metalift(*common, tmp_path / "gain.c", "--with", tmp_path / "other.c")
    assert [each["verdict"] for each in clash.functions] == ["UNSUPPORTED", "UNSUPPORTED"]
