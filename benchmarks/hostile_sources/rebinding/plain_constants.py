# expect proved - K is assigned once, from other constants
BASE = 2
STEPS = 3
K = 0.5 * BASE ** STEPS
NAMES = ('low', 'high')


def f(a: list[float]) -> list[float]:
    return [K * x for x in a]
