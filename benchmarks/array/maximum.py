"""The greatest element."""


def maximum(a: list[float]) -> float:
    best = a[0]
    for x in a[1:]:
        if x > best:
            best = x
    return best
