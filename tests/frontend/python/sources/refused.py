"""Functions that are refused: each has a comment where the message points, with some of its words."""

import functools
import math
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Optional

import numpy as np
import numpy as numbers

numbers = 5


def generator(x: list[float]):
    yield x[0]  # a generator (yield)


def rows_repeated(n: int):
    return [[0] * n] * n  # one and the same list


def row_repeated(n: int):
    row = [0] * n
    return [row] * n  # one and the same list


def one_row_in_all(n: int, m: int):
    row = [0] * m
    out = []
    for i in range(n):  # one list that every round of a loop puts into another
        out.append(row)
    return out


def one_row_in_all_of_known_length(m: int):
    out = []
    row = [0] * m
    for i in range(m):  # one list that every round of a loop puts into another
        out.append(row)
    return out


def row_changed_later(n: int):
    row = [0] * n
    out = []
    out.append(row)
    row[0] = 5  # 'row' is used after it was put into another list
    return out


def shared_rows(a: list[list[int]]):
    out = []
    for row in a:
        out.append(row)  # a list that is put into another
    out[0][0] = 1
    return out


def row_replaced(a: list[list[int]]):
    a[0] = a[1]  # a row that is replaced
    return a


def grows_while_looping(n: int):
    y = [n]
    for v in y:
        y.append(v)  # a change of the length of the list over which the loop runs
    return y


def parameter_grows(x: list[float]):
    x.append(1.0)  # a change of the length of the parameter x


def sorts_text(x: list[str]):
    return sorted(x)  # a string that is sorted by


def sorts_by_effect(x: list[float]):
    seen = []
    return sorted(x, key=lambda v: seen.append(v) or v)  # a function that changes something and is handed on


def sorts_by_function(x: list[float]):
    return sorted(x, key=abs)  # the key abs; supported as keys


def sorts_by_default(x: list[float], n: int):
    return sorted(x, key=lambda v, n=n: v * n)  # supported as keys


def sorts_by_element(x: list[int]):
    return sorted(x, key=lambda len: len(x))  # a call of the local name 'len'


def sorts_somehow(x: list[float], down: bool):
    return sorted(x, reverse=down)  # write True or False


def sorts_rows(x: list[list[float]]):
    return sorted(x)  # lists that are compared


def sorts_what_is_empty_then(x: list[int]):
    y = [v for v in x]
    y.sort(key=lambda v: v + len(y))  # reads the list that is sorted
    return y


def sorts_while_looping(n: int):
    y = [n, 1]
    for v in y:
        y.sort()  # the list over which the loop runs is sorted
    return y


def handles(x: list[float]):
    try:  # try; a run that raises
        return x[0]
    except IndexError:
        return 0.0


def dictionary(x: list[int]):
    d = {}
    return len(d)  # all keys of d, which gets none in a loop


def factorial(n: int):
    return 1 if n <= 1 else n * factorial(n - 1)  # calls itself


def key_function(x: list[float]):
    return max(x, key=abs, default=0.0)  # one of them, of one iterable


def variadic(*args: int):  # takes *args
    return args[0]


@functools.cache  # the decorator functools.cache
def decorated(x: int):
    return x


def text(x: str):
    return x + "!"  # a string where a number is needed


def array_as_condition(x: np.ndarray, y: np.ndarray):
    if x > y:  # an array as a condition
        return x
    return y


def shared_in_another_shape(x: np.ndarray):
    y = x.reshape(-1)  # which then shares it
    y[0] = 3
    return x


def negative_of_truths(x: np.ndarray):
    return -(x > 0)  # negative of an array of truth values


def half_precision(x: np.typing.NDArray[np.uint8]):
    return np.sqrt(x)  # float16


def too_large_a_number(x: np.typing.NDArray[np.uint8]):
    return x + 256  # which the integers of the array cannot be


def other_kind_in_place(x: np.typing.NDArray[np.int32]):
    x += 0.5  # another kind of number


def stored_by_a_later_argument(a: np.ndarray, x: np.ndarray):
    return np.where(x > 0, 1.0, np.negative(a, x))  # an argument that changes an array


def indices_alone(x: np.ndarray):
    return np.where(x > 0)  # where of a condition alone


def ragged(n: int):
    return [[i for i in range(k)] for k in range(n)]  # rows whose length is found out row by row


def global_state(n: int):
    global STATE  # global; pass the value
    STATE = n
    return n


def prints(x: list[int]):
    print(x.pop())  # print of what changes something, or to a file


def prints_only(x: float):  # a function that only prints
    print(x)


def infinite(x: list[float]):
    best = float("-inf")
    return best  # an infinity


def infinite_too(x: list[float]):
    best = -math.inf
    for v in x:
        best = max(best * 0.5, v)  # arithmetic on a value that is an infinity at first
    return best


def inner_function(n: int):
    def g(k):
        return g(k - 1) if k > 0 else n  # g calls itself

    return g(n)


def float_range(x: float):
    for _ in range(x):  # 'x' is a float where Python needs an int
        pass
    return x


def wrapped_power(x: np.ndarray, n: np.int32):
    return np.int32(2) ** n  # ** of integers


def deletes(x: list[float]):
    del x[0]  # del; leave it out


def stores_float(x: list[int]) -> None:
    x[0] = 1.5  # a float stored in the list x


def number_then_list(n: int):
    x = 1
    for _ in range(n):  # is a number when this loop begins
        x = [1]
    return x


def none_or_rows(n: int):
    if n:
        return None  # None on one path and an array or a list of lists on another
    return [[n], [n]]


def too_many_names(n: int):
    x, y = n  # 2 names for a value
    return x + y


def stored_lambda(x: float):
    if x > 0:
        g = lambda v: v + 1
    else:
        g = lambda v: v - 1
    return g(x)  # 'g' stands for different


def membership(n: int, s: str):
    return len(s) + (n in s)  # and of characters in strings


def unknown_name(n: int):
    return n + nowhere  # the name 'nowhere'


def rebound_module(n: int):
    return numbers.sqrt(n)  # the module binds 'numbers' 2 times


def used_before(n: int):
    n += later  # 'later' is used before it is set
    later = 2
    return n


def local_function_name(sum: int, x: list[int]):
    return sum(x)  # a call of the local name 'sum'


def copies_while_changing(x: list[int], y: list[int]):
    for a, b in zip(x[1:], y):  # a loop over copies of lists that it changes
        x[0] += a + b


def swapped(a: list[list[int]]):
    a[0], a[1] = a[1], a[0]  # a row that is replaced


def matches(n: int):
    match n:  # match with patterns other than values
        case 0:
            return 1
        case other if other > 3:
            return other
    return 2


def bits_of_float(x: float):
    return x & 1  # & on floats


def iterator_used_twice(a: list[float], b: list[float]):
    pairs = zip(a, b)  # can be run over once
    return sum(x * y for x, y in pairs) + sum(x for x, _ in pairs)


def iterator_passed_on(a: list[float]):
    return _sum_twice(reversed(a))  # can be run over once


def _sum_twice(z):
    return sum(x for x in z) + sum(x for x in z)


def list_that_grows_under_a_loop(n: int):
    a = [1]
    for x in a:
        if len(a) < n:
            a += [x + 1]  # a change of the length of the list over which the loop runs
    return a


def list_that_grows_in_a_helper(n: int):
    a = [1]
    for _ in a:
        if len(a) < n:
            _append_one(a)
    return a


def _append_one(a):
    a.append(1)  # a change of the length of


def row_that_was_replaced(n: int):
    x = [[0] * 2 for _ in range(n + 1)]
    row = x[0]
    x[0] = [1] * 2
    return row[0]  # 'row' stands for different lists here


def row_that_is_replaced_in_a_loop(n: int):
    x = [[0] * 2 for _ in range(n + 1)]
    row = x[0]
    s = 0
    for _ in range(n):
        s += row[0]  # 'row' stands for different lists here
        x[0] = [1] * 2
    return s


def row_that_is_replaced_under_a_loop(n: int):
    x = [[i, i + 1] for i in range(n + 1)]
    row = x[0]
    s = 0
    for v in row:
        x[0] = [7, 8]  # a row that is replaced while a loop runs over a row
        s += v
    return s


def rows_that_are_shared_by_a_slice(n: int):
    x = [[i] for i in range(n + 1)]
    y = [[0] for _ in range(n + 1)]
    y[:] = x  # a row that is replaced by another list
    y[0][0] = 9
    return x[0][0]


def chain_that_acts(x: list[int], a: int, b: int):
    inside = a < b < _add_one(x)  # a comparison in a chain
    return x[0] + inside


def _add_one(x):
    x[0] = x[0] + 1
    return x[0]


def sum_of_truths_of_numpy(m: np.ndarray[tuple[int], np.dtype[np.float64]]):
    both = m[0] > 0
    return both + (m[1] > 0)  # arithmetic on truth values


def inverse_of_truth_of_numpy(m: np.ndarray):
    return 1 if ~(m[0] > 0) else 0  # arithmetic on truth values


def rows_used_before_they_are_there(n: int):
    rows = []
    found = []
    for k in range(n):
        for row in rows:
            found.append(row)
        rows.append([k, k])  # a list whose rows are used further up, before one is put there
    return found


def changed_by_its_first_name(c: int):
    a = [1, 2]
    b = [3, 4]
    if c > 0:
        b = a
    a[0] = 9
    return b[0]  # the list b is used after it may have been changed by another name


def changed_by_its_second_name(c: int):
    a = [1, 2]
    b = [3, 4]
    if c > 0:
        b = a
    b[0] = 9
    return a[0]  # the list a is used after it may have been changed by another name


def grows_by_its_second_name(c: int):
    a = [1, 2]
    b = [5]
    if c > 0:
        b = a
    b.append(7)
    return len(a)  # the list a is used after it may have been changed by another name


def no_new_list_in_each_round(now: list[float], n: int):
    after = [0.0] * len(now)
    for _ in range(n):
        for i in range(1, len(now)):
            after[i] = now[i - 1] + 1.0  # the list now is used after it may have been changed by another name
        now = after
    return now


def one_list_swapped_with_itself_or_not(x: list[int], n: int):
    a = [v for v in x]
    b = a
    for k in range(n):
        a[0] = 7 * k
        b = [v + b[0] for v in a]  # the list b is used after it may have been changed by another name
        if k == 1:
            b = a
    return a


def parameter_changed_afterwards(x: list[int], c: int):
    if c > 0:
        x = [v + 1 for v in x]
    x[0] = 5  # the list x is changed while it may be a parameter's list
    return x[0]


def parameter_changed_after_a_loop(x: list[int], n: int):
    for _ in range(n):
        x = [v + 1 for v in x]
    x[0] = 3  # the list x is changed while it may be a parameter's list
    return x[0]


def parameters_swapped_and_changed(a: list[int], b: list[int], n: int):
    for k in range(n):
        a[0] = k  # the list a is changed while it may be a parameter's list
        if k % 3:
            a, b = b, a


def parameter_changed_by_another_name(x: list[int], n: int):
    y = x
    for _ in range(n):
        x = [v + 1 for v in x]
    y[0] = 5
    return x[0]  # the list x is used after it may have been changed by another name


def lists_of_numbers_and_texts(x: list[str], n: int):
    a = [0, 0]
    for _ in range(n):
        a = [x[0], x[0]]
    return a[0] == x[0]  # stands for different lists here, depending on the path or the round of the loop, which are of different


def rows_of_different_lengths(g: list[list[int]], n: int):
    for _ in range(n):
        g = [[1, 2] for row in g]  # stands for different lists here, depending on the path or the round of the loop, whose rows
    return g[0][0]


def row_of_one_or_another(g: list[list[int]], n: int):
    row = g[0]
    for k in range(n):
        row = g[k]
    return row[0]  # stands for different lists here, depending on the path or the round of the loop, or for a row of one


def put_into_another(n: int):
    a = [1, 2]
    r = [3, 4]
    if n > 0:
        r = a
    rows = [r, [0, 0]]  # a list that is put into another and may have a second name
    a[0] = 5
    return rows


def changed_by_what_a_helper_gives(x: list[int], n: int):
    a = [v for v in x]
    b = _either(a, [1, 2], n)
    b[0] = 5
    return a[0]  # the list a is used after it may have been changed by another name


def _either(a, b, n):
    if n > 0:
        return a
    return b


def looped_over_and_changed(x: list[int], n: int):
    a = [v for v in x]
    b = [1]
    if n > 0:
        b = a
    s = 0
    for v in b:  # the list b is used after it may have been changed by another name
        s += v
        a[len(a) - 1] = 7
    return s


def sorted_by_its_second_name(x: list[int], n: int):
    a = [v for v in x]
    b = [1]
    if n > 0:
        b = a
    a.sort(key=lambda v: v * len(b))  # the list b is used after it may have been changed by another name
    return a


def best_that_is_changed(x: list[int]):
    best = [0, 0]
    for k in range(len(x)):
        row = [k, x[k]]
        if row[1] > best[1]:  # the list best is used after it may have been changed by another name
            best = row
        row[0] = 5
    return best


def list_in_a_tuple(n: int):
    pair = ([1], 2)
    for k in range(n):
        pair = ([k], 3)
    return pair[0][0]  # 'pair[0]' stands for different lists here


def none_by_default(x: list[int], k: int = None):  # a parameter that is None by default
    return len(x) if k is None else k


def optional_parameter(x: int, y: Optional[int]):  # a parameter that may be None
    return x if y is None else x + y


def none_is_ordered(x: list[int]):
    best = None
    for v in x:
        if best < v:  # None where a number is needed
            best = v
    return best


def none_or_a_list(x: list[int]):
    found = None
    for v in x:
        if v > 0:
            found = x
    return 0 if found is None else found[0]  # 'found' is None on one path


def infinity_for_the_empty_list(x: list[float]):
    if not x:
        return math.inf
    return x[0]  # an infinity


def reciprocal_of_infinity(x: list[float]):
    low = math.inf
    for v in x:
        if v > 0 and v < low:
            low = v
    return 1.0 / low  # arithmetic on a value that is an infinity at first


def infinite_list(x: list[float]):
    best = [math.inf] * len(x)  # an infinity
    return best


def no_number(x: list[float]):
    return max(x[0], math.nan)  # floats are numbers here


def map_run_over_twice(x: list[int]):
    m = map(abs, x)  # a generator that is kept
    return sum(m) + sum(m)


def zip_run_over_twice(x: list[int]):
    z = zip(x, x[1:])  # zip, enumerate or reversed that is kept
    return sum(a * b for a, b in z) + sum(a for a, b in z)


def default_of_inner_function(n: int):
    def add(a, b=n):  # a default that is no number
        return a + b

    n = 5
    return add(1)


def functions_in_a_list(n: int):
    fs = [lambda: i for i in range(3)]  # a function where a number is needed
    return fs[0]()


def changes_a_string(s: str):
    s[0] = "a"  # is set at an index but is no list
    return len(s)


def gives_a_string(s: str):
    return s[::-1]  # a string or a list of characters as a result


def list_and_string(s: str):
    return list(s) == s  # supported are == and != of numbers, strings and lists of them


def list_and_range(x: list[int]):
    return x == range(3)  # supported are == and != of numbers, strings and lists of them


def character_and_number(s: str):
    return sum(1 for c in s if c == 97)  # a character compared with something else


def counts_a_word(s: str):
    return s.count("ab")  # with what is no single character


def adds_characters(s: str):
    total = 0
    for c in s:
        total += c  # a character where a number is needed
    return total


def function_with_a_set(x: list[int]):
    f = lambda v: v + 1  # a function inside of one with dictionaries
    seen = set()
    for v in x:
        seen.add(v)
    return seen


def sum_of_a_set(a: set[int]):
    total = 0
    for x in a:  # of which more is used than what is in it
        total += x
    return total


def changes_a_set(a: set[int]):
    a |= {3}  # the set a, which is changed
    return a


def list_of_a_set(a: set[int]):
    return list(a)  # of which more is used than what is in it


def copy_of_a_part(a: np.ndarray):
    b = a[::-1].ravel()  # shares it
    b[0] = 1
    return a.sum()


def perhaps_itself(a: np.ndarray):
    b = a.astype(float, copy=False)  # may give the array itself
    b[0] = 1


def squeezed_away(a: "np.ndarray[tuple[int, int], np.dtype[np.float64]]"):
    return np.squeeze(a, axis=0)  # need not have length 1


def power_of_truth(a: "np.ndarray[tuple[int], np.dtype[np.bool_]]"):
    return a**2  # int8


def into_another_shape(a: "np.ndarray[tuple[int, int], np.dtype[np.float64]]"):
    a.reshape(-1)[0] = 1  # shares it


def rows_of_another_shape(a: np.ndarray):
    for row in a.reshape(2, -1):  # shares it
        row[0] = 1


def diagonal_seen_later(a: "np.ndarray[tuple[int, int], np.dtype[np.float64]]"):
    d = np.diagonal(a)  # shares it
    a[0, 0] = 1
    return d + 1


def number_added_to_truth(a: "np.ndarray[tuple[int], np.dtype[np.bool_]]"):
    np.add.at(a, np.array([0, 1]), 3)  # another kind of number


def a_text_that_is_called_str(str):
    counts = dict()
    for word in str.split():  # the method 'split' of what is no list
        counts[word] = counts.get(word, 0) + 1
    return counts


class Colour(Enum):
    RED = 1


class Settings:
    SIZE = 3


class Twice(IntEnum):
    ONE = 1
    ONE_TOO = ONE


class Level(IntEnum):
    LOW = 1

    def __eq__(self, other: object) -> bool:
        return True


def _changes():
    Settings.SIZE = 4


def member_of_an_enum(n: int):
    return n == Colour.RED  # the name 'Colour'


def setting_that_changes(n: int):
    return n + Settings.SIZE  # the name 'Settings'


def member_by_another(n: int):
    return n + Twice.ONE  # the name 'Twice'


def member_with_its_own_equality(n: int):
    return n == Level.LOW  # the name 'Level'


class Base:
    def __init__(self, n: int) -> None:
        self.n = n


class Derived(Base):
    pass


class Held:
    def __init__(self, x: list[float]) -> None:
        self.x = x
        self.total = 0.0

    def add(self, v: float) -> None:
        self.total += v


class Sometimes:
    def __init__(self, n: int) -> None:
        if n > 0:
            self.n = n  # self.n, which is no field of Sometimes
        self.m = n


@dataclass(frozen=True)
class Frozen:
    total: float
    x: list[float]


def with_subclass(b: Base) -> int:  # the type 'Base'
    return b.n


def second_name(h: Held) -> float:
    other = h  # the object 'h' as a value
    other.total = 1.0
    return h.total


def used_inside(h: Held) -> float:
    def inner() -> None:
        h.total = 1.0  # 'h' in a function inside of used_inside

    inner()
    return h.total


def compared(h: Held, g: Held) -> bool:
    return h == g  # the object 'h' as a value


def list_replaced(h: Held) -> None:  # a field that is set and is no number: x of Held
    h.x = [1.0]


def without_a_name(x: list[float]) -> float:
    return Held(x).total  # an object of Held without a name


def another_method(h: Held) -> None:
    h.remove(1.0)  # h.remove(), which is no method of Held


def sometimes(n: int) -> int:
    s = Sometimes(n)
    return s.n


def frozen(f: Frozen) -> None:
    f.total = 1.0  # a field of the frozen class Frozen is set


def numbers_of_columns(m: list[list[int]]):
    return [[sum(c) + i for i in range(3)] for i, c in enumerate(zip(*m))]  # a starred expression


def columns_under_another_name(m: list[list[int]], x: list[int]):
    return [[sum(c) for m in x] for c in zip(*m)]  # a starred expression


def columns_of_what_grows(m: list[list[int]]):
    out = []
    for c in zip(*m):  # a starred expression
        m.append(list(c))
        out.append(sum(c))
    return out


def columns_beside_lists(m: list[list[int]], r: list[int]):
    return [1 for c in zip(*m) if c == r]  # a starred expression


def columns_of_a_list_with_two_names(n: list[list[int]]):
    m = n
    t = 0
    for c in zip(*m):  # a starred expression
        t += sum(c)
        n.append([1, 2])
    return t


def columns_of_what_a_call_changes(m: list[list[int]]):
    return [no_number(m[0]) + sum(c) for c in zip(*m)]  # a starred expression


def rows_that_strides_make(x: np.ndarray, m: int, n: int):
    rows = np.lib.stride_tricks.as_strided(x, (m, n), np.multiply((n, 1), x.itemsize))
    rows += 1  # of rows that strides make
