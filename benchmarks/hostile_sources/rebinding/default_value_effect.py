# expect refused - a default value of another function is a setattr on math
import math


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s


def unrelated(x: float, _once=setattr(math, 'sqrt', math.sin)) -> float:
    return x
