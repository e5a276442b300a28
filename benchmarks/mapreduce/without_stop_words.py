def without_stop_words(words: list[str], stop: list[str]) -> list[str]:
    skipped = set(stop)
    return [word for word in words if word not in skipped]
