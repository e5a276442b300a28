"""The residual connection."""


def residual_add(x: list[float], delta: list[float]) -> None:
    for i, d in enumerate(delta):
        x[i] += d
