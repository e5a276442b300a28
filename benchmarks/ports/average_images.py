# mypy: ignore-errors
import numpy as np


def average_images(a, b):
    return ((a.astype(np.uint16) + b) // 2).astype(np.uint8)


def average_images_narrow(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a + b) // 2
