# mypy: ignore-errors
import numpy as np


def softplus(x: np.ndarray, beta: float) -> np.ndarray:
    return np.log(1.0 + np.exp(beta * x)) / beta


def softplus_log1p(x, beta):
    return np.log1p(np.exp(x)) / beta
