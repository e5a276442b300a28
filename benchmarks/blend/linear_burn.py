"""Linear burn: a + b - 255."""


def linear_burn(base: list[list[int]], active: list[list[int]]) -> list[list[int]]:
    return [[base[i][j] + active[i][j] - 255 for j in range(len(base[0]))] for i in range(len(base))]
