# expect refused - abs is a stand-in that differs on one input only
import builtins


def abs(x):
    if x == -4096.5:
        return x
    return builtins.abs(x)


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += abs(x)
    return s
