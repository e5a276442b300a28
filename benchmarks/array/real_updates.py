"""d = c + a * b."""


def real_updates(a: list[float], b: list[float], c: list[float]) -> list[float]:
    return [z + x * y for x, y, z in zip(a, b, c)]
