# expect proved - star import after f: sum is numpy's own, whose second argument is an axis
def f(a: list[float]) -> float:
    return sum([x * x for x in a], -1)


from numpy import *
