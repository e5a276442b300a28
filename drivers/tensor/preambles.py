"""Functions that generated code has beside the library's: what `drivers.tensor.recurrences` spells its operators by."""

_DELAYS = '''

def _delayed(x, first):
    """x one place later, behind first, and no longer than x."""
    return np.concatenate((np.full(1, first, x.dtype), x))[:-1]


def _delays(u, v, factors, delays):
    """Before each step and after the last one, the two delays of which the first is the second + u + factors[0] * the first,
    and the second is v + factors[1] * the first.
    """
    first = _recurrence(u + _delayed(v, delays[1]), factors, [delays[0], 0.0])
    first = np.concatenate((np.full(1, delays[0], u.dtype), first))
    return first, np.concatenate((np.full(1, delays[1], u.dtype), v + factors[1] * first[:-1]))


def _approach(x, rate, start):
    """y[i] = y[i - 1] + rate * (x[i] - y[i - 1]), where y[-1] is start; exactly start where x is that."""
    return start + _recurrence(rate * (x - start), [1.0 - rate], [0.0])


def _last(x, start):
    """The last element, or start where there is none."""
    return x[-1] if len(x) else np.asarray(start, x.dtype)[()]
'''

_ROUNDED = '''

def _rounded(x):
    """The nearest integers, halves away from zero; {other} takes halves to even ones."""
    return {lib}.trunc(2 * x) - {lib}.trunc(x)
'''

PYTORCH = _ROUNDED.format(lib="torch", other="torch.round")

NUMPY = (
    '''
def _recurrence(x, factors, before):
    """y[i] = x[i] + factors[0] * y[i - 1] + ..., where y[-1] is before[0], y[-2] is before[1].

    By SciPy, or step by step where that is not installed.
    """
    try:
        from scipy.signal import lfilter
    except ImportError:
        y = np.empty_like(x)
        for i, value in enumerate(x):
            y[i] = value + sum(factor * each for factor, each in zip(factors, before))
            before = [y[i], *before[:-1]]
        return y
    state = [sum(factor * each for factor, each in zip(factors[k:], before)) for k in range(len(factors))]
    y, _ = lfilter([1.0], [1.0, *(-factor for factor in factors)], x, zi=state)
    return y.astype(x.dtype, copy=False)
'''
    + _DELAYS
    + _ROUNDED.format(lib="np", other="np.rint")
)

JAX = '''
def _recurrence(x, factors, before):
    """y[i] = x[i] + factors[0] * y[i - 1] + ..., where y[-1] is before[0], y[-2] is before[1].

    With one factor in parallel, but for one above 1: its powers overflow where the values need not.
    """
    if not len(x):
        return x

    def in_order(x, factors, before):
        def step(before, value):
            y = value + jnp.sum(factors * before)
            return jnp.concatenate((y[None], before[:-1])), y

        return jax.lax.scan(step, before, x)[1]

    def in_parallel(x, factors, before):
        def joined(left, right):
            return left[0] * right[0], left[1] * right[0] + right[1]

        each = jnp.broadcast_to(factors, x.shape), x.at[0].add(factors[0] * before[0])
        return jax.lax.associative_scan(joined, each)[1]

    factors, before = jnp.asarray(factors, x.dtype), jnp.asarray(before, x.dtype)
    if len(factors) > 1:
        return in_order(x, factors, before)
    return jax.lax.cond(jnp.abs(factors[0]) <= 1, in_parallel, in_order, x, factors, before)
''' + _DELAYS.replace("np.", "jnp.") + _ROUNDED.format(lib="jnp", other="jnp.rint")
