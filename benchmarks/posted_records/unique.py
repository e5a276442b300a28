def unique_order(seq):
    """remove duplicates but keep the order"""
    seen = set()
    result = []
    for item in seq:
        if item not in seen:
            seen.add(item)
            result.append(item)
    return result
