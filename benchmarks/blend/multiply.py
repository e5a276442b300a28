"""Multiply: a * b / 255, rounded down."""


def multiply(base: list[list[int]], active: list[list[int]]) -> list[list[int]]:
    rows, cols = len(base), len(base[0])
    out = [[0] * cols for _ in range(rows)]
    for i in range(rows):
        for j in range(cols):
            out[i][j] = base[i][j] * active[i][j] // 255
    return out
