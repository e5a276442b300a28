# expect assumed - setattr on math with names that only the loop knows
import math

for name in ('floor', 'sqrt'):
    setattr(math, name, lambda x: x)


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s
