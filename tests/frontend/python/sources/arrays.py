"""Array code: statements of NumPy on whole arrays, among them those where two names have the same elements."""

import numpy as np
from numpy.typing import NDArray

Matrix = "np.ndarray[tuple[int, int], np.dtype[np.float64]]"


def axpy(a: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return a * x + y


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - np.max(x))
    return e / e.sum()


def rows_scaled(a: Matrix) -> np.ndarray:
    return a / (1 + np.abs(a).max(axis=1, keepdims=True))


def centred(a: Matrix) -> np.ndarray:
    return a - a.mean(axis=0)


def spread(a: Matrix) -> np.ndarray:
    return a.std(axis=1) + a.var(axis=1, ddof=0) + np.ptp(a, axis=1)


def heat(u: np.ndarray, steps: int, k: float) -> np.ndarray:
    for _ in range(min(steps, 4)):
        u[1:-1] = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def shifted(a: np.ndarray) -> None:
    a[1:] = a[:-1]


def shifted_up(a: np.ndarray) -> None:
    a[:-1] += a[1:]


def reversed_in_place(a: np.ndarray) -> None:
    a[:] = a[::-1]


def with_transposed(a: Matrix) -> np.ndarray:
    if a.shape[0] != a.shape[1]:
        raise ValueError
    a += a.T
    return a


def column_seen_later(q: Matrix) -> np.ndarray:
    first = q[:, 0]
    q[:, 0] = 0.0
    return first + 1


def copy_of_column(q: Matrix) -> np.ndarray:
    first = q[:, 0].copy()
    q[:, 0] = 0.0
    return first + 1


def through_slice(q: np.ndarray) -> float:
    part = q[1:]
    part[0] = 5.0
    part *= 2
    return q.sum()


def slice_of_slice(q: np.ndarray) -> np.ndarray:
    part = q[1:][::2]
    part += 1
    return q * 1


def bound_again(a: np.ndarray) -> np.ndarray:
    b = a
    b = b + 1
    b[0] = 7.0
    return a - b


def same_array(a: np.ndarray) -> np.ndarray:
    b = a
    b += 1
    return a * 2


def _first_set(v: np.ndarray) -> None:
    v[0] = 1.0


def through_call(a: np.ndarray) -> float:
    _first_set(a[1:])
    return a[0] + a[1]


def mask_before_change(a: np.ndarray) -> np.ndarray:
    positive = a > 0
    a[:] = -1
    a[positive] = 5
    return a


def masked_mean(a: np.ndarray) -> float:
    return a[a > 0].mean()


def masked_in_place(a: np.ndarray) -> np.ndarray:
    a[a < 0] *= -2
    return a[a > 1] + 1


def tuple_before_change(a: np.ndarray) -> float:
    both = (a * 2, a + 1)
    a[0] = 9
    return both[0][0] + both[1][0] + a[0]


def loop_over_expression(a: np.ndarray) -> float:
    total = 0.0
    for v in a * 2:
        a[-1] = v
        total += v
    return total


def loop_over_view(a: np.ndarray) -> float:
    total = 0.0
    for v in a[1:]:
        a[-1] = v + 1
        total += v
    return total


def one_hot(y: NDArray[np.int64], k: int) -> np.ndarray:
    out = np.zeros((len(y), k))
    out[np.arange(len(y)), y % max(k, 1)] = 1
    return out


def indexed_twice(a: np.ndarray, at: NDArray[np.int64]) -> None:
    a[at] += 1


def added_at(a: np.ndarray, at: NDArray[np.int64]) -> None:
    np.add.at(a, at % len(a), 1.0)


def gathered(a: np.ndarray, at: NDArray[np.int64]) -> np.ndarray:
    return a[at % len(a)] - a[0]


def wrapping(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return a + b * 2 - 1


def widened(a: NDArray[np.uint8], b: NDArray[np.int8]) -> np.ndarray:
    return a * b


def total_of_bytes(a: NDArray[np.uint8]) -> int:
    return a.sum()


def brighter(a: NDArray[np.uint8], k: int) -> NDArray[np.uint8]:
    return np.clip(a.astype(np.int32) + k, 0, 255).astype(np.uint8)


def floored(a: NDArray[np.int64]) -> np.ndarray:
    return a // 3 + a % 3 - (-a) // 2


def product(a: Matrix, b: Matrix) -> np.ndarray:
    return a @ b.T


def quadratic(a: Matrix, x: np.ndarray) -> float:
    return x @ a @ x


def outer(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.outer(x, y) + x[:, None]


def by_letters(a: Matrix, b: Matrix) -> np.ndarray:
    return np.einsum("ij,kj->ik", a, b) + np.trace(a)


def moving_average(x: np.ndarray, k: int) -> np.ndarray:
    k = min(max(k, 1), len(x))
    c = np.cumsum(x)
    c[k:] = c[k:] - c[:-k]
    return c[k - 1 :] / k


def rolled(a: np.ndarray) -> np.ndarray:
    return (np.roll(a, 1) + np.roll(a, -2)) / 2


def joined(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.concatenate((a, [1.0, 2.0], b[::-1]))


def stacked(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.stack((a, a + b), axis=1)


def blocks(a: np.ndarray) -> np.ndarray:
    return a[: len(a) // 2 * 2].reshape(-1, 2).sum(axis=1)


def flattened(a: Matrix) -> np.ndarray:
    return a.ravel()[1:] - a.flatten()[:-1]


def diagonal(a: Matrix) -> np.ndarray:
    return np.diag(a) + np.eye(2)[0, 0]


def place_of_least(a: Matrix) -> np.ndarray:
    return np.argmin(a, axis=1)


def chosen(a: np.ndarray, k: float) -> np.ndarray:
    b = a * 2 if k > 0 else a + 1
    return np.where(b > k, b, k)


def until_near(x: np.ndarray, y: np.ndarray) -> int:
    steps = 0
    while np.abs(x - y).max() > 1 and steps < 5:
        x = (x + y) / 2
        steps += 1
    return steps


def norm(a: Matrix) -> np.ndarray:
    return np.linalg.norm(a, axis=1) + np.linalg.norm(a)


def area(y: np.ndarray, x: np.ndarray) -> float:
    return np.trapezoid(y, x)


def steps_of(a: np.ndarray) -> np.ndarray:
    return np.diff(a) / np.linspace(1, 2, len(a) - 1)


def in_order(a: np.ndarray) -> np.ndarray:
    return np.sort(a)[1:] - np.sort(a)[:-1]


def histogram(a: NDArray[np.uint8]) -> np.ndarray:
    return np.bincount(a, minlength=4)


def into(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    np.multiply(a, b, out=out)
    np.add(out, 1, out)


def logical(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a > 0) & ~(b > 0) | (a == b)


def two_names(a: np.ndarray, b: np.ndarray) -> float:
    c = d = a + b
    d[0] = 5
    return c.sum()


def tail(a: np.ndarray) -> np.ndarray:
    return a[1:]


def tail_changed(a: np.ndarray) -> None:
    rest = tail(a)
    rest[0] = 7
    rest = tail(rest)
    rest[:] += 1


def rows_by_name(a: Matrix) -> None:
    first, second = a[:2]
    first[0] = second[0] + 1
    second[:] = first


def ones_of_truth(n: int) -> np.ndarray:
    return np.ones(min(n, 4), dtype=bool)


def small_sums(a: NDArray[np.uint8]) -> np.ndarray:
    return np.full(2, a.sum(dtype=np.uint8)) + a.prod(dtype=np.uint8)


def filled(n: int) -> np.ndarray:
    a = np.full(3, 2)
    a[0] = 2.75
    return a // 2 + np.full_like(a, n / 2)


def norm_of_small(a: NDArray[np.int8]) -> float:
    return np.linalg.norm(a, 1)


def areas_of_small(a: NDArray[np.uint8]) -> float:
    return np.trapezoid(a)


def range_of_small(a: "np.ndarray[tuple[int, int], np.dtype[np.int8]]") -> np.ndarray:
    return np.ptp(a, axis=0)


def diagonal_of_truth(a: NDArray[np.bool_]) -> np.ndarray:
    return np.diag(a)


def squeezed(a: np.ndarray) -> np.ndarray:
    return np.squeeze(a[None]) + np.squeeze(a[:, None], axis=1)


def greatest_truth(a: list[bool]) -> bool:
    return max(a)


def itself_as_array(a: np.ndarray) -> None:
    b = np.asarray(a, dtype=float)
    b[0] = 3


def diagonal_read(a: Matrix) -> np.ndarray:
    return np.diagonal(a) + 1


def running_in_small(a: NDArray[np.int8]) -> np.ndarray:
    return np.cumsum(a, dtype=np.int8)


def stored_beside(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    return x * 2 + np.add(a, b, x)


def _negated(x: np.ndarray) -> np.ndarray:
    x *= -1
    return x


def changed_by_the_other_operand(x: np.ndarray) -> np.ndarray:
    return x * 2 + _negated(x)


def changed_by_the_index(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    a[int(abs(_negated(x)[0])) % len(a) :] = x[0] * 2 + a[-1]
    return a
