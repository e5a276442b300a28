"""How often each bin occurs."""


def histogram(values: list[int], bins: int) -> list[int]:
    counts = [0] * bins
    for v in values:
        counts[v] += 1
    return counts
