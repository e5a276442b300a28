from collections import Counter


def edge_counts(edges: list[tuple[int, int]]) -> dict[tuple[int, int], int]:
    return Counter(edges)
