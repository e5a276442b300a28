"""x *= a by tiles of 16."""


def tiled_scale(x: list[float], a: float) -> None:
    for start in range(0, len(x), 16):
        for i in range(start, min(start + 16, len(x))):
            x[i] *= a
