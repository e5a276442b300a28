"""a /= b."""


def divide_in_place(a: list[float], b: list[float]) -> list[float]:
    for i in range(len(a)):
        a[i] /= b[i]
    return a
