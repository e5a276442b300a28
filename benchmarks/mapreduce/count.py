def count(values: list[int]) -> int:
    n = 0
    for _ in values:
        n += 1
    return n
