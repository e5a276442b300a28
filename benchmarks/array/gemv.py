"""y = A x, into y."""


def gemv(a: list[list[float]], x: list[float], y: list[float]) -> None:
    for i in range(len(a)):
        total = 0.0
        for j in range(len(x)):
            total += a[i][j] * x[j]
        y[i] = total
