def string_match(words: list[str], first: str, second: str) -> tuple[bool, bool]:
    found_first = False
    found_second = False
    for word in words:
        if word == first:
            found_first = True
        if word == second:
            found_second = True
    return found_first, found_second
