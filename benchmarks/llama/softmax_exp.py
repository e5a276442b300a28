"""Softmax, second step: the exponential of each score's distance from the greatest."""

import math


def softmax_exp(x: list[float], largest: float) -> list[float]:
    return [math.exp(v - largest) for v in x]
