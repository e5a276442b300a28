from typing import Sequence


def trapezoid_rule(x: Sequence[float], y: Sequence[float]) -> float:
    """Area below sampled points, the x need not be equally spaced."""
    area = 0.0
    for i in range(len(x) - 1):
        h = x[i + 1] - x[i]
        area += h * (y[i] + y[i + 1]) / 2
    return area
