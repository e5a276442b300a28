"""Elements of arrays of structs that are passed by value: in one register, in several, as fields of an element, copied before."""

from __future__ import annotations

from pathlib import Path

import metalift

SOURCE = """
struct two { int a, b; };
struct corner { float x, y, w, h; };
struct labelled { struct two at; int label; };
static int stepped(struct two t) { t.a += 10; return t.a - t.b; }
static float inside(struct corner a, struct corner b) { return (a.x + a.w - b.x) * (a.y + a.h - b.y); }
static struct two swapped(struct two t) { struct two r = { t.b, t.a }; return r; }
void in_one_register(const struct two *t, int *o, int n) {
    for (int i = 0; i < n; i++) o[i] = stepped(t[i]) + t[i].a;
}
void copied_before(struct two *t, int *o, int n) {
    for (int i = 0; i < n; i++) {
        struct two s = t[i];
        t[i].a = 0;
        o[i] = stepped(s);
    }
}
void in_two_vectors(const struct corner *c, float *o, int n) {
    for (int i = 1; i < n; i++) o[i] = inside(c[0], c[i]) - inside(c[i], c[i - 1]);
}
void as_fields(const struct labelled *t, int *o, int n) {
    for (int i = 0; i < n; i++) o[i] = stepped(t[i].at) * t[i].label;
}
void returned(struct two *t, int n) {
    for (int i = 0; i < n; i++) t[i] = swapped(t[i]);
}
"""


def test_elements_that_are_passed_by_value_are_their_fields(tmp_path: Path) -> None:
    """Each is proved, and its code agrees with the compiled source."""
    (tmp_path / "values.c").write_text(SOURCE)
    names = ["in_one_register", "copied_before", "in_two_vectors", "as_fields", "returned"]
    result = metalift.lift(tmp_path / "values.c", functions=names, to=["numpy"], out=tmp_path / "out", timeout=60)
    assert {one.name: one.ok for one in result.functions} == dict.fromkeys(names, True)
