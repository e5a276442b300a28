# mypy: ignore-errors
import numpy as np


def halve(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0, -(-x // 2), x // 2)


def halve_floor(x):
    return x // 2
