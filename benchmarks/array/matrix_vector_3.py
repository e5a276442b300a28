"""y = A x for a 3 by 3 matrix."""


def matrix_vector_3(a: list[list[float]], x: list[float]) -> list[float]:
    y = []
    for i in range(3):
        total = 0.0
        for j in range(3):
            total += a[i][j] * x[j]
        y.append(total)
    return y
