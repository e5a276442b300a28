# mypy: ignore-errors
import numpy as np


def matvec(a, x):
    return a @ x


def matvec_einsum(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("ij,j->i", a, x)
