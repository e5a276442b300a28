"""-a."""


def negate(a: list[float]) -> list[float]:
    return [-x for x in a]
