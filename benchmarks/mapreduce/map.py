def clamped_to(values: list[int], low: int, high: int) -> list[int]:
    result = []
    for value in values:
        result.append(min(max(value, low), high))
    return result
