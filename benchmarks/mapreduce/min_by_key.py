def min_by_key(keys: list[int], values: list[float]) -> dict[int, float]:
    least: dict[int, float] = {}
    for key, value in zip(keys, values):
        if value > 0.0:
            least[key] = min(least.get(key, value), value)
    return least
