def equal(values: list[int], wanted: int) -> bool:
    same = True
    for value in values:
        if value != wanted:
            same = False
    return same
