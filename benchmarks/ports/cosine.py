# mypy: ignore-errors
import numpy as np


def cosine(a, b):
    return a.dot(b) / (np.linalg.norm(a) * np.linalg.norm(b))


def cosine_vdot(a: np.ndarray, b: np.ndarray) -> float:
    return np.sum(a * b) / np.sqrt(np.sum(a * a) + np.sum(b * b))
