# mypy: ignore-errors
import numpy as np


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def gelu_in_steps(x: np.ndarray) -> np.ndarray:
    inner = np.float32(0.7978845608) * x + np.float32(0.044715) * x * x * x
    return np.float32(0.5) * x * (np.float32(1.0) + np.tanh(inner))
