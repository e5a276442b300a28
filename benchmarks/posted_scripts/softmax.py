import numpy as np


def softmax(z: np.ndarray) -> np.ndarray:
    """Numerically stable softmax of every row of a 2d array."""
    assert len(z.shape) == 2
    s = np.max(z, axis=1)
    s = s[:, np.newaxis]  # necessary step to do broadcasting
    e_x = np.exp(z - s)
    div = np.sum(e_x, axis=1)
    div = div[:, np.newaxis]
    return e_x / div
