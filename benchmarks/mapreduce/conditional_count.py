def count_above(values: list[int], limit: int) -> int:
    n = 0
    for value in values:
        if value > limit:
            n += 1
    return n
