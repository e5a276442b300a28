# expect proved - sys.path.append and os.path calls only
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(HERE)


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s
