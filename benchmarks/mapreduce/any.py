def contains(values: list[int], key: int) -> bool:
    for value in values:
        if value == key:
            return True
    return False
