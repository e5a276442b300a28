import math


# careless: translates // as C truncation; Python floors toward minus infinity
def halve_floor(a: list[int]) -> list[int]:
    return [x // 2 for x in a]


# careless: treats int(x / 2) as x // 2; it truncates toward zero, so -3 gives -1 not -2
def halve_trunc(a: list[int]) -> list[int]:
    o = []
    for x in a:
        o.append(int(x / 2))
    return o


# careless: C remainder; Python % has the sign of the divisor, so the result is never negative
def wrap_phase_index(a: list[int], n: int) -> int:
    s = 0
    for x in a:
        s += x % 360
    return s + n % 360


# careless: % with a negative constant divisor yields values in (-7, 0]
def negative_modulus_sum(a: list[int]) -> int:
    s = 0
    for x in a:
        s += x % -7
    return s


# careless: math.fmod keeps the dividend's sign whereas % does not; the difference is 0 or 1, never always 0
def fmod_minus_mod(x: float) -> float:
    return x % 1.0 - math.fmod(x, 1.0)


# careless: rounds half up; Python rounds half to even and gives an int
def quantise_levels(b: list[float]) -> list[int]:
    return [round(x) for x in b]


# careless: takes int(x + 0.5) for round(x); wrong for negatives (trunc, not floor) and ties
def nearest_by_half(b: list[float]) -> list[int]:
    return [int(x + 0.5) for x in b]


# careless: int64 accumulator overflows; Python ints do not (seven values of 1000 already exceed 2**63)
def running_product(a: list[int]) -> int:
    p = 1
    for x in a:
        p = p * x
    return p


# careless: 1 << n in int64 wraps or is zero for n >= 64; Python gives 2**n
def bit_weight(n: int) -> int:
    if n < 0:
        return 0
    return 1 << n


# careless: int == float by converting to double; Python compares exactly, so 2**53 + 1 != float(2**53)
def count_equal_mixed(a: list[int], x: float) -> int:
    c = 0
    for v in a:
        if v == x:
            c += 1
    return c


# careless: simplifies float(v) == v to True; false for ints beyond 2**53
def all_exact_as_float(a: list[int]) -> bool:
    for v in a:
        if float(v) != v:
            return False
    return True


# careless: np.sum of bools with | or dtype bool; this counts
def count_over_threshold(b: list[float], x: float) -> int:
    return sum(v > x for v in b)


# careless: sum of two bools as logical or; True + True is 2
def vote_of_three(x: float, y: float, z: float) -> int:
    return (x > 0) + (y > 0) + (z > 0)


# careless: result type float always; max keeps the first of equals, so max(1, 1.0) is the int 1
def clamp_low_mixed(n: int, x: float) -> float:
    return max(n, x)


# careless: np.minimum is symmetric and passes nan on; min(x, y) gives x unless y < x
def min_with_nan_order(b: list[float], x: float) -> list[float]:
    return [min(v, x) for v in b]


# careless: integer power with negative exponent is a float in Python, an error in NumPy
def int_power_decay(n: int) -> float:
    s = 0.0
    for k in range(n):
        s += 2 ** -k
    return s


# careless: -x ** 2 parsed as (-x) ** 2
def negated_square_sum(b: list[float]) -> float:
    s = 0.0
    for x in b:
        s += -x ** 2
    return s


# careless: int(a * 0.1) as a // 10; trunc for negatives, rounding for large ints
def tenth_by_multiply(a: list[int]) -> list[int]:
    return [int(v * 0.1) for v in a]


# careless: rounds the product, or takes it as exact; int(1.15 * 100) is 114, int(0.15 * 100) is 15
def price_in_cents(b: list[float]) -> int:
    c = 0
    for x in b:
        c += int(x * 100)
    return c


# careless: float accumulator of ints as an int sum; loses beyond 2**53 and returns float
def float_total_of_ints(a: list[int]) -> float:
    s = 0.0
    for v in a:
        s += v
    return s


# careless: an int sum divided exactly: s / n rounds once from the exact int, unlike a float sum; 0 values raise
def mean_of_ints(a: list[int]) -> float:
    s = 0
    for v in a:
        s += v
    return s / len(a)


# careless: chained comparison as (0 < v) < n
def count_inside_chain(a: list[int], n: int) -> int:
    c = 0
    for v in a:
        if 0 < v < n:
            c += 1
    return c


# careless: x < y > z as a C chain of 0/1, or as x < z too; x and z are not compared
def peaks_by_chain(a: list[int], n: int) -> int:
    c = 0
    for i in range(1, len(a) - 1):
        if a[i - 1] < a[i] > a[i + 1]:
            c += 1
    return c


# careless: `or` as bool; v or n gives v unless v is zero
def default_for_zero(a: list[int], n: int) -> list[int]:
    return [v or n for v in a]


# careless: `and` as bool or as min; v and n gives n when v is not zero, else v
def gate_values(a: list[int], n: int) -> int:
    s = 0
    for v in a:
        s += v and n
    return s


# careless: x if x else 0.0 simplified to x; turns -0.0 into 0.0, seen by copysign
def sign_after_zero_fix(x: float) -> float:
    y = x if x else 0.0
    return math.copysign(1.0, y)


# careless: 0.0 - x as -x; differs for x == 0.0 in the sign of zero, seen by copysign
def sign_of_difference(x: float) -> float:
    return math.copysign(1.0, 0.0 - x)


# careless: one element type for the conditional; gives an int 0 or a float
def relu_int_zero(b: list[float]) -> float:
    s = 0
    for x in b:
        s += x if x > 0 else 0
    return s


# careless: all of floor, ceil, trunc agree; for negative fractions they do not
def floor_ceil_trunc_code(x: float) -> int:
    return 100 * math.floor(x) + 10 * math.ceil(x) + math.trunc(x)


# careless: int(math.sqrt(n)) as isqrt; too large by one for 2**54 - 1 and the like
def root_disagreement(n: int) -> int:
    if n < 0:
        return 0
    return int(math.sqrt(n)) - math.isqrt(n)


# careless: ceil(n / m) as -(-n // m); the float division rounds for large ints
def block_count_float(n: int, m: int) -> int:
    if m <= 0:
        return 0
    return math.ceil(n / m)


# careless: divmod truncating; the pair floors, so -1 seconds is minute -1, second 59
def minutes_seconds_code(a: list[int]) -> list[int]:
    o = []
    for t in a:
        q, r = divmod(t, 60)
        o.append(q * 100 + r)
    return o


# careless: shift right of negatives as a division truncating to zero; -1 >> 1 is -1
def scale_by_shift(a: list[int], n: int) -> list[int]:
    o = []
    for v in a:
        o.append((v * 3) >> 2)
    return o


# careless: ~v as unsigned or as logical not; ~v is -v - 1 and ~True is -2
def complement_flags(a: list[int]) -> int:
    s = 0
    for v in a:
        s += ~(v > 0)
    return s


# careless: a hash kept in 64 bits with no masking; only the final & 255 may be taken early for + and *
def checksum_low_byte(a: list[int]) -> int:
    h = 7
    for v in a:
        h = h * 31 + v
    return (h >> 4) & 255


# careless: & with a mask on negatives; -1 & 0xFFFFFFFF is 4294967295, not -1
def to_unsigned32(a: list[int]) -> list[int]:
    return [v & 0xFFFFFFFF for v in a]


# careless: float // as int division; -0.5 // 1.0 is -1.0, a float, and 1.0 // 0.1 is 9.0
def float_bins(b: list[float], x: float) -> list[float]:
    if x == 0.0:
        return []
    return [v // x for v in b]


# careless: (not v) == n; it is not (v == n), a bool that multiplies as 0 or 1
def not_equal_weight(a: list[int], n: int) -> int:
    s = 0
    for v in a:
        s += (not v == n) * v
    return s


# careless: & binds tighter than ==, so v & 1 == 0 is v & (1 == 0) in C; in Python it is (v & 1) == 0
def count_even_mask(a: list[int]) -> int:
    c = 0
    for v in a:
        if v & 1 == 0:
            c += 1
    return c


# careless: x ** 0.5 as sqrt for all x; for a negative float it gives a complex number, for int too
def power_half_guarded(b: list[float]) -> float:
    s = 0.0
    for x in b:
        if not x < 0:
            s += x ** 0.5 * (0.0 ** 0)
    return s
