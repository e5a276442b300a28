"""Every step-th element."""


def strided_copy(x: list[float], step: int, y: list[float]) -> None:
    for i in range(len(y)):
        y[i] = x[i * step]
