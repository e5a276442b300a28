from typing import List


def horner(poly: List[float], x: float) -> float:
    # poly[0] is the coefficient of the highest power
    result = poly[0]
    for i in range(1, len(poly)):
        result = result * x + poly[i]
    return result
