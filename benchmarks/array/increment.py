"""a += 1 on integers."""


def increment(a: list[int]) -> None:
    i = 0
    while i < len(a):
        a[i] += 1
        i += 1
