# mypy: ignore-errors
import numpy as np


def threshold(src, level):
    return np.where(src >= level, 255, 0).astype(np.uint8)


def threshold_above(src, level):
    return (src > level).astype(np.uint8) * 255
