def kept_above(values: list[int], limit: int) -> list[int]:
    return [value for value in values if value > limit]
