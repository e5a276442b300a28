# expect assumed - star import; math.pow hides the builtin pow and gives floats (the program does differ)
from math import *


def f(a: list[int], n: int) -> int:
    s = 0
    for x in a:
        s += pow(x, 2) % n
    return s
