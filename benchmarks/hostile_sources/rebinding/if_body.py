# expect refused - abs is rebound inside an if at module level
import sys

if sys.maxsize > 2 ** 31:
    if True:
        abs = int


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += abs(x)
    return s
