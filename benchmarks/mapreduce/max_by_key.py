def max_by_key(keys: list[int], values: list[int]) -> dict[int, int]:
    best: dict[int, int] = {}
    for key, value in zip(keys, values):
        if key not in best or value > best[key]:
            best[key] = value
    return best
