"""a * s."""


def scale(a: list[float], s: float) -> list[float]:
    return [s * x for x in a]
