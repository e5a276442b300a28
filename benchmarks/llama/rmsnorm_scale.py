"""The second half of rmsnorm: each element by its weight and the root of the mean square."""

import math


def rmsnorm_scale(x: list[float], weight: list[float], ss: float) -> list[float]:
    inverse = 1 / math.sqrt(ss / len(x) + 1e-5)
    return [w * (inverse * v) for v, w in zip(x, weight)]
