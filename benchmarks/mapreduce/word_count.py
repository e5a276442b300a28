def word_count(words: list[int]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts
