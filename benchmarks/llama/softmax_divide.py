"""Softmax, last step: each exponential as a share of their sum."""


def softmax_divide(x: list[float], total: float) -> None:
    for i in range(len(x)):
        x[i] /= total
