"""C += alpha A B."""


def gemm(alpha: float, a: list[list[float]], b: list[list[float]], c: list[list[float]]) -> None:
    for i in range(len(a)):
        for k in range(len(b)):
            for j in range(len(b[0])):
                c[i][j] += alpha * a[i][k] * b[k][j]
