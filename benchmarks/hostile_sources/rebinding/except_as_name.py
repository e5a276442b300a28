# expect refused - `except ... as K` rebinds K and then deletes it
K = 2.0

try:
    int('x')
except ValueError as K:
    pass


def f(a: list[float]) -> list[float]:
    return [K * x for x in a]
