"""RMSNorm: the weighted inputs over the root of their mean square."""

import math


def rmsnorm(x: list[float], weight: list[float]) -> list[float]:
    ss = 0.0
    for v in x:
        ss += v * v
    ss = 1.0 / math.sqrt(ss / len(x) + 1e-5)
    return [w * (ss * v) for w, v in zip(weight, x)]
