# expect refused - K is a list changed through another name after f
K = [1.0, 2.0, 1.0]


def f(a: list[float]) -> list[float]:
    return [K[0] * x + K[1] + K[2] for x in a]


weights = K
weights[1] = 7.0
