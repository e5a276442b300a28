import math


def standard_error(values: list[float], mean: float) -> float:
    squares = 0.0
    for value in values:
        squares += (value - mean) * (value - mean)
    return math.sqrt(squares / len(values))
