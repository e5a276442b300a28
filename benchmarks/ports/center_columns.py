# mypy: ignore-errors
import numpy as np


def center_columns(a):
    a -= a.mean(axis=0)


def center_columns_overall(a: np.ndarray) -> np.ndarray:
    return a - a.mean()
