# expect refused - math.sqrt is assigned after f
import math


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s


math.sqrt = math.expm1
