# mypy: ignore-errors
import numpy as np


def quantize(x, scale):
    return np.clip(np.floor(x / scale), -128, 127).astype(np.int8)


def quantize_unclipped(x: np.ndarray, scale: float) -> np.ndarray:
    return np.floor(x / scale).astype(np.int32).astype(np.int8)
