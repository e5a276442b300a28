def appended(x: list[float]) -> list[float]:
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
    return kept


def comprehended(x: list[float], low: float) -> list[float]:
    return [2 * v for v in x if v > low]


def paired(x: list[float], y: list[float]) -> list[float]:
    kept = []
    for a, b in zip(x, y):  # noqa: B905
        if a <= b:
            continue
        kept.append(a - b)
    return kept


def histogram(b: list[int], m: int) -> list[int]:
    h = [0] * m
    for i in b:
        h[i] += 1
    return h
