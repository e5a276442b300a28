# mypy: ignore-errors
import numpy as np


def squared_hinge(score: np.ndarray, label: np.ndarray) -> float:
    return np.mean(np.maximum(0.0, 1.0 - label * score) ** 2)


def squared_hinge_selected(score, label):
    margin = 1.0 - label * score
    active = margin[margin > 0]
    return (active**2).mean()
