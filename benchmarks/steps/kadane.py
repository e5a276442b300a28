"""The greatest sum of neighbours; of none of them where all are negative."""


def kadane(xs: list[float]) -> float:
    best = 0.0
    ending_here = 0.0
    for x in xs:
        ending_here = max(0.0, ending_here + x)
        best = max(best, ending_here)
    return best
