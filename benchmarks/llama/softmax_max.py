"""Softmax, first step: the greatest score up to a position."""


def softmax_max(x: list[float], max_pos: int) -> float:
    largest = x[0]
    for i in range(1, max_pos):
        if x[i] > largest:
            largest = x[i]
    return largest
