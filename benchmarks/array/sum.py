"""The sum of integers."""


def sum_of(a: list[int]) -> int:
    total = 0
    for x in a:
        total += x
    return total
