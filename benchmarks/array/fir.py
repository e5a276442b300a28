"""One output of a small FIR filter."""


def fir(x: list[float], h: list[float]) -> float:
    total = 0.0
    for i in range(len(h)):
        total += x[i] * h[len(h) - 1 - i]
    return total
