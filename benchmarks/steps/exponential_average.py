"""Exponential moving average of a series, from a level that the caller keeps."""


def exponential_average(xs: list[float], alpha: float, level: float) -> list[float]:
    smoothed: list[float] = []
    for x in xs:
        level = alpha * x + (1.0 - alpha) * level
        smoothed.append(level)
    return smoothed
