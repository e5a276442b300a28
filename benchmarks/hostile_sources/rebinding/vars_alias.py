# expect refused - vars(math) is kept in a name and written through it
import math

table = vars(math)


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s


table['sqrt'] = math.fabs
