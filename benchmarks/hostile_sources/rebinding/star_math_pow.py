# expect proved - a star import of a known module; its pow hides the builtin one and gives floats
from math import *


def f(a: list[int], n: int) -> int:
    s = 0
    for x in a:
        s += pow(x, 2) % n
    return s
