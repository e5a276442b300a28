"""The darker of two pixels."""


def darken(base: list[list[int]], active: list[list[int]]) -> list[list[int]]:
    out = []
    for i in range(len(base)):
        row = []
        for j in range(len(base[i])):
            if base[i][j] > active[i][j]:
                row.append(active[i][j])
            else:
                row.append(base[i][j])
        out.append(row)
    return out
