def sum_above(values: list[int], limit: int) -> int:
    total = 0
    for value in values:
        if value > limit:
            total += value
    return total
