"""a *= b."""


def multiply_in_place(a: list[float], b: list[float]) -> None:
    for i, y in enumerate(b):
        a[i] *= y
