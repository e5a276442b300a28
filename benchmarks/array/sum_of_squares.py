"""The sum of squares."""


def sum_of_squares(a: list[float]) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] ** 2
    return total
