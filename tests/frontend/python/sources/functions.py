"""Functions in the many ways in which people write loops: each is read as a fragment, and run by CPython beside it."""

import math
from math import sqrt
from typing import List, Sequence

import numpy as np
import numpy.typing as npt

EPS = 1e-5
SCALE = 2 * 3
Vector = List[float]
Matrix = list[list[float]]


def dot(a: list[float], b: list[float]) -> float:
    total = 0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def dot_zip(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b))


def scale(a: Sequence[float], s: float) -> list[float]:
    return [s * x for x in a]


def scale_in_place(a: list[float], s: float) -> None:
    for i in range(len(a)):
        a[i] *= s


def scale_returned(a: list[float], s: float) -> list[float]:
    for i, x in enumerate(a):
        a[i] = x * s
    return a


def relu(a: list[float]) -> list[float]:
    out = []
    for x in a:
        if x > 0:
            out.append(x)
        else:
            out.append(0.0)
    return out


def relu_choice(a: list[float]) -> list[float]:
    return [x if x > 0 else 0 for x in a]


def positives(a: list[float]) -> list[float]:
    return [x for x in a if x > 0]


def count_positive(a: list[int]) -> int:
    count = 0
    for x in a:
        if x <= 0:
            continue
        count += 1
    return count


def count_bools(a: list[int], low: int) -> int:
    return sum(x >= low for x in a)


def first_negative(a: list[int]) -> int:
    for i in range(len(a)):
        if a[i] < 0:
            return i
    return -1


def first_zero_break(a: list[int]) -> int:
    found = len(a)
    for i, x in enumerate(a):
        if x == 0:
            found = i
            break
    else:
        found = -1
    return found


def mean(a: list[float]) -> float:
    return sum(a) / len(a)


def variance(a: list[float]) -> float:
    n = len(a)
    m = sum(a) / n
    return sum((x - m) ** 2 for x in a) / n


def mean_and_variance(a: list[float]) -> tuple[float, float]:
    total, squares = 0.0, 0.0
    for x in a:
        total, squares = total + x, squares + x * x
    m = total / len(a)
    return m, squares / len(a) - m * m


def largest(a: list[int]) -> int:
    best = a[0]
    for x in a[1:]:
        if x > best:
            best = x
    return best


def largest_max(a: list[float]) -> float:
    return max(a)


def smallest_of(a: list[int], b: list[int]) -> int:
    return min(x - y for x, y in zip(a, b))


def argmax(a: list[float]) -> int:
    best = 0
    for i in range(1, len(a)):
        if a[i] > a[best]:
            best = i
    return best


def clamp(a: list[int], low: int, high: int) -> list[int]:
    return [max(low, min(x, high)) for x in a]


def prefix_sum(a: list[int]) -> list[int]:
    out = [0] * len(a)
    running = 0
    for i in range(len(a)):
        running += a[i]
        out[i] = running
    return out


def running_in_place(a: list[int]):
    for i in range(1, len(a)):
        a[i] += a[i - 1]


def differences(a: list[float]) -> list[float]:
    return [y - x for x, y in zip(a, a[1:])]


def sliding_sum(a: list[int]) -> list[int]:
    result = []
    for i in range(len(a) - 1):
        result.append(a[i] + a[i + 1])
    return result


def windows(a: list[int], k: int) -> list[int]:
    return [sum(a[i : i + k]) for i in range(len(a) - k + 1)]


def convolve(a: list[float], w: list[float]) -> list[float]:
    n, m = len(a), len(w)
    out = [0.0 for _ in range(n - m + 1)]
    for i in range(n - m + 1):
        for j in range(m):
            out[i] += a[i + j] * w[j]
    return out


def reverse(a: list[int]) -> list[int]:
    return [a[-1 - i] for i in range(len(a))]


def reverse_step(a: list[int]) -> list[int]:
    return a[::-1]


def reverse_swap(a: list[int]) -> None:
    for i in range(len(a) // 2):
        j = len(a) - 1 - i
        a[i], a[j] = a[j], a[i]


def backwards(a: list[int]) -> int:
    total = 0
    for i in range(len(a) - 1, -1, -1):
        total = 2 * total + a[i]
    return total


def backwards_reversed(a: list[int]) -> int:
    total = 0
    for x in reversed(a):
        total = 2 * total + x
    return total


def every_second(a: list[int]) -> list[int]:
    return [a[i] for i in range(0, len(a), 2)]


def strided(a: list[int], step: int) -> int:
    total = 0
    for i in range(0, len(a), step):
        total += a[i]
    return total


def rotate(a: list[int], k: int) -> list[int]:
    n = len(a)
    return [a[(i - k) % n] for i in range(n)]


def any_index(a: list[int], i: int) -> int:
    return a[i] - a[-i]


def tail(a: list[int], n: int) -> int:
    total = 0
    for x in a[n:]:
        total += x
    return total


def heads_and_tails(a: list[int]) -> list[int]:
    return a[:2] + a[-2:]


def concatenated(a: list[float], b: list[float]) -> list[float]:
    return a + b


def extended(a: list[int], b: list[int]) -> list[int]:
    out = list(a)
    out.extend(b)
    out += a[1:]
    return out


def copies(a: list[int]) -> list[int]:
    b = a[:]
    for i in range(len(b)):
        b[i] = b[i] + a[len(a) - 1 - i]
    return b


def alias(a: list[int]) -> int:
    b = a
    for i in range(len(b)):
        b[i] = b[i] + 1
    return a[0]


def evens_then_odds(n: int) -> list[int]:
    out = []
    for i in range(n):
        if i % 2 == 0:
            out.append(i)
    for i in range(1, n, 2):
        out.append(i)
    return out


def collatz(n: int) -> int:
    steps = 0
    while n != 1 and steps < 50:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return abs(a)


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def digits(n: int, base: int) -> int:
    count = 0
    n = abs(n)
    while True:
        count += 1
        n //= base
        if n == 0 or count > 40:
            break
    return count


def division(a: int, b: int) -> tuple[int, int]:
    return a // b, a % b


def float_division(a: float, b: float) -> tuple[float, float]:
    return a // b, a % b


def true_division(a: int, b: int) -> float:
    return a / b + a // 2


def bits(a: int, b: int) -> int:
    return ((a & b) | (a ^ 12)) + (~a << 2) + (b >> 1)


def truths(a: int, b: int, c: bool) -> bool:
    return (a < b <= 3 or not c) and (a == 0) != c


def truth_values(a: int, b: int) -> int:
    return (a or b) + (a and b) * 10 + (a > b) + True


def conversions(x: float, n: int) -> float:
    return int(x) + float(n) / 4 + bool(n) + round(x) + abs(-x)


def powers(x: float, n: int) -> float:
    return x**2 + n**3 - x**-1 + x**0


def hypotenuse(a: float, b: float) -> float:
    return math.sqrt(a * a + b * b) + sqrt(2.0) ** 2 + (a * a) ** 0.5


def transcendental(a: list[float]) -> list[float]:
    return [math.exp(-x * x) + math.tanh(x) + math.sin(x) * math.pi for x in a]


def rounding(x: float) -> int:
    return math.floor(x) + 10 * math.ceil(x) + 100 * math.trunc(x)


def rmsnorm(x: list[float], weight: list[float]) -> list[float]:
    ss = 0.0
    for v in x:
        ss += v * v
    ss = 1.0 / math.sqrt(ss / len(x) + EPS)
    return [weight[j] * (ss * x[j]) for j in range(len(x))]


def softmax(x: list[float]) -> None:
    top = max(x)
    total = 0.0
    for i in range(len(x)):
        x[i] = math.exp(x[i] - top)
        total += x[i]
    for i in range(len(x)):
        x[i] /= total


def uses_constants(a: list[int]) -> int:
    return SCALE * sum(a)


def _square(x: float) -> float:
    return x * x


def _add_to(a: list[float], i: int, x: float) -> None:
    a[i] += x


def _clip(x: float, low: float = 0.0, high: float = 1.0) -> float:
    if x < low:
        return low
    if x > high:
        return high
    return x


def with_helpers(a: list[float]) -> float:
    total = 0.0
    for x in a:
        total += _square(_clip(x)) + _clip(x, high=3.0)
    return total


def with_writing_helper(a: list[float]) -> None:
    for i in range(len(a)):
        _add_to(a, i, a[i] + 1)


def matmul(a: Matrix, b: Matrix) -> Matrix:
    n, k, m = len(a), len(b), len(b[0])
    c = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            for t in range(k):
                c[i][j] += a[i][t] * b[t][j]
    return c


def matmul_comprehension(a: Matrix, b: Matrix) -> Matrix:
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def transpose(a: Matrix) -> Matrix:
    return [[row[j] for row in a] for j in range(len(a[0]))]


def rows_appended(a: Matrix, s: float) -> Matrix:
    out = []
    for row in a:
        new = []
        for x in row:
            new.append(x * s)
        out.append(new)
    return out


def rows_of_comprehensions(a: Matrix, b: Matrix) -> Matrix:
    out = []
    for ra, rb in zip(a, b):
        out.append([x + y for x, y in zip(ra, rb)])
    return out


def matrix_vector(a: Matrix, x: list[float]) -> list[float]:
    return [sum(v * w for v, w in zip(row, x)) for row in a]


def add_in_place(a: Matrix, b: Matrix) -> None:
    for i in range(len(a)):
        for j in range(len(a[i])):
            a[i][j] += b[i][j]


def row_alias(a: Matrix, s: float) -> None:
    for row in a:
        for j in range(len(row)):
            row[j] = row[j] * s


def total(a: Matrix) -> float:
    result = 0.0
    for row in a:
        for x in row:
            result += x
    return result


def row_sums(a: list[list[int]]) -> list[int]:
    sums = []
    for row in a:
        sums.append(sum(row))
    return sums


def trace(a: Matrix) -> float:
    return sum(a[i][i] for i in range(len(a)))


def outer(a: list[int], b: list[int]) -> list[list[int]]:
    return [[x * y for y in b] for x in a]


def identity(n: int) -> list[list[int]]:
    m = [[0] * n for _ in range(n)]
    for i in range(n):
        m[i][i] = 1
    return m


def flatten(a: list[list[int]]) -> list[int]:
    return [x for row in a for x in row]


def polynomial(c: list[float], x: float) -> float:
    result = 0.0
    for coefficient in reversed(c):
        result = result * x + coefficient
    return result


def leaked(a: list[int]) -> int:
    last = -1
    for i in range(len(a)):
        last = a[i]
    n = len(a)
    for i in range(n):
        pass
    return last + n


def shadowed(n: int, xs: list[int]) -> int:
    total = sum(n for n in xs)
    return total + n


def asserted(n: int, a: list[int]) -> int:
    assert n > 0 and n <= len(a), "too many"
    if n > 5:
        raise ValueError("too large")
    return sum(a[:n])


def nested_while(n: int) -> int:
    count = 0
    i = 0
    while i < n:
        j = i
        while j > 0:
            j -= 2
            count += 1
        i += 1
    return count


def insertion(a: list[int]) -> None:
    for i in range(1, len(a)):
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x


def stack(a: list[int]) -> int:
    pending = []
    for x in a:
        if x >= 0:
            pending.append(x)
        elif pending:
            pending.pop()
    return len(pending)


def choose(flag: bool, a: list[int]) -> int:
    if flag:
        result = sum(a)
    else:
        result = len(a)
    return result


def early(a: list[float]) -> list[float]:
    if len(a) == 0:
        return []
    return [x - a[0] for x in a]


def membership(a: list[int], lows: list[int]) -> list[bool]:
    return [any(x < low for low in lows) for x in a]


def all_increasing(a: list[int]) -> bool:
    return all(a[i] <= a[i + 1] for i in range(len(a) - 1))


def unrolled(a: list[float]) -> float:
    total = 0.0
    for w in (0.5, 0.25, -1):
        for x in a:
            total += w * x
    return total


def walrus(a: list[int]) -> int:
    n = 0
    while (n := n + 1) < len(a):
        pass
    return n


def inferred(x, n, out):
    for i in range(n):
        out[i] = x[i] * 2


def inferred_rows(image, threshold=128):
    return [[255 if p >= threshold else 0 for p in row] for row in image]


def np_scale(x: npt.NDArray[np.float64], s: float) -> npt.NDArray[np.float64]:
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] = x[i] * s
    return y


def np_single(x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]):
    total = np.float32(0)
    for i in range(len(x)):
        total += x[i] * y[i] + 0.5
    return total


def np_image(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    h, w = a.shape
    out = np.empty((h, w))
    for i in range(h):
        for j in range(w):
            out[i, j] = np.sqrt(a[i, j] * a[i, j]) + np.maximum(b[i, j], a[i, -1])
    return out


def np_bytes(a: npt.NDArray[np.uint8], b: npt.NDArray[np.uint8]):
    out = np.zeros(a.shape, dtype=np.uint8)
    for i in range(a.shape[0]):
        out[i] = int(a[i]) * int(b[i]) // 255
    return out


def np_column(a: npt.NDArray[np.float64], j: int):
    total = 0.0
    for v in a[:, j]:
        total += v
    for v in a[0, :]:
        total -= v
    return total


def np_copy(x: npt.NDArray[np.int64]):
    y = x.copy()
    y[0] = y[1] + 7
    return y


def _powers_of(x: int, n: int) -> list[int]:
    out = [1]
    for i in range(1, n):
        out.append(out[i - 1] * x)
    return out


def helper_list(x: int, n: int) -> int:
    powers = _powers_of(x, n)
    return sum(powers) + len(powers)


def grown_in_two_ways(a: list[int]) -> list[int]:
    out = []
    for x in a:
        if x > 0:
            out.append(x)
        out += [x, -x]
    other = out
    for _ in range(2):
        other.append(0)
    return out


def alias_inside(a: list[int], b: list[int]) -> int:
    out, spare = [0], [1]
    for x in a:
        grown = out
        grown.append(x)
    for x in b:
        spare.append(x)
    return len(out) * 100 + len(spare)


def arm_with_row(a: list[list[int]], k: list[int]) -> list[int]:
    return [a[k[i]][0] if 0 <= k[i] < len(a) else -1 for i in range(len(k))]


def element_facts(a: list[int], b: list[int]) -> int:
    if a[0] >= 0:
        a[0] = -1
        return b[a[0]]
    return 0


def copies_of_slices(a: list[int]) -> list[int]:
    rest = a[1:]
    for i, x in enumerate(rest):
        a[i] += x
    for x in a[1:]:
        a[-1] += x
    return a


def strict_zip(a: list[int], b: list[int]) -> list[int]:
    return [x - y for x, y in zip(a, b, strict=True)]


def rows_of_local(w: list[int], n: int) -> list[list[int]]:
    v = [x * x for x in w]
    out = []
    for i in range(n):
        out.append([i * y for y in v])
    return out


def replaced_rows(a: list[list[int]]) -> None:
    for row in a:
        row[:] = [x + 1 for x in row]


def keyword_only(n: int, *, k: int = 2) -> int:
    return n * 10 + k


def decreasing(n: int) -> list[int]:
    out = [0] * n
    i = n - 1
    while i >= 0:
        out[i] = n - i
        i -= 1
    return out


def np_rounding(x: npt.NDArray[np.float64]):
    return np.round(x[0]) + np.floor(x[1]) + np.rint(x[2])


def np_sum_rows(x: npt.NDArray[np.float64]):
    total = 0.0
    for i in range(x.shape[0]):
        row = x[i]
        total += row.sum() - np.max(row)
        x[i, 0] += 1
    return total


def np_full(n: int, v: float) -> npt.NDArray[np.float64]:
    out = np.full((n, 2), v)
    return out


def angle(a: list[float]) -> list[float]:
    return [math.atan2(y, x) for y, x in zip(a, a[1:])] + [math.atan2(0, 0)]


def sorted_both_ways(x: list[int], y: list[float]):
    return sorted(x), sorted(y, reverse=True)


def sorted_with_ties(x: list[int]) -> list[int]:
    return sorted(x, key=lambda v: v % 3)


def sorted_backwards_with_ties(x: list[int]) -> list[int]:
    return sorted(x, key=lambda v: v % 3, reverse=True)


def sorted_by_two(x: list[int]) -> list[int]:
    return sorted(x, key=lambda v: (-(v % 3), abs(v)))


def sorted_by_a_choice(x: list[int], low: int) -> list[int]:
    return sorted([v * v for v in x if v > low], key=lambda v: v if v > 9 else -v)


def sorted_in_place(x: list[int], m: int) -> list[int]:
    kept = [v for v in x if v != m]
    same = kept
    same.sort(key=lambda v: abs(v - m))
    return kept


def sorted_parameter(x: list[float]) -> None:
    x.sort(reverse=True)


def sorted_first(x: list[int], n: int) -> list[int]:
    return sorted(x)[: abs(n)]


def sorted_places(x: list[int]) -> list[int]:
    return [place for place, v in sorted(enumerate(x), key=lambda pair: pair[1])]


def sorted_again(x: list[int]) -> list[int]:
    out = sorted(x)
    for v in (3, 2):
        out = sorted(out, key=lambda each: each % v)
    return out


def sorted_shadowed(x: list[int], v: int) -> int:
    found = sorted(x, key=lambda v: v % 4)
    return v + len(found)


def sorted_middle(x: list[float]) -> float:
    return sorted(x)[len(x) // 2]
