"""Functions that are refused: each has a comment where the message points, with some of its words."""

import functools
import math
import numpy as np
import numpy as numbers

LIMIT = 3
LIMIT = 4
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
    return sorted(x, key=lambda v: seen.append(v) or v)  # which does more than to compute


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
    return max(x, key=abs)  # max with named arguments


def variadic(*args: int):  # takes *args
    return args[0]


@functools.cache  # the decorator functools.cache
def decorated(x: int):
    return x


def text(x: str):
    return x + "!"  # a string where a number is needed


def whole_arrays(x: np.ndarray, y: np.ndarray):
    for _ in range(len(x)):
        z = x[0] + y[0]
    return x + y  # whole-array arithmetic


def kept_slice(x: np.ndarray):
    y = x[1:]  # a slice of a NumPy array that is kept
    y[0] = 3
    return x


def one_list_or_another(n: int):
    if n > 0:
        x = [1]
    else:
        x = [2, 3]
    return x[0]  # stands for different lists here


def list_of_each_round(x: list[float], n: int):
    for _ in range(n):
        x = [v * 2 for v in x]  # stands for different lists here
    return x


def previous_row(x: list[float]):
    prev = [0.0]
    for v in x:
        row = [v + prev[0]]  # stands for different lists here
        prev = row
    return len(x)


def ragged(n: int):
    return [[i for i in range(k)] for k in range(n)]  # rows whose length is found out row by row


def global_state(n: int):
    global STATE  # global; pass the value
    STATE = n
    return n


def prints(x: float):
    print(x)  # print: a function that is lifted may only compute
    return x


def infinite(x: list[float]):
    best = float("-inf")  # floats are finite here
    return best


def infinite_too(x: list[float]):
    best = -math.inf  # floats are finite here
    return best


def inner_function(n: int):
    def g(k):  # a function inside of a function
        return k

    return g(n)


def float_range(x: float):
    for _ in range(x):  # 'x' is a float where Python needs an int
        pass
    return x


def integer_power(n: int):
    return 2**n  # ** of integers


def deletes(x: list[float]):
    del x[0]  # del; leave it out


def stores_float(x: list[int]) -> None:
    x[0] = 1.5  # a float stored in the list x


def number_then_list(n: int):
    x = 1
    for _ in range(n):  # is a number when this loop begins
        x = [1]
    return x


def none_or_number(n: int):
    if n:
        return None  # None is returned on one path
    return 3


def too_many_names(n: int):
    x, y = n  # 2 names for a value
    return x + y


def stored_lambda(x: float):
    g = lambda v: v + 1  # a lambda
    return g(x)


def membership(n: int):
    return n in [n, 2 * n]  # a list where a number is needed


def unknown_name(n: int):
    return n + nowhere  # the name 'nowhere'


def set_twice(n: int):
    return n + LIMIT  # the name 'LIMIT'


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
    match n:  # match; write if, elif, else
        case 0:
            return 1
    return 2


def bits_of_float(x: float):
    return x & 1  # & on floats


def narrow_sum(x: np.ndarray, y: np.typing.NDArray[np.uint8]):
    return np.sum(y)  # of what is no array of floats


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


def sum_of_truths_of_numpy(m: np.ndarray):
    both = m[0] > 0
    return both + (m[1] > 0)  # arithmetic on truth values


def inverse_of_truth_of_numpy(m: np.ndarray):
    return 1 if ~(m[0] > 0) else 0  # arithmetic on truth values
