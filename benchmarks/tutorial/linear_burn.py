"""Linear burn of two images: a + b - 255."""


def linear_burn(base: list[list[int]], active: list[list[int]]) -> list[list[int]]:
    out = []
    for i in range(len(base)):
        row = []
        for j in range(len(base[0])):
            row.append(base[i][j] + active[i][j] - 255)
        out.append(row)
    return out
