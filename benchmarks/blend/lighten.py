"""The lighter of two pixels."""


def lighten(base: list[list[int]], active: list[list[int]]) -> list[list[int]]:
    return [[max(a, b) for a, b in zip(row_a, row_b)] for row_a, row_b in zip(active, base)]
