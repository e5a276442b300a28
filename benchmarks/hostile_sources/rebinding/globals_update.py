# expect refused - globals().update gives sum a new meaning
def f(a: list[float]) -> float:
    return sum(x * x for x in a)


def total(values) -> float:
    s = 1.0
    for v in values:
        s += v
    return s


globals().update(sum=total)
