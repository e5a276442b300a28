# mypy: ignore-errors
import numpy as np


def hardswish(x: np.ndarray) -> np.ndarray:
    return x * np.clip(x + 3, 0, 6) / 6


def hardswish_minmax(x):
    return x * np.minimum(np.maximum(x, 0) + 3, 6) / 6
