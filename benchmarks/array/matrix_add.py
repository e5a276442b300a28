"""a + b for matrices."""


def matrix_add(a: list[list[float]], b: list[list[float]]) -> list[list[float]]:
    return [[x + y for x, y in zip(row, other)] for row, other in zip(a, b)]
