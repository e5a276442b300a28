def clip_in_place(values: list[float], lo: float, hi: float) -> int:
    """Clips the list itself, returns how many values have been changed."""
    changed = 0
    for i, v in enumerate(values):
        if v < lo:
            values[i] = lo
            changed += 1
        elif v > hi:
            values[i] = hi
            changed += 1
    return changed
