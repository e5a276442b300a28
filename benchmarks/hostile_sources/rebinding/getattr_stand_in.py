# expect refused - math is an object with __getattr__ that passes on all but sqrt
import math as _real


class Proxy:
    def __getattr__(self, name):
        return getattr(_real, "exp" if name == "sqrt" else name)


math = Proxy()


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s
