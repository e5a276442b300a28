"""The sum of squares, the first half of RMSNorm."""


def rmsnorm(values: list[float]) -> float:
    return sum(value * value for value in values)
