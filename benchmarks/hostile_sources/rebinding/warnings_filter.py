# expect proved - a warnings filter and numpy print options only
import math
import warnings

import numpy as np

warnings.filterwarnings('ignore', category=DeprecationWarning)
np.set_printoptions(precision=3)


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s
