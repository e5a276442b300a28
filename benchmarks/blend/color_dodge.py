"""Color dodge: 255 where a == 255, otherwise b / (255 - a)."""


def color_dodge(base: list[list[int]], active: list[list[int]]) -> list[list[int]]:
    return [[255 if a == 255 else b // (255 - a) for b, a in zip(row_b, row_a)] for row_b, row_a in zip(base, active)]
