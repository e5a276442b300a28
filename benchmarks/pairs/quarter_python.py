def quarter(x: list[int], y: list[int], n: int) -> None:
    for i in range(n):
        y[i] = x[i] // 4


def remainders(x: list[int], y: list[int], n: int) -> None:
    for i in range(n):
        y[i] = x[i] % 4
