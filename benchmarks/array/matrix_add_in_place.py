"""a += b for matrices."""


def matrix_add_in_place(a: list[list[float]], b: list[list[float]]) -> None:
    for i in range(len(a)):
        for j in range(len(a[0])):
            a[i][j] = a[i][j] + b[i][j]
