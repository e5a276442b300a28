# mypy: ignore-errors
import numpy as np


def pairwise_sq(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=-1)


def pairwise_sq_expanded(x, y):
    xx = (x * x).sum(axis=1, keepdims=True)
    yy = (y * y).sum(axis=1)
    return xx + yy - 2 * x @ y.T
