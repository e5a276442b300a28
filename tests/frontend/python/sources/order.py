"""Functions whose results depend on when parts of expressions are evaluated: read as Python evaluates them, or refused."""

from itertools import accumulate, pairwise


def zips_a_list_made_before(a: list[int]) -> int:
    k = 1
    t = 0
    for _, y in zip(a, [v + k for v in a]):  # a loop over copies of lists that it changes
        t += y
        k += 1
    return t


def reverses_a_list_made_before(a: list[int]) -> int:
    k = 0
    t = 0
    for x in reversed([v + k for v in a]):  # a loop over copies of lists that it changes
        t += x
        k += 1
    return t


def target_in_enumerate(a: list[int]) -> int:
    b = a[:]
    s = 0
    for i, b[0] in enumerate(b[::-1]):  # a loop over copies of lists that it changes
        s += i
    return s + b[0]


def slices_in_a_tuple(a: list[int]) -> int:
    b = a[:]
    t = 0
    for part in (b[1:], b[:-1]):  # a loop over copies of lists that it changes
        b[1] = b[1] + 1
        t += part[0]
    return t


def slice_named_inside(c: list[int]) -> int:
    a = c[:]
    m = len(b := a[1:])  # which is no number
    a[1] = a[1] + 1
    return b[0] - a[1] + m


def rows_of_a_slice(a: list[int]) -> int:
    m = [[v, v] for v in a]
    c = m[:]  # which shares the rows
    for i in range(len(a)):
        c[i][0] += 1
    return sum(row[0] for row in m)


def rows_of_a_reversed_slice(a: list[int]) -> int:
    m = [[v, v] for v in a]
    for r in m[::-1]:  # which shares the rows
        r[0] += 1
    return sum(row[0] for row in m)


def rows_of_a_parameter(m: list[list[int]]) -> int:
    c = m[:]  # which shares the rows
    for i in range(len(c)):
        c[i][0] += 1
    return sum(row[0] for row in m)


def accumulated_once(a: list[int]) -> int:
    it = accumulate(a)  # an iterator that gets a name
    return sum(it) + sum(it)


def closure_beside_a_generator(a: list[int], i: int) -> int:
    g = lambda: i  # also the name of a comprehension
    return sum(v + g() for i, v in enumerate(a))


def parameter_beside_a_comprehension(a: list[int], i: int) -> int:
    def g(v: int) -> int:
        return v + i  # also the name of a comprehension

    return sum([g(i) for i in a])


def any_stops(a: list[int], k: int) -> int:
    w = 0
    hit = any((w := v) > k for v in a)  # a generator that changes something
    return w + (1 if hit else 0)


def any_stops_in_a_function(a: list[int], k: int) -> int:
    log: list[int] = []

    def seen(v: int) -> bool:
        log.append(v)
        return v > k

    t = any(seen(v) for v in a)  # a generator that changes something
    return len(log) + (1 if t else 0)


def own_abs(a: list[int]) -> int:
    b = a[:]

    def abs(v: int) -> int:  # the name of Python's abs
        b[0] = v
        return 0

    return b[0] + abs(b[0] + 1)


def key_that_counts(a: list[int]) -> int:
    log: list[int] = []

    def key(v: int) -> int:
        log.append(v)
        return v

    return min(a, key=key) + len(log)  # a function that changes something and is handed on


def start_after_the_list(a: list[int]) -> int:
    b = a[:]
    return sum([b.pop() for _ in range(2)], len(b))  # whose parts change something


def default_before_the_first(a: list[int], k: int) -> int:
    b = a[:]
    return next((v for v in b[:] if v > k), 0 * b.pop())  # whose parts change something


def pairs_made_once(a: list[int]) -> int:
    log: list[int] = []

    def seen(v: int) -> int:
        log.append(v)
        return v

    return sum(y - x for x, y in pairwise([seen(v) for v in a])) + len(log)  # whose parts change something


def popped_before(a: list[int]) -> int:
    b = a[:]
    t = 0
    for x in enumerate([b.pop() for _ in range(len(a))]):  # whose parts change something
        t += x[1] + len(b)
    return t


def grows_by_its_length(a: list[int]) -> int:
    b = a[:]
    b.extend(v + len(b) for v in a)  # is asked for while it grows
    return sum(b)


def adds_by_its_length(a: list[int]) -> int:
    b = a[:]
    b += (v + len(b) for v in a)  # is asked for while it grows
    return sum(b)
