"""a *= s for a matrix."""


def matrix_scale(a: list[list[float]], s: float) -> None:
    for row in a:
        for j in range(len(row)):
            row[j] *= s
