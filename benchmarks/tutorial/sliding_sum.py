"""Sums of neighbours: one element less than the data has."""


def sliding_sum(data: list[int]) -> list[int]:
    result = []
    for i in range(len(data) - 1):
        result.append(data[i] + data[i + 1])
    return result
