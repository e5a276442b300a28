"""The first place of a value, -1 if it is not there."""


def search(a: list[int], value: int) -> int:
    for i, x in enumerate(a):
        if x == value:
            return i
    return -1
