# mypy: ignore-errors
import numpy as np


def l2norm(x):
    return np.sqrt(np.sum(x**2))


def l2norm_dot(x: np.ndarray) -> float:
    return np.sqrt(x @ x)
