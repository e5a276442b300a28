def distinct_values(values: list[int]) -> set[int]:
    seen = set()
    for value in values:
        if value not in seen:
            seen.add(value)
    return seen
