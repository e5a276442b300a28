"""The outer product."""


def outer(x: list[float], y: list[float]) -> list[list[float]]:
    out = []
    for a in x:
        row = []
        for b in y:
            row.append(a * b)
        out.append(row)
    return out
