# expect proved - random.seed and a NumPy generator only
import random

import numpy as np

random.seed(1234)
rng = np.random.default_rng(7)


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += abs(x)
    return s
