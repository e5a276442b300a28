import torch
import triton
import triton.language as tl


def _check(name, array, dtype, at_least=0):
    """Raise ValueError unless the argument is a 1-D torch.Tensor of the dtype and long enough."""
    if not isinstance(array, torch.Tensor) or array.dtype != dtype or array.ndim != 1:
        expected = getattr(dtype, "__name__", dtype)
        raise ValueError(f"{name} must be a 1-D torch.Tensor of {expected}")
    if len(array) < at_least:
        raise ValueError(f"{name} must have at least {at_least} elements, not {len(array)}")


def _check_contiguous(name, array):
    """Raise ValueError unless the elements of the array lie side by side in memory."""
    if not array.is_contiguous():
        raise ValueError(f"{name} must be contiguous")


def _span(array):
    """The lowest address of the elements, and the one behind the highest."""
    if 0 in array.shape:
        return 0, 0
    return (array.data_ptr(), array[(-1,) * array.ndim].data_ptr() + array.element_size())


def _check_same_or_disjoint(name, array, other_name, other):
    """Raise ValueError unless the arrays have the same elements or are disjoint in memory."""
    (start, stop), (other_start, other_stop) = _span(array), _span(other)
    same = array.data_ptr() == other.data_ptr() and array.stride() == other.stride()
    if not same and start < other_stop and other_start < stop:
        raise ValueError(f"{name} and {other_name} must be the same array or not overlap")


# Kernels for GPUs. What ran them so far is Triton's interpreter, on the CPU: no GPU did. What they take there was neither
# modelled nor measured.


def _apart(array, *written):
    """The array, or a copy where it is one that kernels write."""
    return array.clone() if any(array.data_ptr() == other.data_ptr() for other in written) else array


@triton.jit
def _rmsnorm_kernel(
    size: tl.int64,
    x_before_ptr,
    size_value: tl.int32,
    weight_ptr,
    o_ptr,
    BLOCK: tl.constexpr,
):
    total = tl.full([], 0.0, tl.float32)
    for start in range(0, size, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_before_ptr + i, mask=i < size, other=0.0)
        total = total + tl.sum(tl.where(i < size, x * x, 0.0), axis=0)
    ss_1 = total
    inverse = 1.0 / size_value.to(tl.float32)
    ss_2 = 1.0 / tl.sqrt(ss_1 * inverse + 1e-05)
    for start_1 in range(0, size, BLOCK):
        j = start_1 + tl.arange(0, BLOCK)
        weight = tl.load(weight_ptr + j, mask=j < size, other=0.0)
        x_1 = tl.load(x_before_ptr + j, mask=j < size, other=0.0)
        tl.store(o_ptr + j, x_1 * ss_2 * weight, mask=j < size)


def rmsnorm(
    o: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, size: int, BLOCK=1024
) -> torch.Tensor:
    """What `rmsnorm(float *o, float *x, float *weight, int size)` computes.

    Args:
        o: 1-D, torch.float32, at least size elements, written in place
        x: 1-D, torch.float32, at least size elements
        weight: 1-D, torch.float32, at least size elements
        size: int

    Assumes: the source runs without undefined behaviour; floats stay finite and compute like
        real numbers in source and generated code; reductions may be reordered.

    From rmsnorm.c:3: PROVED.
    """
    if size < 0:
        raise ValueError("size >= 0 is required")
    _check("o", o, torch.float32, size)
    _check("x", x, torch.float32, size)
    _check("weight", weight, torch.float32, size)
    _check_contiguous("o", o)
    _check_contiguous("x", x)
    _check_contiguous("weight", weight)
    _check_same_or_disjoint("o", o[:size], "x", x[:size])
    _check_same_or_disjoint("o", o[:size], "weight", weight[:size])
    x_before = _apart(x, o)
    _rmsnorm_kernel[(1,)](size, x_before, size, weight, o, BLOCK=BLOCK)
    return o
