# expect refused - g is defined again after f; f sees the later one
def g(x: float) -> float:
    return 2.0 * x


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += g(x)
    return s


def g(x: float, *more: float) -> float:
    return 2.0 + x
