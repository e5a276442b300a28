"""How many elements are above a threshold."""


def count(a: list[int], threshold: int) -> int:
    return sum(1 for x in a if x > threshold)
