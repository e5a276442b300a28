# expect proved - the module's own __getattr__ serves outside look-ups only; f's names are found first
import math


def __getattr__(name: str) -> float:
    if name == "old_constant":
        return 3.0
    raise AttributeError(name)


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s
