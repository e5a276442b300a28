# expect refused - g.__defaults__ is replaced, so the factor is 5
def g(x: float, k: float = 2.0) -> float:
    return k * x


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += g(x)
    return s


g.__defaults__ = (5.0,)
