# expect refused - a class body is run at once and patches math
import math


class Settings:
    precision = 3
    math.sqrt = math.floor


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s
