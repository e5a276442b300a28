# expect proved - try/except ImportError for an accelerator that f does not use
import math

try:
    import numpy as np
except ImportError:
    np = None

HAVE_NUMPY = np is not None


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s
