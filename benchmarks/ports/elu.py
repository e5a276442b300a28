# mypy: ignore-errors
import numpy as np


def elu(x, alpha):
    return np.where(x >= 0, x, alpha * (np.exp(x) - 1.0))


def elu_masked(x: np.ndarray, alpha: float) -> np.ndarray:
    y = x.copy()
    low = x < 0
    y[low] = alpha * (np.exp(x[low]) - 1.0)
    return y
