"""The first place of the greatest element, and the element."""


def argmax_value(x: list[float]) -> tuple[int, float]:
    best = x[0]
    at = 0
    for i in range(1, len(x)):
        if x[i] > best:
            best = x[i]
            at = i
    return at, best
