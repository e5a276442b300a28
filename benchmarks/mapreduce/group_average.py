def group_average(keys: list[int], values: list[float]) -> dict[int, float]:
    totals: dict[int, float] = {}
    counts: dict[int, int] = {}
    for key, value in zip(keys, values):
        totals[key] = totals.get(key, 0.0) + value
        counts[key] = counts.get(key, 0) + 1
    return {key: totals[key] / counts[key] for key in totals}
