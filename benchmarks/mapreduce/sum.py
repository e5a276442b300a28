def sum_of(values: list[int]) -> int:
    total = 0
    for value in values:
        total += value
    return total
