import math
from typing import List


def max_drawdown(prices: List[float]) -> float:
    """Largest relative drop from a peak (0.25 means -25%)."""
    peak = -math.inf
    mdd = 0.0
    for p in prices:
        if p > peak:
            peak = p
        dd = (peak - p) / peak
        if dd > mdd:
            mdd = dd
    return mdd
