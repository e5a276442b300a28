# mypy: ignore-errors
import numpy as np


def rescale_in_place(x: np.ndarray) -> None:
    x -= x.min()
    x /= x.max() - x.min()


def rescale_stepwise(x: np.ndarray) -> None:
    hi = x.max()
    x -= x.min()
    x /= hi - x.min()
