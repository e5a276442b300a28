# expect refused - g.__code__ is replaced by another function's
def g(x: float) -> float:
    return 2.0 * x


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += g(x)
    return s


def spare(x: float) -> float:
    return 3.0 * x


g.__code__ = spare.__code__
