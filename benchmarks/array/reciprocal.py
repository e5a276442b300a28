"""1 / a."""


def reciprocal(a: list[float]) -> list[float]:
    out = []
    for x in a:
        out.append(1.0 / x)
    return out
