# expect refused - globals()['abs'] is assigned after f
def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += abs(x)
    return s


globals()['abs'] = float
