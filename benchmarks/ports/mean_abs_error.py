# mypy: ignore-errors
import numpy as np


def mean_abs_error(a, b):
    return np.mean(np.abs(a - b))


def mean_abs_error_sum(a: np.ndarray, b: np.ndarray) -> float:
    diff = a - b
    return np.where(diff < 0, -diff, diff).sum() / len(diff)
