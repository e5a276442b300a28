# mypy: ignore-errors
import numpy as np


def logsumexp(x):
    top = x.max()
    return top + np.log(np.exp(x - top).sum())


def logsumexp_mean(x: np.ndarray) -> float:
    top = np.max(x)
    return top + np.log(np.mean(np.exp(x - top)))
