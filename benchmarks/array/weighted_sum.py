"""a * m + b."""


def weighted_sum(a: list[float], b: list[float], m: float) -> list[float]:
    return [x * m + y for x, y in zip(a, b)]
