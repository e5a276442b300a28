# expect refused - g changes K while f runs
K = 1.0


def g(x: float) -> float:
    global K
    K = K + 1.0
    return K * x


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += g(x)
    return s
