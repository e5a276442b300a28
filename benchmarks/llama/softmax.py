"""Softmax in place."""

import math


def softmax(x: list[float]) -> None:
    largest = max(x)
    total = 0.0
    for i in range(len(x)):
        x[i] = math.exp(x[i] - largest)
        total += x[i]
    for i in range(len(x)):
        x[i] /= total
