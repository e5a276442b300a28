"""SiLU: x / (1 + exp(-x))."""

import math


def silu(x: list[float]) -> list[float]:
    return [v * (1.0 / (1.0 + math.exp(-v))) for v in x]
