"""The Euclidean length."""

import math


def length(v: list[float]) -> float:
    return math.sqrt(sum(x * x for x in v))
