# mypy: ignore-errors
import numpy as np


def standardize(x: np.ndarray) -> np.ndarray:
    return (x - x.mean()) / x.std(ddof=1)


def standardize_default(x: np.ndarray) -> np.ndarray:
    return (x - np.mean(x)) / np.std(x)
