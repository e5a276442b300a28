# expect assumed - math is handed to a call whose effect is hidden (mock patches sqrt)
import math
from unittest import mock

mock.patch.object(math, 'sqrt', math.fabs).start()


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s
