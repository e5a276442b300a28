# mypy: ignore-errors
import numpy as np


def abs_diff(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.maximum(a, b) - np.minimum(a, b)


def abs_diff_bytes(a, b):
    return np.abs(a - b)
