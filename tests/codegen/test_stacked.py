"""Arrays that are written in parts: one new array where these are all of it, side by side, and a changed copy elsewhere."""

from __future__ import annotations

import pytest

from metalift import lift

SOURCE = """
void pairs(const float *a, const float *b, float *o, int n) {
    for (int i = 0; i < n; i++) { o[2 * i] = a[i]; o[2 * i + 1] = b[i]; }
}
void colours(const float *y, float *o, int h, int w) {
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++) {
            o[3 * (i * w + j)] = y[i * w + j] * 2;
            o[3 * (i * w + j) + 2] = y[i * w + j];
            o[3 * (i * w + j) + 1] = y[i * w + j] + 1;
        }
}
void turned(float *z, const float *c, const float *s, int n) {
    for (int i = 0; i < n; i++) {
        float x = z[2 * i], y = z[2 * i + 1];
        z[2 * i] = x * c[i] - y * s[i];
        z[2 * i + 1] = x * s[i] + y * c[i];
    }
}
void halves(float *q, int heads, int half) {
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < half; i++) {
            float t = q[2 * half * h + i];
            q[2 * half * h + i] = q[2 * half * h + half + i];
            q[2 * half * h + half + i] = -t;
        }
}
void behind(const float *a, const float *b, float *o, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i];
    for (int i = 0; i < n; i++) o[n + i] = b[i] + 1;
}
void gaps(const float *a, const float *b, float *o, int n) {
    for (int i = 0; i < n; i++) { o[3 * i] = a[i]; o[3 * i + 1] = b[i]; }
}
void twice(const float *a, const float *b, float *o, int n) {
    for (int i = 0; i < n; i++) o[i] = a[i];
    for (int i = 0; i < n; i++) o[2 * i] = b[i];
}
"""
STACKED = {"pairs": "dim=1", "colours": "dim=2", "turned": "dim=1", "halves": "dim=1", "behind": "dim=0", "gaps": "", "twice": ""}


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The code of all of them, which is proved and agrees with the source."""
    made = tmp_path_factory.mktemp("stacked")
    (made / "source.c").write_text(SOURCE, encoding="utf-8")
    result = lift(made / "source.c", to="pytorch", out=made / "out", style="plain", signature="tensor")
    assert all(function.ok for function in result.functions), [(each.name, each.diagnostics) for each in result.functions]
    return {function.name: function.targets["pytorch"].code for function in result.functions}


@pytest.mark.parametrize("name", STACKED)
def test_parts_that_are_all_of_an_array_are_stacked(name: str, codes: dict[str, str]) -> None:
    assert ("torch.stack(" in codes[name]) == bool(STACKED[name])
    assert f"{STACKED[name]}).reshape(-1)" in codes[name] or not STACKED[name]
