"""What a module says once: tables of numbers, constants of classes and enums, type variables; match, print, bytes."""

import sys
from enum import Enum, IntEnum
from typing import TypeVar

T = TypeVar("T", int, float)
WEIGHTS = (0.5, 0.25, 0.25)
TABLE = [3, 1, 2, 0]
KERNEL = [[1, 0, -1], [2, 0, -2], [1, 0, -1]]
PAIRS = ((1, 2), (3, 4), (5, 6))


class Kind(IntEnum):
    PLUS = 1
    MINUS = -1
    NONE = 0


class Color(Enum):
    RED = 1
    GREEN = 2


class Config:
    SIZE = 3
    SCALE: float = 0.5


def weighted(x: list[float]) -> float:
    s = 0.0
    for i in range(3):
        s += WEIGHTS[i] * x[i]
    return s


def permuted(x: list[int]) -> list[int]:
    return [TABLE[v % 4] for v in x]


def from_the_end(x: list[int]) -> list[int]:
    return [TABLE[v % 4 - 4] for v in x]


def where_it_is(n: int) -> int:
    return TABLE[n] if 0 <= n < len(TABLE) else 9


def of_two_axes(a: int, b: int) -> int:
    return KERNEL[a % 3][b % 3]


def of_pairs(n: int) -> int:
    a, b = PAIRS[n % 3]
    return 10 * a + b


def over_a_table(x: int) -> int:
    s = 0
    for v in TABLE:
        s += v * x
    return s


def its_own(TABLE: list[int], n: int) -> int:
    return TABLE[n]


def of_an_enum(x: list[int]) -> int:
    s = 0
    for v in x:
        if v == Kind.PLUS:
            s += Config.SIZE
        elif v == Kind.MINUS.value:
            s -= Color.GREEN.value
    return s


def scaled(x: float) -> float:
    return x * Config.SCALE


def by_value(n: int) -> int:
    match n:
        case 0:
            return 5
        case 1 | 2 | -1:
            return 6
        case Kind.NONE:
            return 7
        case other:
            return other


def with_a_guard(n: int, m: int) -> int:
    s = 0
    match n + m:
        case 3 if n > m:
            s = 1
        case _ if n == m:
            s = 2
        case 4:
            s = 3
    return s


def by_pairs(a: int, b: int) -> int:
    match (a, b):
        case (0, 0):
            return 1
        case (0, y):
            return y
        case (x, 0 | 1):
            return -x
        case _:
            return 100


def in_a_loop(x: list[int]) -> int:
    matched0 = 0
    for v in x:
        match v % 3:
            case 0:
                continue
            case 1:
                matched0 += v
            case 2:
                break
    return matched0


def changed_by_a_case(n: int) -> int:
    match n:
        case 0:
            n = 1
        case 1:
            n = 2
    return n


def by_texts(n: int, texts: bool) -> int:
    kind = "add" if texts else "sub"
    match kind:
        case "add":
            return n + 1
        case "sub":
            return n - 1
    return n


def printing(x: list[int]) -> int:
    s = 0
    for v in x:
        s += v
        print("so far", s, f"{v:3d}", *x, sep=", ", end="", file=sys.stderr)
    return s


def halves(a: bytes, b: bytearray) -> int:
    s = 0
    for i in range(len(a)):
        s += (a[i] + b[i]) // 2
    return s


def generic(x: list[T], k: T) -> T:
    s = k
    for v in x[1:]:
        s += v * k
    return s
