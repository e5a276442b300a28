"""a / s."""


def divide_scalar(a: list[float], s: float) -> list[float]:
    return [x / s for x in a]
