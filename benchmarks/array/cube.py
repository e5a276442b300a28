"""Cubes, in place."""


def cube(a: list[int]) -> None:
    for i in range(len(a)):
        a[i] = a[i] ** 3
