"""Overlay of an image on itself."""


def overlay(base: list[list[int]]) -> list[list[int]]:
    out = []
    for row in base:
        new = []
        for b in row:
            if b >= 128:
                new.append(2 * b + b - 2 * b * b // 255 - 255)
            else:
                new.append(2 * b * b // 255)
        out.append(new)
    return out
