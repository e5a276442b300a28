"""What people return, start from and call: None, infinities, strings by character, functions as values, library functions."""

import itertools
import math
import statistics
from itertools import accumulate, pairwise
from math import inf
from typing import List, Optional, Tuple, Union


def largest(xs: List[int]) -> Optional[int]:
    best = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best


def largest_even(xs: List[int]) -> int | None:
    best = None
    for x in xs:
        if x % 2 == 0 and (best is None or x > best):
            best = x
    return best


def first_negative(xs: List[int]) -> Optional[int]:
    for x in xs:
        if x < 0:
            return x
    return None


def first_negative_or_nothing(xs: List[float]) -> Optional[float]:
    for x in xs:
        if x < 0:
            return x


def ends(a: List[float]):
    if not a:
        return None, None
    return a[0], a[-1]


def pair(xs: List[int]) -> Optional[Tuple[int, int]]:
    best = None
    for i, x in enumerate(xs, 1):
        if x > 3:
            best = (i, x)
    return best


def pair_taken_apart(xs: List[int]) -> int:
    best = None
    for i, x in enumerate(xs):
        if best is None or x > best[1]:
            best = i, x
    if best is None:
        return -1
    at, value = best
    return at * 100 + value


def second_largest(xs: List[int]) -> Optional[int]:
    first = second = None
    for x in xs:
        if first is None or x > first:
            second = first
            first = x
        elif second is None or x > second:
            second = x
    return second


def lowest_and_highest(xs: List[float]) -> Tuple[Optional[float], Optional[float]]:
    lo = hi = None
    for x in xs:
        if lo is None or x < lo:
            lo = x
        if hi is None or x > hi:
            hi = x
    return lo, hi


def reset(xs: List[int]) -> Optional[int]:
    last: Optional[int] = 7
    for x in xs:
        if x == 0:
            last = None
        elif last is None:
            last = x
        else:
            last = last + x
    return last


def wider_later(xs: List[int]) -> Union[float, None]:
    last = None
    for x in xs:
        last = x / 2 if last is None else last + 1
    return last


def falsy(xs: List[int]) -> Optional[int]:
    best = None
    for x in xs:
        if not best or x > best:
            best = x
    return best


def default(xs: List[int]) -> int:
    best = None
    for x in xs:
        if x > 2 or x == 0:
            best = x
    return best or -1


def both_of(xs: List[int]) -> Optional[int]:
    best = None
    for x in xs:
        if x >= 0:
            best = x
    return best and best + 1


def used_without_a_test(xs: List[int]) -> int:
    best = None
    for x in xs:
        if x > 2:
            best = x
    return best + 1


def equal_or_none(xs: List[int], t: int) -> bool:
    best = None
    for x in xs:
        if x > 2:
            best = x
    return best == t or best != None and xs[0] is not None  # noqa: E711


def both_may_be_none(xs: List[int]) -> bool:
    one = two = None
    for x in xs:
        if x > 2:
            one = x
        if x < 3:
            two = x
    return one == two


def nested_none(rows: List[List[int]]) -> int:
    total = 0
    for row in rows:
        seen = None
        for x in row:
            if x > 0:
                seen = x
        if seen is not None:
            total += seen
    return total


def increases(xs: List[int]) -> int:
    prev = None
    n = 0
    for x in xs:
        if prev is not None and x > prev:
            n += 1
        prev = x
    return n


def found_by_helper(xs: List[int], t: int) -> int:
    at = _find(xs, t)
    if at is None:
        return -1
    return at * 2


def _find(xs, t):
    for i in range(len(xs)):
        if xs[i] == t:
            return i
    return None


def list_or_none(xs: List[int]) -> Optional[List[int]]:
    if not xs:
        return None
    return [x + 1 for x in xs]


def nested_tuples(a: int, b: int):
    return (a, (b, a + b)), a * b


def optional_in_a_tuple(xs: List[int], k: int):
    for i in range(len(xs)):
        xs[i] = 2 * xs[i]
    return ((k, xs[0] if xs else None), k) if k > 0 else None


def chosen(a: float, b: float) -> Optional[float]:
    r = a / b if b != 0 else None
    return None if r is None else r + 1


def counts_down(n: int) -> Optional[int]:
    while n > 0:
        if n % 7 == 3:
            return n
        n -= 2


def smallest(xs: List[float]) -> float:
    lo = math.inf
    for x in xs:
        if x < lo:
            lo = x
    return lo


def spread(xs: List[float]) -> float:
    lo, hi = inf, float("-Infinity")
    for x in xs:
        lo = min(lo, x)
        hi = max(x, hi)
    return hi - lo


def profit(prices: List[float]) -> float:
    lo = float("inf")
    best = 0.0
    for p in prices:
        if p < lo:
            lo = p
        elif p - lo > best:
            best = p - lo
    return best


def least_or_minus_one(xs: List[int]) -> float:
    lo = inf
    for x in xs:
        if 0 < x < lo:
            lo = x
    return -1 if lo == inf else lo


def row_minima(m: List[List[float]]) -> List[float]:
    out = []
    for row in m:
        lo = math.inf
        for x in row:
            lo = min(lo, x)
        out.append(lo)
    return out


def vowels(s: str) -> int:
    n = 0
    for c in s:
        if c in "aeiou\u00e9":
            n += 1
    return n


def palindrome(s: str) -> bool:
    i, j = 0, len(s) - 1
    while i < j:
        if s[i] != s[j]:
            return False
        i += 1
        j -= 1
    return True


def palindrome_at_once(s: str) -> bool:
    return s == s[::-1]


def count_character(s: str, c: str) -> int:
    return sum(1 for x in s if x == c)


def digit_sum(s: str) -> int:
    return sum(int(c) for c in s if c.isdigit())


def letters(s: str) -> int:
    total = 0
    for ch in s:
        total += ord(ch) - ord("a")
    return total


def runs_of_characters(s: str) -> int:
    n = 0
    prev = s[0]
    for c in s[1:]:
        if c != prev:
            n += 1
        prev = c
    return n


def anagrams(a: str, b: str) -> bool:
    return sorted(a) == sorted(b)


def depth(s: str) -> int:
    d = 0
    for c in s:
        if c == "(":
            d += 1
        elif c in (")", "0", "ab"):
            d -= 1
    return d


def character_counts(s: str) -> Tuple[int, int]:
    return s.count("a"), s.index("b")


def capitals(s: str) -> int:
    n = 0
    for c in s:
        n += c.upper() == c and c.lower() != c and "A" <= c
    return n


def mapped(xs: List[int]) -> List[int]:
    return list(map(lambda x: x * x, filter(lambda x: x > 0, xs)))


def two_lists_mapped(xs: List[int], ys: List[int]) -> int:
    return sum(map(lambda x, y: x * y, xs, ys))


def late_binding(n: int) -> int:
    x = 1
    f = lambda: x  # noqa: E731
    x = 2
    return f() + n


def inner_function(xs: List[int]) -> int:
    def g(y):
        x = y + len(xs)
        return x

    x = 10
    return g(3) + x


def inner_append(xs: List[int]) -> List[int]:
    out = []

    def push(v, times=2):
        out.append(v * times)

    for x in xs:
        push(x)
    return out


def passed_on(xs: List[int]) -> int:
    apply = _twice
    return apply(_doubled, sum(xs))


def _twice(f, v):
    return f(f(v))


def _doubled(v):
    return 2 * v


def closest(xs: List[int], t: int) -> int:
    return min(xs, key=lambda x: abs(x - t))


def last_place_of_the_greatest(xs: List[float]) -> Optional[int]:
    if not xs:
        return None
    return max(range(len(xs)), key=lambda i: xs[i])


def by_absolute_value(xs: List[int]) -> int:
    return max(xs, key=abs)


def greatest_or_none(xs: List[int]) -> Optional[int]:
    return max(xs, default=None)


def least_or_zero(xs: List[float]) -> float:
    return min((x for x in xs if x > 1), default=0.0)


def mean(xs: List[float]) -> float:
    return statistics.mean(xs)


def mean_square(xs: List[int]) -> float:
    return statistics.fmean(x * x for x in xs)


def running(xs: List[int]) -> List[int]:
    return list(accumulate(xs))


def running_total(xs: List[float]) -> float:
    t = 0.0
    for s in itertools.accumulate(xs):
        t += s
    return t


def differences(xs: List[int]) -> List[int]:
    return [b - a for a, b in pairwise(xs)]


def quotient_and_remainder(a: int, b: int):
    q, r = divmod(a, b)
    return q, r, -7 // 2 + a


def place_and_count(xs: List[int], t: int) -> int:
    return (xs.index(t) if t in xs else -1) * 10 + xs.count(t)


def same_lists(xs: List[int], ys: List[int]) -> bool:
    return xs == ys


def not_the_reverse(xs: List[int]) -> bool:
    return xs != xs[::-1]


def among(n: int) -> bool:
    return n in (1, 3) or n not in [n, 2 * n] or n in {4, 4, 5}


def no_even(xs: List[int]) -> bool:
    for x in xs:
        if x % 2 == 0:
            found = False
            break
    else:
        found = True
    return found


def any_and_list(xs: List[int]) -> int:
    if xs and xs[0] > 0 and (xs[-1] or len(xs)):
        return 1
    return 0


def size_of_a_set(a: set[int]) -> int:
    return len(a)


def known_in_a_set(xs: List[int], a: frozenset[int]) -> int:
    return sum(1 for x in xs if x in a)


def most_of_a_set(a: set[int]) -> int:
    return max(a) + any(x < 0 for x in a)


def length_of_a_path(points):
    total = 0.0
    for i in range(len(points) - 1):
        x, y = points[i]
        to_x, to_y = points[i + 1]
        total += abs(to_x - x) + abs(to_y - y)
    return total


def brightness(image):
    total = 0.0
    for i in range(len(image)):
        for j in range(len(image[0])):
            r, g, b = image[i][j]
            total += 0.25 * r + 0.5 * g + 0.25 * b
    return total
