def greatest(values: list[int]) -> int:
    best = values[0]
    for value in values:
        if value > best:
            best = value
    return best
