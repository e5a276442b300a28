"""A copy of the elements."""


def copy(source: list[float], target: list[float]) -> None:
    for i in range(len(source)):
        target[i] = source[i]
