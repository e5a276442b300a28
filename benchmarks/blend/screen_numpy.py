"""Screen on arrays of NumPy: a + b - a * b / 255."""

import numpy as np
import numpy.typing as npt


def screen(base: npt.NDArray[np.uint8], active: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    rows, cols = base.shape
    out = np.empty((rows, cols), dtype=np.uint8)
    for i in range(rows):
        for j in range(cols):
            b, a = int(base[i, j]), int(active[i, j])
            out[i, j] = a + b - a * b // 255
    return out
