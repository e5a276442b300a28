# mypy: ignore-errors
import numpy as np


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


def relu_mask(x):
    return x * (x > 0)
