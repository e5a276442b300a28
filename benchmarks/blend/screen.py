"""Screen: a + b - a * b / 255."""


def screen(base: list[list[int]], active: list[list[int]]) -> list[list[int]]:
    out = []
    for row_b, row_a in zip(base, active):
        out.append([a + b - a * b // 255 for a, b in zip(row_a, row_b)])
    return out
