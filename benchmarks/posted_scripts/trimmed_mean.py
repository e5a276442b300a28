import numpy as np


def trimmed_mean(values: np.ndarray, proportion: float) -> float:
    """Mean without the lowest and the highest share of the values."""
    a = np.sort(values)
    k = int(proportion * len(a))
    trimmed = a[k : len(a) - k]
    return trimmed.mean()
