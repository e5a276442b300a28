"""The first half of rmsnorm: the sum of squares."""


def rmsnorm_squares(x: list[float]) -> float:
    ss = 0.0
    for v in x:
        ss += v * v
    return ss
