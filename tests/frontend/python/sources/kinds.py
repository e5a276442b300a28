"""Numbers that are Python's on one path and NumPy's on another."""

import numpy as np
from numpy.typing import NDArray


def place_or_element(x: NDArray[np.int8], n: int) -> int:
    last = -1
    for i in range(n):
        if x[i] > 3:  # a number that is Python's on one way to here and NumPy's on another
            last = i
        elif x[i] < -3:
            last = x[i]
    return last


def count_or_element(x: NDArray[np.uint8], n: int) -> int:
    run = 0
    for i in range(n):
        if x[i] > 0:  # a number that is Python's on one way to here and NumPy's on another
            run = x[i] // 255 + 1
        else:
            run = run + 1
    return run


def chosen(x: NDArray[np.int8], n: int) -> int:
    r = 0
    for i in range(n):
        r = x[i] if x[i] != 0 else r - 1  # a number that is Python's on one way to here and NumPy's on another
    return r


def after_the_loop(x: NDArray[np.uint8]) -> int:
    s = 0
    for v in x:
        s += v
    return s - 100  # a number that is Python's on one way to here and NumPy's on another


def turned(x: NDArray[np.int8], k: int) -> int:
    return -max(x[0], k)  # a number that is Python's on one way to here and NumPy's on another


def far_from(x: NDArray[np.uint8]) -> int:
    return abs(min(x[0], 7))  # a number that is Python's on one way to here and NumPy's on another


def in_a_list(x: NDArray[np.uint8]) -> int:
    kept = [0] * len(x)
    for i in range(len(x)):
        if x[i] > 9:
            kept[i] = x[i]
    s = 0
    for each in kept:
        s = s + (each - 10)  # a number that is Python's on one way to here and NumPy's on another
    return s


def beside_an_array(x: NDArray[np.int16], c: bool) -> np.ndarray:
    k = x[0] if c else 5
    return x * k  # a number that is Python's on one way to here and NumPy's on another
