"""Linear interpolation."""


def lerp(a: list[float], b: list[float], t: float) -> list[float]:
    return [a[i] + t * (b[i] - a[i]) for i in range(len(a))]
