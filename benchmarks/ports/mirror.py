# mypy: ignore-errors
import numpy as np


def mirror(src):
    return src[:, ::-1]


def mirror_flip(src, dst):
    dst[:, :] = np.flip(src, axis=1)
