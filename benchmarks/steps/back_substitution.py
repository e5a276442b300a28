"""Solves R x = b for an upper triangular R, from the last row upwards."""


def back_substitution(r: list[list[float]], b: list[float]) -> list[float]:
    n = len(b)
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= r[i][j] * x[j]
        x[i] = total / r[i][i]
    return x
