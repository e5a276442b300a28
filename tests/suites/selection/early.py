"""Loops over lists that data end early."""


def is_sorted(x: list[float]) -> bool:
    for i in range(1, len(x)):
        if x[i - 1] > x[i]:
            return False
    return True


def leading_below(x: list[int], limit: int) -> int:
    i = 0
    while i < len(x) and x[i] < limit:
        i += 1
    return i
