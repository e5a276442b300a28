# mypy: ignore-errors
import numpy as np


def smooth(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    y[1:-1] = (x[:-2] + x[1:-1] + x[2:]) / 3
    return y


def smooth_view(x):
    y = x[:]
    y[1:-1] += x[:-2]
    y[1:-1] += x[2:]
    y[1:-1] /= 3
    return y
