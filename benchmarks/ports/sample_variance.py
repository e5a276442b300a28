# mypy: ignore-errors
import numpy as np


def sample_variance(x):
    return ((x - x.mean()) ** 2).sum() / (x.size - 1)


def population_variance(x: np.ndarray) -> float:
    return np.var(x)
