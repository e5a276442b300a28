# mypy: ignore-errors
import numpy as np


def l1norm(x: np.ndarray) -> float:
    return np.abs(x).sum()


def l1norm_outside(x: np.ndarray) -> float:
    return abs(x.sum())
