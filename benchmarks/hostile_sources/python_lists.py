# careless: b = a as a copy; writes through b are seen in a, so each difference is zero
def alias_difference(a: list[float]) -> list[float]:
    b = a
    o = []
    for i in range(len(a)):
        b[i] = a[i] * 2.0
        o.append(b[i] - a[i])
    return o


# careless: a[:] as an alias; the slice is a copy, so the blur reads the old values
def blur_from_copy(a: list[float]) -> None:
    old = a[:]
    for i in range(1, len(a)):
        a[i] = 0.5 * (old[i] + old[i - 1])


# careless: in-place update as a parallel map; a[i - 1] is the new value, and at i = 0 it is the last
def blur_in_place_wrapping(a: list[float]) -> None:
    for i in range(len(a)):
        a[i] = 0.5 * (a[i] + a[i - 1])


# careless: a[i - 1] at i = 0 as out of bounds or zero; it wraps to the last element
def circular_difference(a: list[int]) -> list[int]:
    return [a[i] - a[i - 1] for i in range(len(a))]


# careless: a[-i] as reversal; a[-0] is a[0], so the first stays the first
def mirrored_from_negative(a: list[int]) -> list[int]:
    o = []
    for i in range(len(a)):
        o.append(a[-i])
    return o


# careless: a[-n:] as the last n; for n = 0 it is the whole list
def tail_sum(a: list[int], n: int) -> int:
    if n < 0:
        return 0
    return sum(a[-n:])


# careless: slices raise out of range; they clip, and a negative bound counts from the end
def window_total(a: list[int], n: int, m: int) -> int:
    s = 0
    for v in a[n:m]:
        s += v
    return s


# careless: removal while looping as a filter; the neighbour of each removed element is skipped
def drop_negatives_skipping(a: list[int]) -> list[int]:
    b = a[:]
    for v in b:
        if v < 0:
            b.remove(v)
    return b


# careless: iterates over the list as it was at the start; the loop also visits the values appended on the way
def grow_while_looping(a: list[int], n: int) -> int:
    b = a[:]
    s = 0
    for v in b:
        s += v
        if len(b) < n:
            b.append(v + 1)
    return s


# careless: range(n) evaluated again each pass; it is evaluated once, although n changes
def range_fixed_bound(a: list[int], n: int) -> int:
    s = 0
    for i in range(n):
        n = n - 1
        s += i * len(a)
    return s + n


# careless: changes of the loop variable skip iterations, as in C; in Python they do not
def loop_variable_bump(a: list[int]) -> int:
    s = 0
    for i in range(len(a)):
        s += a[i]
        i += 1
    return s


# careless: i after the loop as n; it is n - 1, or the initial value for an empty loop
def last_index_after_loop(a: list[int]) -> int:
    i = -5
    for i in range(len(a)):
        if a[i] == 0:
            break
    return i


# careless: else runs only for an empty loop; it runs whenever there is no break, also for empty lists
def first_negative_or_length(a: list[int]) -> int:
    for i in range(len(a)):
        if a[i] < 0:
            r = i
            break
    else:
        r = len(a)
    return r


# careless: zip demands or pads equal lengths; it stops at the shorter one
def dot_shortest(a: list[float], b: list[float]) -> float:
    s = 0.0
    for x, y in zip(a, b):
        s += x * y
    return s


# careless: zip(a, a[1:]) as circular; it has len - 1 pairs, none for an empty list
def total_variation(a: list[int]) -> int:
    s = 0
    for x, y in zip(a, a[1:]):
        s += abs(y - x)
    return s


# careless: enumerate starts at 0; here from 1, so the first weight is 1
def weighted_from_one(a: list[int]) -> int:
    s = 0
    for k, v in enumerate(a, 1):
        s += k * v
    return s


# careless: the pop of the caller's list is lost; a is one shorter afterwards
def take_last(a: list[int]) -> int:
    if len(a) == 0:
        return 0
    v = a.pop()
    return v + len(a)


# careless: insert at an out-of-range index raises; it clips, and -1 inserts before the last
def insert_before_last(a: list[int], n: int) -> list[int]:
    b = list(a)
    b.insert(-1, n)
    b.insert(100, n)
    return b


# careless: del at increasing indices deletes the original positions; the list shifts, so it keeps the odd ones
def delete_every_other(a: list[int]) -> list[int]:
    b = a[:]
    for i in range(len(a) // 2):
        del b[i]
    return b


# careless: np.zeros(n) for [0] * n; for negative n this is an empty list, not an error
def zeros_with_mark(n: int) -> list[int]:
    o = [0] * n
    if n > 2:
        o[2] = 1
    return o


# careless: a += b as a new list; it extends the caller's list in place
def extend_parameter(a: list[int], b: list[int]) -> int:
    a += b
    return len(a)


# careless: a = a + b changes the caller's list; it makes a new one, and + is not elementwise
def concat_then_zero(a: list[int], b: list[int]) -> int:
    a = a + b
    for i in range(len(a)):
        a[i] = a[i] + 1
    return sum(a)


# careless: rows as a rectangular array; rows may differ in length or be empty
def ragged_total(a: list[list[int]]) -> int:
    s = 0
    for row in a:
        for v in row:
            s += v
    return s


# careless: len(a[0]) is every row's length; longer rows are cut, a shorter row raises, no rows raise nothing here
def column_sums_by_first(a: list[list[int]]) -> list[int]:
    if len(a) == 0:
        return []
    o = [0] * len(a[0])
    for i in range(len(a)):
        for j in range(len(a[0])):
            o[j] += a[i][j]
    return o


# careless: max over axis 1 of an array; an empty row yields 0, rows differ in length
def row_maxima(a: list[list[int]]) -> list[int]:
    o = []
    for row in a:
        m = 0
        for v in row:
            if v > m:
                m = v
        o.append(m)
    return o


# careless: the comprehension's x overwrites the parameter x; it has its own scope
def comprehension_scope(b: list[float], x: float) -> float:
    s = sum([x * x for x in b])
    return s + x


# careless: default value ignored or treated as 0; with one argument n is 3
def repeat_scaled(a: list[int], n: int = 3) -> list[int]:
    return [v * n for v in a]


# careless: [[0] * n] * m as m separate rows; all rows are one list, so marks appear in every row
def shared_rows(n: int, m: int) -> list[list[int]]:
    g = [[0] * n] * m
    for i in range(min(n, m)):
        g[i][i] = 1
    return g


# careless: early return inside the loop as a full reduction; values after the first zero do not count
def sum_until_zero(a: list[int]) -> int:
    s = 0
    for v in a:
        if v == 0:
            return s
        s += v
    return -s


# careless: sum's start forgotten, or multiplied; sum(a, n) adds n once, also for an empty list
def sum_with_start(a: list[int], n: int) -> int:
    return sum(a, n) - sum(a[1:], n)


# careless: sorted sorts in place; a keeps its order, only the copy is sorted (and reversed is not sorted(reverse))
def rank_displacement(a: list[int]) -> int:
    b = sorted(a, reverse=True)
    s = 0
    for x, y in zip(b, reversed(a)):
        s += abs(x - y)
    return s


# careless: reversal by swapping over the whole range undoes itself; the list is unchanged at the end
def swap_full_range(a: list[int]) -> None:
    n = len(a)
    for i in range(n):
        a[i], a[n - 1 - i] = a[n - 1 - i], a[i]


# careless: `in` on the whole list; only the earlier elements count, so the result is about duplicates
def has_duplicate(a: list[int]) -> bool:
    for i in range(len(a)):
        if a[i] in a[:i]:
            return True
    return False


# careless: max of an empty list as 0 or -inf; it raises ValueError, while the guard is on b only
def peak_to_peak_guarded(a: list[float], b: list[float]) -> float:
    if not b:
        return 0.0
    return max(a) - min(b)


# careless: result aliasing; the rows returned are the same list objects as the input's, after doubling the first value
def double_first_of_rows(a: list[list[int]]) -> list[list[int]]:
    o = []
    for row in a:
        if row:
            row[0] *= 2
        o.append(row)
    return o
