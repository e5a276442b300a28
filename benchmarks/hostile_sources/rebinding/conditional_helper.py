# expect refused - which g holds depends on the interpreter
import sys

if sys.version_info >= (3, 8):

    def g(x: float) -> float:
        return 4.0 * x

else:

    def g(x: float) -> float:
        return 2.0 * x


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += g(x)
    return s
