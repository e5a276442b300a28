"""Whether two lists of one length have the same elements."""


def equal(a: list[float], b: list[float]) -> bool:
    for x, y in zip(a, b):
        if x != y:
            return False
    return True
