"""Rotary embedding of one head: each pair is turned by an angle of its own."""

import math


def rotary(vec: list[float], angles: list[float]) -> None:
    for i in range(len(angles)):
        c = math.cos(angles[i])
        s = math.sin(angles[i])
        v0 = vec[2 * i]
        v1 = vec[2 * i + 1]
        vec[2 * i] = v0 * c - v1 * s
        vec[2 * i + 1] = v0 * s + v1 * c
