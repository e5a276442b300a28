def dot(a: list[float], b: list[float], n: int) -> float:
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


def dot_from_one(a: list[float], b: list[float], n: int) -> float:
    total = a[0] * b[0]
    for i in range(1, n - 1):
        total += a[i] * b[i]
    return total
