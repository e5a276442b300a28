def equal_frequency(values: list[int], first: int, second: int) -> bool:
    ones = 0
    others = 0
    for value in values:
        if value == first:
            ones += 1
        if value == second:
            others += 1
    return ones == others
