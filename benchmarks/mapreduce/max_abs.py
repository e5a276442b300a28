def max_abs(values: list[int]) -> int:
    best = 0
    for value in values:
        if abs(value) > best:
            best = abs(value)
    return best
