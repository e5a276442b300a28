# expect refused - math is numpy; the square root of -1 is nan with a warning, not a ValueError
import numpy as math


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x)
    return s
