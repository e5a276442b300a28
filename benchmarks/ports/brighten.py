# mypy: ignore-errors
import numpy as np


def brighten(img, delta):
    return np.clip(img.astype(np.int32) + delta, 0, 255).astype(np.uint8)


def brighten_wrapping(img: np.ndarray, delta: int) -> np.ndarray:
    return (img.astype(np.int32) + delta).astype(np.uint8)
