"""a + c."""


def offset(a: list[float], c: float) -> list[float]:
    out = [0.0] * len(a)
    for i in range(len(a)):
        out[i] = a[i] + c
    return out
