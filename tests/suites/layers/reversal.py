def reverse_first(x: list[int], n: int) -> None:
    for i in range(n // 2):
        x[i], x[n - 1 - i] = x[n - 1 - i], x[i]


def reverse_between(x: list[int]) -> None:
    i, j = 0, len(x) - 1
    while i < j:
        x[i], x[j] = x[j], x[i]
        i += 1
        j -= 1


def reverse(x: list[int]) -> None:
    n = len(x)
    for i in range(n // 2):
        t = x[i]
        x[i] = x[n - 1 - i]
        x[n - 1 - i] = t
