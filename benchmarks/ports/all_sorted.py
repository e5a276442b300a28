# mypy: ignore-errors
import numpy as np


def all_sorted(x: np.ndarray) -> bool:
    return np.all(x[1:] >= x[:-1])


def all_sorted_strict(x):
    return (np.diff(x) > 0).all()
