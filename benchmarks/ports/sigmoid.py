# mypy: ignore-errors
import numpy as np


def sigmoid(x: np.ndarray) -> None:
    x[:] = 1.0 / (1.0 + np.exp(-x))


def sigmoid_returned(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))
