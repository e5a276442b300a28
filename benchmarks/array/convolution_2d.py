"""2-D convolution with a kernel of 3 x 3, over all positions where it fits."""


def convolution_2d(image: list[list[float]], w: list[list[float]]) -> list[list[float]]:
    out = []
    for y in range(len(image) - 2):
        row = []
        for x in range(len(image[0]) - 2):
            total = 0.0
            for i in range(3):
                for j in range(3):
                    total += image[y + i][x + j] * w[i][j]
            row.append(total)
        out.append(row)
    return out
