# expect refused - another function's decorator declares global K and changes it
K = 2.0


def register(func):
    global K
    K = 0.5
    return func


def f(a: list[float]) -> list[float]:
    return [K * x for x in a]


@register
def unrelated(x: int) -> int:
    return x + 1
