def argmax(x: list[float]) -> int:
    best = 0
    for i in range(1, len(x)):
        if x[i] > x[best]:
            best = i
    return best


def argmax_kept(x: list[float]) -> int:
    best, top = 0, x[0]
    for i, value in enumerate(x):
        if value > top:
            best, top = i, value
    return best


def argmax_later(x: list[float]) -> int:
    best, top = 0, x[0]
    for i, value in enumerate(x):
        if value >= top:
            best, top = i, value
    return best
