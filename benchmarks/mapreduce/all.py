def all_positive(values: list[float]) -> bool:
    return all(value > 0.0 for value in values)
