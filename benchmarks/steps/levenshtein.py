"""Edit distance of two texts given as code points, with two rows of the table."""


def levenshtein(a: list[int], b: list[int]) -> int:
    previous = [j for j in range(len(b) + 1)]
    for i in range(len(a)):
        current = [0] * (len(b) + 1)
        current[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current[j + 1] = min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost)
        previous = current
    return previous[len(b)]
