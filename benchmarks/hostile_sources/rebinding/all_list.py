# expect proved - __all__, __version__ and a docstring only
"""Sums of magnitudes."""

__all__ = ["f"]
__version__ = "1.2.0"
__author__ = "nobody"


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += abs(x)
    return s
