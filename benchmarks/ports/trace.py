# mypy: ignore-errors
import numpy as np


def trace(a):
    return np.trace(a)


def trace_diagonal(a: np.ndarray) -> float:
    return np.sum(np.diagonal(a))
