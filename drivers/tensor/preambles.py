"""Functions that generated code has beside the library's: recurrences, in the terms of `drivers.tensor.recurrences`."""

NUMPY = '''
def _recurrence(x, factor, start):
    """y[i] = x[i] + factor * y[i - 1], where y[-1] is start: by SciPy, or step by step where it is not installed."""
    try:
        from scipy.signal import lfilter
    except ImportError:
        y = np.empty_like(x)
        for i, value in enumerate(x.tolist()):
            y[i] = start = value + factor * start
        return y
    y, _ = lfilter([1.0], [1.0, -factor], x, zi=[factor * start])
    return y.astype(x.dtype, copy=False)


def _recurrence_end(x, factor, start):
    """The last value of the recurrence, or start where x is empty."""
    return _recurrence(x, factor, start)[-1] if len(x) else x.dtype.type(start)
'''

JAX = '''
def _recurrence(x, factor, start):
    """y[i] = x[i] + factor * y[i - 1], where y[-1] is start.

    Products of factors above 1 overflow where the values need not, so there it goes step by step.
    """
    if not len(x):
        return x

    def in_parallel(x, factor, start):
        def joined(left, right):
            return left[0] * right[0], left[1] * right[0] + right[1]

        return jax.lax.associative_scan(joined, (jnp.full_like(x, factor), x.at[0].add(factor * start)))[1]

    def in_order(x, factor, start):
        def step(y, value):
            return (following := value + factor * y), following

        return jax.lax.scan(step, start, x)[1]

    factor, start = jnp.asarray(factor, x.dtype), jnp.asarray(start, x.dtype)
    return jax.lax.cond(jnp.abs(factor) <= 1, in_parallel, in_order, x, factor, start)


def _recurrence_end(x, factor, start):
    """The last value of the recurrence, or start where x is empty."""
    return _recurrence(x, factor, start)[-1] if len(x) else jnp.asarray(start, x.dtype)
'''
