from typing import Tuple

import numpy as np


def running_norm(batches: np.ndarray, momentum: float, eps: float) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    batches: (T, N, D). Every batch is normalised with its own mean and variance;
    the running statistics are what you would use at test time.
    """
    T, N, D = batches.shape
    out = np.zeros((T, N, D))
    running_mean = np.zeros(D)
    running_var = np.ones(D)
    for t in range(T):
        x = batches[t]
        mu = x.mean(axis=0)
        var = x.var(axis=0)
        out[t] = (x - mu) / np.sqrt(var + eps)
        running_mean = momentum * running_mean + (1 - momentum) * mu
        running_var = momentum * running_var + (1 - momentum) * var
    return out, running_mean, running_var
