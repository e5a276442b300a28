"""Softmax, third step: the sum of the exponentials."""


def softmax_sum(x: list[float], max_pos: int) -> float:
    total = 0.0
    for i in range(max_pos):
        total += x[i]
    return total
