# expect refused - `with ... as len` rebinds len
import contextlib


def f(a: list[float]) -> int:
    c = 0
    for i in range(len(a)):
        if a[i] > 0.0:
            c += 1
    return c


with contextlib.nullcontext(lambda a: 2) as len:
    pass
