"""The coefficients' update, over all but the last of them."""


def lms_update(c: list[float], x: list[float], e: float) -> None:
    for i in range(len(c) - 1):
        c[i] += x[i] * e
