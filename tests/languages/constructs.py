"""One function for each row of docs/languages.md that Python has."""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import IntEnum
from typing import Callable, Optional, TypeVar

import numpy as np


def count_up(x: list[float], y: list[float]) -> None:
    for i in range(len(x)):
        y[i] = 2.0 * x[i]


def count_down(x: list[int]) -> int:
    s = 0
    for i in range(len(x) - 1, -1, -1):
        s += x[i]
    return s


def strided(x: list[float], y: list[float]) -> None:
    for i in range(0, len(x), 2):
        y[i // 2] = x[i]


def while_loop(x: list[int]) -> int:
    s = i = 0
    while i < len(x):
        s += x[i]
        i += 1
    return s


def nested(rows: int, cols: int, a: list[float]) -> list[float]:
    sums = [0.0] * rows
    for r in range(rows):
        for c in range(cols):
            sums[r] += a[r * cols + c]
    return sums


def triangular(x: list[float]) -> list[float]:
    sums = []
    for i in range(len(x)):
        s = 0.0
        for j in range(i + 1):
            s += x[j]
        sums.append(s)
    return sums


def early_return(x: list[int], wanted: int) -> int:
    for i in range(len(x)):
        if x[i] == wanted:
            return i
    return -1


def early_break(x: list[int]) -> bool:
    found = False
    for v in x:
        if v < 0:
            found = True
            break
    return found


def skipped(x: list[int]) -> int:
    s = 0
    for v in x:
        if v < 0:
            continue
        s += v
    return s


def two_counters(x: list[int], y: list[int]) -> None:
    j = len(x) - 1
    for i in range(len(x)):
        y[j] = x[i]
        j -= 1


def until_zero(text: list[int]) -> int:
    n = 0
    while text[n] != 0:
        n += 1
    return n


def each_element(x: list[float]) -> float:
    s = 0.0
    for v in x:
        s += v
    return s


def over_index_and_value(x: list[int]) -> int:
    s = 0
    for i, v in enumerate(x):
        s += i * v
    return s


def over_two(x: list[float], y: list[float]) -> float:
    s = 0.0
    for a, b in zip(x, y):
        s += a * b
    return s


def recurrence(x: list[float], y: list[float], a: float) -> float:
    s = 0.0
    for i in range(len(x)):
        s = a * s + x[i]
        y[i] = s
    return s


def buffers(n: int, steps: int, x: list[float], y: list[float]) -> None:
    for _ in range(steps):
        for i in range(1, n - 1):
            y[i] = x[i - 1] + x[i + 1]
        x, y = y, x


def sweeps(steps: int, x: list[float], y: list[float]) -> None:
    n = len(x)
    for t in range(steps):
        for i in range(1, n - 1):
            y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
        for i in range(1, n - 1):
            x[i] = y[i]


def unbounded(x: int) -> int:
    n = 0
    while x != 1:
        x = 3 * x + 1 if x % 2 else x // 2
        n += 1
    return n


def sum_from(x: list[int], i: int) -> int:
    return 0 if i == len(x) else x[i] + sum_from(x, i + 1)


def recursive(x: list[int]) -> int:
    return sum_from(x, 0)


def narrow(a: bytes, b: bytes) -> list[int]:
    y = []
    for i in range(len(a)):
        y.append((a[i] + b[i]) // 2)
    return y


def wrapping(x: list[int]) -> int:
    h = 0
    for v in x:
        h = (h + v * 31) & 0xFFFFFFFF
    return h


def wide(x: list[int]) -> int:
    s = 0
    for v in x:
        s += v * v
    return s


def bits(x: list[int]) -> list[int]:
    return [(v >> 3 & 7) | (v << 4) for v in x]


def divided(x: list[int]) -> list[int]:
    return [v // 7 + v % 7 for v in x]


def saturated(a: list[int], b: list[int]) -> list[int]:
    y = []
    for p, q in zip(a, b):
        y.append(max(-32768, min(32767, p + q)))
    return y


def converted(x: list[float]) -> list[int]:
    return [int(v * 4.0) for v in x]


def mathematics(x: list[float]) -> list[float]:
    return [math.exp(-v * v) + math.sqrt(abs(v)) for v in x]


def conditional(x: list[float]) -> list[float]:
    y = []
    for v in x:
        if v > 0:
            y.append(v)
        else:
            y.append(0.1 * v)
    return y


def infinite_start(x: list[float]) -> float:
    m = -math.inf
    for v in x:
        if v > m:
            m = v
    return m


def questions(x: list[float]) -> float:
    s = 0.0
    for v in x:
        if not (math.isnan(v) or math.isinf(v)):
            s += v
    return s


def truth(a: list[bool], b: list[bool]) -> int:
    k = 0
    for p, q in zip(a, b):
        if p and not q:
            k += 1
    return k


def respelled(s: str) -> str:
    return "".join("b" if c == "a" else c for c in s)


def characters(s: str) -> int:
    k = 0
    for c in s:
        if "0" <= c <= "9":
            k += 1
    return k


def cases(kind: list[int], x: list[int]) -> list[int]:
    y = []
    for k, v in zip(kind, x):
        match k:
            case 0:
                y.append(v)
            case 1:
                y.append(-v)
            case _:
                y.append(0)
    return y


class Setting(IntEnum):
    OFFSET = 5


def named_constants(x: list[int]) -> list[int]:
    return [v + Setting.OFFSET for v in x]


WEIGHTS = (0.1, 0.4, 0.4, 0.1)


def constant_table(x: list[float], y: list[float]) -> None:
    for i in range(len(x) - 3):
        y[i] = 0.0
        for k in range(4):
            y[i] += WEIGHTS[k] * x[i + k]


def complex_parts(z: list[complex]) -> float:
    s = 0.0
    for v in z:
        s += v.real * v.real + v.imag * v.imag
    return s


def in_place(x: list[float], a: float) -> None:
    for i in range(len(x)):
        x[i] *= a


def part_written(x: list[int]) -> None:
    for i in range(1, len(x), 2):
        x[i] = 0


def written_where(x: list[float]) -> None:
    for i in range(len(x)):
        if x[i] < 0:
            x[i] = 0.0


def grid(a: list[list[float]]) -> list[list[float]]:
    return [[2 * v for v in row] for row in a]


def local_array(x: list[float]) -> float:
    best = [0.0, 0.0]
    for v in x:
        best[0] += v
        best[1] += v * v
    return best[1] - best[0] * best[0] / len(x)


def allocated(x: list[int]) -> int:
    squares = [0] * len(x)
    for i in range(len(x)):
        squares[i] = x[i] * x[i]
    return sum(squares)


def allocated_result(x: list[float]) -> list[float]:
    doubled = [0.0] * len(x)
    for i in range(len(x)):
        doubled[i] = 2.0 * x[i]
    return doubled


@dataclass
class Point:
    x: float
    y: float


def records(points: list[Point]) -> float:
    s = 0.0
    for p in points:
        s += p.x * p.y
    return s


def record_result(x: list[float], y: list[float]) -> Point:
    s = t = 0.0
    for i in range(len(x)):
        s += x[i]
        t += y[i]
    return Point(s, t)


@dataclass
class Image:
    width: int
    height: int
    data: list[float]


def record_with_array(im: Image, a: float) -> None:
    for i in range(im.width * im.height):
        im.data[i] *= a


def record_made(im: Image, a: float) -> Image:
    return Image(im.width, im.height, [a * x for x in im.data])


calls = 0


def global_scalar(x: list[int]) -> int:
    global calls
    s = 0
    for v in x:
        s += v
    calls += 1
    return s


table: list[int] = [0] * 256


def global_array(x: list[int]) -> list[int]:
    return [table[v] for v in x]


def gathered(at: list[int], x: list[float]) -> list[float]:
    return [x[i] for i in at]


def counted_by_index(x: list[int], counts: list[int]) -> None:
    for v in x:
        counts[v] += 1


def several_results(x: list[int]) -> tuple[int, int]:
    low = high = x[0]
    for v in x:
        low = min(low, v)
        high = max(high, v)
    return low, high


def place_of_best(x: list[float]) -> int:
    k = 0
    for i in range(1, len(x)):
        if x[i] > x[k]:
            k = i
    return k


def selected(x: list[int]) -> list[int]:
    y = []
    for v in x:
        if v > 0:
            y.append(v)
    return y


def windowed(x: list[float], y: list[float]) -> None:
    for i in range(1, len(x) - 1):
        y[i] = x[i - 1] + x[i] + x[i + 1]


def clamped_border(x: list[float]) -> list[float]:
    return [x[i] - x[max(i - 1, 0)] for i in range(len(x))]


def copied(x: list[float]) -> list[float]:
    return x[:]


def sorted_copy(x: list[int]) -> list[int]:
    return sorted(x)


def matching(a: str, b: str) -> bool:
    return a == b


def square(x: float) -> float:
    return x * x


def helper(x: list[float]) -> float:
    s = 0.0
    for v in x:
        s += square(v)
    return s


def by_pointer(x: list[float], f: Callable[[float], float]) -> float:
    s = 0.0
    for v in x:
        s += f(v)
    return s


def with_lambda(x: list[int], k: int) -> int:
    above = lambda v: v > k
    n = 0
    for v in x:
        if above(v):
            n += 1
    return n


T = TypeVar("T", int, float)


def generic(x: list[T]) -> T:
    s = x[0]
    for v in x[1:]:
        s += v
    return s


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def method(self, x: list[float]) -> None:
        for i in range(len(x)):
            x[i] *= self.factor


def with_class(x: list[float], f: float) -> None:
    s = Scaler(f)
    s.method(x)


def with_algorithm(x: list[int]) -> int:
    return sum(1 for v in x if v % 2 == 0)


def array_statements(x: np.ndarray, y: np.ndarray) -> float:
    return ((x - x.mean()) * y).sum()


def printing(x: list[int]) -> int:
    s = 0
    for v in x:
        s += v
        print(s)
    return s


def asserted(x: list[int]) -> int:
    assert len(x) > 0
    m = x[0]
    for v in x:
        m = max(m, v)
    return m


def absent(x: list[int]) -> Optional[int]:
    for v in x:
        if v < 0:
            return v
    return None


def failing(x: list[int]) -> int:
    s = 0
    for v in x:
        if v < 0:
            raise ValueError("negative")
        s += v
    return s


def counted_by_key(x: list[int]) -> dict[int, int]:
    n: dict[int, int] = {}
    for v in x:
        n[v] = n.get(v, 0) + 1
    return n


def grouped(key: list[int], x: list[int]) -> dict[int, list[int]]:
    g: dict[int, list[int]] = defaultdict(list)
    for k, v in zip(key, x):
        g[k].append(v)
    return g


def averaged(key: list[int], x: list[float]) -> dict[int, float]:
    sums: dict[int, float] = defaultdict(float)
    counts: Counter[int] = Counter()
    for k, v in zip(key, x):
        sums[k] += v
        counts[k] += 1
    return {k: s / counts[k] for k, s in sums.items()}


def distinct(x: list[int]) -> set[int]:
    return set(x)


def members(x: list[int], known: set[int]) -> int:
    k = 0
    for v in x:
        if v in known:
            k += 1
    return k


def looked_up(x: list[int], price: dict[int, int]) -> int:
    s = 0
    for v in x:
        if v in price:
            s += price[v]
    return s


def reading_files(name: str) -> int:
    n = 0
    with open(name) as f:
        for line in f:
            n += 1
    return n


def outside_calls(n: int, sensor) -> int:
    s = 0
    for i in range(n):
        s += sensor()
    return s


def generated(n: int):
    for i in range(n):
        yield i * i


def reduced_selection(x: list[float]) -> float:
    chosen = [v for v in x if v > 0]
    if not chosen:
        return 0.0
    return sum(chosen) / len(chosen)


def first_match(x: list[int], k: int) -> int:
    return next((v for v in x if v > k), -1)


def gcd(a: int, b: int) -> int:
    return math.gcd(a, b)


def power(base: int, exponent: int) -> int:
    return base**exponent


def big_integers(x: list[int]) -> int:
    p = 1
    for v in x:
        p *= v
    return p
