# expect assumed - star import after f; numpy has its own abs, min, max and sum
def f(a: list[float]) -> float:
    return sum([x * x for x in a], -1)


from numpy import *
