import numpy as np


def normalizeRows(x):
    # Compute x_norm as the norm 2 of x, one value for every row
    x_norm = np.sqrt(np.sum(x ** 2, axis=1, keepdims=True))

    # rows with all zeros stay what they are
    x_norm = np.where(x_norm == 0, 1.0, x_norm)

    # Divide x by its norm (broadcasting)
    return x / x_norm
