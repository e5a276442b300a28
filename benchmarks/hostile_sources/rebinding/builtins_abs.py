# expect refused - builtins.abs is assigned
import builtins

builtins.abs = lambda x: x


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += abs(x)
    return s
