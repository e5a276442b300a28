"""The first place of the least element, and the element."""


def argmin_value(x: list[int]) -> tuple[int, int]:
    best = x[0]
    at = 0
    for i, value in enumerate(x):
        if value < best:
            best = value
            at = i
    return at, best
