"""The active pixel where the opacity reaches the random number's hundredth, else the base."""


def dissolve(base: list[list[int]], active: list[list[int]], opacity: int, random: int) -> list[list[int]]:
    out = []
    for i in range(len(base)):
        row = []
        for j in range(len(base[i])):
            threshold = ((random % 100) + 1) // 100
            if opacity - threshold >= 0:
                row.append(active[i][j])
            else:
                row.append(base[i][j])
        out.append(row)
    return out
