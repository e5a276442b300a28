# mypy: ignore-errors
import numpy as np


def weighted_mean(x, w):
    return np.average(x, weights=w)


def weighted_mean_count(x: np.ndarray, w: np.ndarray) -> float:
    return np.mean(w * x)
