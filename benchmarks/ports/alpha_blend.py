# mypy: ignore-errors
import numpy as np


def alpha_blend(fg, bg, alpha):
    mixed = alpha * fg.astype(np.int32) + (255 - alpha) * bg.astype(np.int32)
    return (mixed // 255).astype(np.uint8)


def alpha_blend_shift(fg: np.ndarray, bg: np.ndarray, alpha: int) -> np.ndarray:
    mixed = alpha * fg.astype(np.int32) + (255 - alpha) * bg.astype(np.int32)
    return (mixed >> 8).astype(np.uint8)
