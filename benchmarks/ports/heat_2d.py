# mypy: ignore-errors
import numpy as np


def heat_2d(u, out, k):
    c = u[1:-1, 1:-1]
    out[1:-1, 1:-1] = c + k * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * c)


def heat_2d_shifted(u: np.ndarray, out: np.ndarray, k: float) -> None:
    c = u[1:-1, 1:-1]
    out[1:-1, 1:-1] = c + k * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, 1:-1] + u[1:-1, 2:] - 4 * c)
