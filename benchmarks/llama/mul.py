"""The elementwise product."""


def mul(a: list[float], b: list[float]) -> list[float]:
    return [a[i] * b[i] for i in range(len(a))]
