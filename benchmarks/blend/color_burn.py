"""Color burn: 255 where a == 0, otherwise 255 - (255 - b) / a."""


def color_burn(base: list[list[int]], active: list[list[int]]) -> list[list[int]]:
    out = []
    for i in range(len(base)):
        row = []
        for j in range(len(base[0])):
            if active[i][j] == 0:
                row.append(255)
            else:
                row.append(255 - (255 - base[i][j]) // active[i][j])
        out.append(row)
    return out
