# expect refused - a second name for math is patched
import math
import math as precise


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s


numeric = precise
numeric.sqrt = numeric.exp
