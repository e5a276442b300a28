import numpy as np


def image_gradient(f: np.ndarray) -> np.ndarray:
    """Central differences inside, one-sided differences on the border. Shape (h, w, 2)."""
    gy = np.zeros_like(f, dtype=float)
    gx = np.zeros_like(f, dtype=float)

    gy[1:-1, :] = (f[2:, :] - f[:-2, :]) / 2.0
    gy[0, :] = f[1, :] - f[0, :]
    gy[-1, :] = f[-1, :] - f[-2, :]

    gx[:, 1:-1] = (f[:, 2:] - f[:, :-2]) / 2.0
    gx[:, 0] = f[:, 1] - f[:, 0]
    gx[:, -1] = f[:, -1] - f[:, -2]

    return np.stack([gy, gx], axis=-1)
