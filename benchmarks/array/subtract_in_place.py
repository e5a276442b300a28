"""a -= b."""


def subtract_in_place(a: list[float], b: list[float]) -> None:
    for i in range(len(a)):
        a[i] -= b[i]
