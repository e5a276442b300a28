# expect refused - an inner function two levels down declares global g and replaces it
def g(x: float) -> float:
    return 2.0 * x


def setup():
    def inner():
        global g

        def g(x: float) -> float:
            return -2.0 * x

    inner()


setup()


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += g(x)
    return s
