# expect proved - an attribute called sqrt is set on another object than math
import math
import types

fast = types.SimpleNamespace()
fast.sqrt = math.fabs
registry = {}
registry['math.sqrt'] = fast


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s
