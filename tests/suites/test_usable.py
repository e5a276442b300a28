"""Code takes the inputs that people have: of borders, only what is read is needed, and no radius is the only one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from metalift import lift
from metalift.result.verdict import FunctionVerdict
from tests.support.generated import load_function

LIMIT = 60.0  # seconds for each obligation: a machine may have other things to do
SOURCE = """void smooth(const float *img, const float *k, float *out, int h, int w, int r) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float acc = 0;
            for (int dy = -r; dy <= r; dy++)
                for (int dx = -r; dx <= r; dx++) {
                    int yy = y + dy, xx = x + dx;
                    if (yy < 0 || yy >= h || xx < 0 || xx >= w) continue;
                    acc += img[yy * w + xx] * k[(dy + r) * (2 * r + 1) + dx + r];
                }
            out[y * w + x] = acc;
        }
}

void neighbours(const int *g, int *out, int h, int w) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int n = 0;
            if (y > 0) n += g[(y - 1) * w + x];
            if (y + 1 < h) n += g[(y + 1) * w + x];
            if (x > 0) n += g[y * w + x - 1];
            if (x + 1 < w) n += g[y * w + x + 1];
            if (y > 0 && x > 0) n += g[(y - 1) * w + x - 1];
            if (y > 0 && x + 1 < w) n += g[(y - 1) * w + x + 1];
            if (y + 1 < h && x > 0) n += g[(y + 1) * w + x - 1];
            if (y + 1 < h && x + 1 < w) n += g[(y + 1) * w + x + 1];
            out[y * w + x] = n;
        }
}
"""


def around(image: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The sum of weighted neighbours, of which those outside count as 0."""
    r = len(weights) // 2
    wide = np.pad(image, r)
    height, width = image.shape
    parts = [weights[i, j] * wide[i : i + height, j : j + width] for i in range(2 * r + 1) for j in range(2 * r + 1)]
    total: np.ndarray = np.sum(parts, axis=0)
    return total


def test_borders_of_any_width(tmp_path: Path) -> None:
    source = tmp_path / "image.c"
    source.write_text(SOURCE)
    for function in lift(source, to=["numpy"], out=tmp_path, timeout=LIMIT).functions:
        assert function.verdict is FunctionVerdict.PROVED, (function.name, function.diagnostics)
    rng = np.random.default_rng(0)
    smooth = load_function(tmp_path / "numpy" / "smooth.py", "smooth")
    for radius in (0, 1, 2):
        image = rng.integers(-9, 9, (5, 7)).astype(np.float32)
        weights = rng.integers(-9, 9, (2 * radius + 1, 2 * radius + 1)).astype(np.float32)
        out = smooth(image.ravel(), weights.ravel(), np.zeros(35, np.float32), 5, 7, radius)
        assert (out.reshape(5, 7) == around(image, weights)).all()
    cells = rng.integers(0, 2, (5, 7)).astype(np.int32)
    count = load_function(tmp_path / "numpy" / "neighbours.py", "neighbours")(cells.ravel(), np.zeros(35, np.int32), 5, 7)
    assert (count.reshape(5, 7) == around(cells, np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]]))).all()
