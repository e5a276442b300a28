# mypy: ignore-errors
import numpy as np


def gradient(f: np.ndarray, h: float) -> np.ndarray:
    g = np.empty_like(f)
    g[0] = (f[1] - f[0]) / h
    g[1:-1] = (f[2:] - f[:-2]) / (2 * h)
    g[-1] = (f[-1] - f[-2]) / h
    return g


def gradient_builtin(f, h):
    return np.gradient(f, h)
