# expect refused - K is given a new value in the else and finally of a try
K = 2.0

try:
    import json
except ImportError:
    json = None
else:
    K = 3.0
finally:
    K += 1.0


def f(a: list[float]) -> list[float]:
    return [K * x for x in a]
