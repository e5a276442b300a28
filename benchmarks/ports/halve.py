# mypy: ignore-errors
import numpy as np


def halve(x: np.ndarray) -> np.ndarray:
    return (x + (x < 0)) // 2


def halve_floor(x):
    return x // 2
