# mypy: ignore-errors
import numpy as np


def grayscale(rgb):
    wide = rgb.astype(np.int32)
    return ((77 * wide[:, 0] + 150 * wide[:, 1] + 29 * wide[:, 2]) >> 8).astype(np.uint8)


def grayscale_bgr(rgb: np.ndarray) -> np.ndarray:
    r, g, b = rgb[:, 2].astype(int), rgb[:, 1].astype(int), rgb[:, 0].astype(int)
    return ((77 * r + 150 * g + 29 * b) // 256).astype(np.uint8)
