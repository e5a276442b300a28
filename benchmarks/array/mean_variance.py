"""Mean and variance from one pass."""


def mean_variance(x: list[float]) -> tuple[float, float]:
    total = 0.0
    squares = 0.0
    for v in x:
        total += v
        squares += v * v
    mean = total / len(x)
    return mean, squares / len(x) - mean * mean
