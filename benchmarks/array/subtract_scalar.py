"""a -= s."""


def subtract_scalar(a: list[float], s: float) -> None:
    for i in range(len(a)):
        a[i] -= s
