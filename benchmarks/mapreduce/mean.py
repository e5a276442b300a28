def mean(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values)
