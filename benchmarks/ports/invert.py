# mypy: ignore-errors
import numpy as np


def invert(src):
    return 255 - src


def invert_bits(src: np.ndarray) -> np.ndarray:
    return ~src
