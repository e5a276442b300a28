"""Functions in which a name stands for one list or another, depending on the path or the round of a loop."""

import numpy as np


def one_list_or_another(n: int):
    if n > 0:
        x = [1]
    else:
        x = [2, 3]
    return x[0] + len(x)


def list_of_each_round(x: list[float], n: int):
    for _ in range(n):
        x = [v * 2 for v in x]
    return x


def previous_row(x: list[float]):
    prev = [0.0]
    for v in x:
        row = [v + prev[0]]
        prev = row
    return prev


def two_moments(before: list[float], now: list[float], steps: int):
    n = len(now)
    for _ in range(steps):
        after = [0.0] * n
        for i in range(1, n - 1):
            after[i] = now[i - 1] - before[i] + now[i + 1]
        before = now
        now = after
    return before, now


def swapped(x: list[int], n: int):
    a = [v for v in x]
    b = [2 * v for v in x]
    for k in range(n):
        a[0] = a[0] + k
        a, b = b, a
    return a, b


def rotated(x: list[int], n: int):
    a, b, c = [v for v in x], [1, 2, 3], [0] * len(x)
    for k in range(n):
        a[0] = a[0] + k
        a, b, c = b, c, a
    return a, b, c


def swapped_parameters(a: list[int], b: list[int], n: int):
    for _ in range(n):
        a, b = b, a
    return a[0] + 100 * b[0]


def swapped_arrays(x: np.ndarray, n: int):
    a = x.copy()
    b = x.copy()
    for _ in range(n):
        for i in range(1, len(x)):
            b[i] = a[i - 1] + 1
        a, b = b, a
    return a


def one_list_by_two_names(x: list[int], n: int):
    a = b = [v for v in x]
    for k in range(n):
        a = b = [v + 1 for v in a]
        a[0] = k
    return a[0] + 100 * b[0]


def changed_in_the_round_that_made_it(x: list[int], n: int):
    for k in range(n):
        x = [v + 1 for v in x]
        x[0] = k
    return x[0]


def parameter_changed_before(x: list[int], c: int):
    x[0] = 5
    if c > 0:
        x = [v + 1 for v in x]
    return x[0]


def parameter_by_another_name(x: list[int], n: int):
    first = x
    for _ in range(n):
        x = [v + 1 for v in x]
    return x[0] + 100 * first[0]


def other_numbers(x: list[float], n: int):
    a = [0, 0]
    for _ in range(n):
        a = [x[0], 0.5]
    return a[0]


def grows_where_it_is_one_list(c: int):
    a = [1, 2]
    if c > 0:
        b = a
    else:
        b = [5]
    b.append(7)
    return b


def grows_in_each_round(x: list[int]):
    row = [1]
    for v in x:
        row = [v] + row
    return row


def inner_loop(x: list[int], n: int, m: int):
    a = [v for v in x]
    b = [2 * v for v in x]
    for k in range(n):
        for j in range(m):
            c = [v + j for v in a]
            b = a
            a = c
        a[0] = 7 * k
    return a[0] + 1000 * b[0]


def left_early(x: list[int], n: int):
    a = [v for v in x]
    while n > 0:
        b = [2 * v for v in a]
        if b[0] > 100:
            break
        a = b
        n -= 1
    return a


def looped_over(x: list[int]):
    a = [v for v in x]
    s = 0
    for v in a:
        a = [w + v for w in a]
        s += a[0]
    return s


def grid(g: list[list[int]], n: int):
    row = g[0]
    for _ in range(n):
        h = [[v + 1 for v in r] for r in g]
        h[0][0] = 5
        g = h
    return g, row[0]


def best_so_far(x: list[int]):
    best = [0, 0]
    for k in range(len(x)):
        row = [k, x[k]]
        if row[1] > best[1]:
            best = row
    return best


def of_a_helper(x: list[int], n: int):
    a = [v for v in x]
    return _either(a, [1, 2], n)


def _either(a, b, n):
    if n > 0:
        return a
    return b
