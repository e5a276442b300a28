"""8-point DCT-II, not normalised."""

import math


def dct_8(x: list[float]) -> list[float]:
    return [sum(x[i] * math.cos((2 * i + 1) * k * math.pi / 16) for i in range(8)) for k in range(8)]
