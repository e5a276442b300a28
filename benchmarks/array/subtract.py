"""a -= b."""


def subtract(a: list[float], b: list[float]) -> None:
    for i, x in enumerate(b):
        a[i] -= x
