from collections import defaultdict


def total_by_key(keys: list[int], amounts: list[float]) -> dict[int, float]:
    totals: defaultdict[int, float] = defaultdict(float)
    for key, amount in zip(keys, amounts):
        totals[key] += amount
    return totals
