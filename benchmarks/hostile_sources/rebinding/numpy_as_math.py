# expect proved - math is numpy, whose square root is read as such
import numpy as math


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x)
    return s
