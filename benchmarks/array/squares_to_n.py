"""1*1 + 2*2 + ... + n*n."""


def squares_to_n(n: int) -> int:
    total = 0
    for i in range(1, n + 1):
        total += i * i
    return total
