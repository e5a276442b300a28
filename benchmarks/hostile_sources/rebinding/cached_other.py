# expect proved - another function is decorated with lru_cache; f does not use it
from functools import lru_cache


@lru_cache(maxsize=None)
def table_entry(n: int) -> int:
    return n * n + 1


def g(x: float) -> float:
    return 2.0 * x


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += g(x)
    return s
