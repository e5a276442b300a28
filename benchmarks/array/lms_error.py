"""The desired value less the filter's output."""


def lms_error(c: list[float], x: list[float], desired: float) -> float:
    y = 0.0
    for ci, xi in zip(c, x):
        y += ci * xi
    return desired - y
