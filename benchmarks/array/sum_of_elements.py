"""The sum of a + b over all elements."""


def sum_of_elements(a: list[float], b: list[float]) -> float:
    total = 0.0
    for i in range(len(a)):
        total += a[i] + b[i]
    return total
