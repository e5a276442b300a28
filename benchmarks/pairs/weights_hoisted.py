def weighted(w: list[float], x: list[float]) -> list[float]:
    out = []
    for i in range(len(x)):
        total = 0.0
        for j in range(len(w)):
            total += w[j]
        out.append(w[i] * x[i] / total)
    return out


def weighted_hoisted(w: list[float], x: list[float]) -> list[float]:
    total = 0.0
    for each in w:
        total += each
    scale = 1.0 / total
    return [a * b * scale for a, b in zip(w, x)]


def weighted_partial(w: list[float], x: list[float]) -> list[float]:
    out = []
    total = 0.0
    for a, b in zip(w, x):
        total += a
        out.append(a * b / total)
    return out
