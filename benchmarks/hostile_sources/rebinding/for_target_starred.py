# expect refused - K is a nested for-loop target at module level
K = 1.0

for i, (*rest, K) in enumerate([(1, 2.0), (3, 4.0)]):
    pass


def f(a: list[float]) -> list[float]:
    return [K * x for x in a]
