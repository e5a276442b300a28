def values_by_key(pairs):
    # [(1, 'a'), (2, 'b'), (1, 'c')] --> {1: ['a', 'c'], 2: ['b']}
    groups = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
