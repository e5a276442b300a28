"""Each x by a polynomial of degree 3."""


def polynomial(x: list[float], a: float, b: float, c: float, d: float) -> list[float]:
    return [((a * v + b) * v + c) * v + d for v in x]
