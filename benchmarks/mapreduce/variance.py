def variance(values: list[float]) -> float:
    total = 0.0
    squares = 0.0
    n = 0
    for value in values:
        total += value
        squares += value * value
        n += 1
    return squares / n - (total / n) * (total / n)
