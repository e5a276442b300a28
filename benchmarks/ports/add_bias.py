# mypy: ignore-errors
import numpy as np


def add_bias(a: np.ndarray, bias: np.ndarray) -> None:
    a += bias[:, None]


def add_bias_row(a, bias):
    a += bias
