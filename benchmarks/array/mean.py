"""The mean."""


def mean(a: list[float]) -> float:
    return sum(a) / len(a)
