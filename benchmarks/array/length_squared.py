"""The squared length of a vector."""


def length_squared(v: list[float]) -> float:
    return sum(x * x for x in v)
