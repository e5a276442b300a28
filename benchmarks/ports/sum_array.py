# mypy: ignore-errors
import numpy as np


def sum_array(x: np.ndarray) -> int:
    return np.sum(x)


def sum_array_dot(x):
    return x @ np.ones_like(x)
