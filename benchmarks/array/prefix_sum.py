"""Sums up to each element."""


def prefix_sum(x: list[float]) -> list[float]:
    out = []
    total = 0.0
    for v in x:
        total += v
        out.append(total)
    return out
