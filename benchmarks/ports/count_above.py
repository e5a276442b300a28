# mypy: ignore-errors
import numpy as np


def count_above(x, level):
    return np.count_nonzero(x > level)


def count_above_sum(x: np.ndarray, level: float) -> int:
    return (x >= level).sum()
