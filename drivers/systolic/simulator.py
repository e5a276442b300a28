"""The coprocessor in loops over single elements; it is the beginning of every file that is generated for it."""

import numpy as np


def _saturated(value):
    """The value as the vector unit keeps it in 8 bits."""
    if value > 127:
        return 127
    return -128 if value < -128 else value


def _vector(step, dtype, *operands):
    """The vector unit: one step for each element."""
    operands = np.broadcast_arrays(*operands)
    result = np.empty(operands[0].shape, dtype)
    for place in np.ndindex(result.shape):
        result[place] = step(*(int(operand[place]) for operand in operands))
    return result


def matmul(a, b):
    """The systolic array: the product of two tiles, in 32-bit accumulators."""
    assert max(*a.shape, *b.shape) <= 16 and a.dtype == b.dtype == np.int8
    result = np.zeros((a.shape[0], b.shape[1]), np.int32)
    for step in range(a.shape[1]):
        for row in range(a.shape[0]):
            for column in range(b.shape[1]):
                result[row, column] += int(a[row, step]) * int(b[step, column])
    return result


def add(a, b):
    """a + b, saturated."""
    return _vector(lambda x, y: _saturated(x + y), np.int8, a, b)


def sub(a, b):
    """a - b, saturated."""
    return _vector(lambda x, y: _saturated(x - y), np.int8, a, b)


def mul(a, b, shift):
    """a * b / 2**shift, rounded down, saturated."""
    return _vector(lambda x, y: _saturated(x * y // (1 << shift)), np.int8, a, b)


def largest(a, b):
    """The larger of each two elements."""
    return _vector(lambda x, y: x if x > y else y, np.int8, a, b)


def least(a, b):
    """The smaller of each two elements."""
    return _vector(lambda x, y: y if x > y else x, np.int8, a, b)


def relu(a):
    """Negative elements become 0."""
    return _vector(lambda x: 0 if x < 0 else x, np.int8, a)


def load(a):
    """8-bit elements into accumulators."""
    return _vector(lambda x: x, np.int32, a)


def accumulate(a, b):
    """The sum of accumulators, which wraps at 32 bits."""
    return _vector(lambda x, y: (x + y + 2**31) % 2**32 - 2**31, np.int32, a, b)


def store(a, shift):
    """Accumulators / 2**shift, rounded down, saturated to 8 bits."""
    return _vector(lambda x: _saturated(x // (1 << shift)), np.int8, a)
