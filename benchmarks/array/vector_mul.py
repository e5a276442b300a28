"""a * b."""


def vector_mul(a: list[float], b: list[float]) -> list[float]:
    out = []
    for i in range(len(a)):
        out.append(a[i] * b[i])
    return out
