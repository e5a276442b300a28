def vote_count(votes: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for vote in votes:
        try:
            counts[vote] += 1
        except KeyError:
            counts[vote] = 1
    return counts
