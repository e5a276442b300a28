from collections import Counter, defaultdict


def group_variance(keys: list[int], values: list[float]) -> dict[int, float]:
    counts: Counter[int] = Counter()
    sums: defaultdict[int, float] = defaultdict(float)
    squares: defaultdict[int, float] = defaultdict(float)
    for key, value in zip(keys, values):
        counts[key] += 1
        sums[key] += value
        squares[key] += value * value
    return {key: squares[key] / counts[key] - sums[key] / counts[key] * (sums[key] / counts[key]) for key in counts}
