"""Elements cut to a range, in place."""


def clamp(x: list[float], low: float, high: float) -> None:
    for i in range(len(x)):
        if x[i] < low:
            x[i] = low
        elif x[i] > high:
            x[i] = high
