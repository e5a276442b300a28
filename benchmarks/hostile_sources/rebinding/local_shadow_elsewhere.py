# expect proved - another function has locals called abs, sum and K; they end with it
K = 2.0


def other(a: list[float]) -> float:
    abs = 0.0
    sum = 1.0
    K = 3.0
    for x in a:
        abs = abs + x * K
    return abs + sum


def f(a: list[float]) -> list[float]:
    return [K * abs(x) for x in a]
