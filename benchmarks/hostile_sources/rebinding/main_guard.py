# expect proved - prints only under the main guard, where names of its own are bound
import math


def f(a: list[float]) -> float:
    s = 0.0
    for x in a:
        s += math.sqrt(x * x + 1.0)
    return s


if __name__ == '__main__':
    data = [1.0, 2.0]
    for d in data:
        print(d, f([d]))
    print('total', f(data))
