"""SwiGLU: SiLU of one vector, gated by another, in place."""

import math


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def swiglu(hb: list[float], hb2: list[float]) -> None:
    for i in range(len(hb)):
        hb[i] = hb[i] * sigmoid(hb[i]) * hb2[i]
