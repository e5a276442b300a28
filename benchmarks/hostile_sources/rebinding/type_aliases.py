# expect proved - type aliases, a TypeVar and a NewType only
from typing import NewType, Optional, TypeVar

Vector = list[float]
T = TypeVar('T', bound=float)
UserId = NewType('UserId', int)
Maybe = Optional[float]


def f(a: list[float]) -> int:
    c = 0
    for i in range(len(a)):
        if a[i] > 0.0:
            c += 1
    return c
