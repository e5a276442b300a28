"""Linear dodge: a + b, into the base image."""


def linear_dodge(base: list[list[int]], active: list[list[int]]) -> None:
    for i in range(len(base)):
        for j in range(len(base[i])):
            base[i][j] += active[i][j]
