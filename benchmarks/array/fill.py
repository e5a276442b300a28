"""One value for all elements."""


def fill(a: list[int], value: int) -> None:
    for i in range(len(a)):
        a[i] = value
