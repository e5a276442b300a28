"""a += b."""


def add_in_place(a: list[float], b: list[float]) -> None:
    for i in range(len(a)):
        a[i] += b[i]
