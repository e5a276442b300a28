# mypy: ignore-errors
import numpy as np


def rmsnorm(x, weight, eps):
    return weight * x / np.sqrt(np.mean(x**2) + eps)


def rmsnorm_outside(x: np.ndarray, weight: np.ndarray, eps: float) -> np.ndarray:
    rms = np.sqrt((x * x).mean()) + eps
    return weight * (x / rms)
