# mypy: ignore-errors
import numpy as np


def laplacian(u, dx):
    out = np.zeros_like(u)
    out[1:-1] = (u[:-2] - 2 * u[1:-1] + u[2:]) / dx**2
    return out


def laplacian_roll(u: np.ndarray, dx: float) -> np.ndarray:
    return (np.roll(u, 1) - 2 * u + np.roll(u, -1)) / (dx * dx)
