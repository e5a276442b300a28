from collections import Counter


def channel_histogram(channel: list[int]) -> dict[int, int]:
    return Counter(value // 16 for value in channel)
