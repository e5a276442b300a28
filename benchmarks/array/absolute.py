"""|a|."""


def absolute(a: list[float]) -> list[float]:
    return [abs(x) for x in a]
