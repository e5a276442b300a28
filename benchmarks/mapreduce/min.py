def least(values: list[float]) -> float:
    best = values[0]
    for value in values[1:]:
        best = min(best, value)
    return best
