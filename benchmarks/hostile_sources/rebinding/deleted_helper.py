# expect refused - g is deleted at the end, so f raises NameError
def g(x: float) -> float:
    return 2.0 * x


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += g(x)
    return s


del g
