# mypy: ignore-errors
import numpy as np


def matmul_nt(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ik,jk->ij", a, b)


def matmul_nt_plain(a, b):
    return np.einsum("ik,kj->ij", a, b)
