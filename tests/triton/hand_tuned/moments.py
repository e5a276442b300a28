import torch
import triton
import triton.language as tl


def _apart(array, *written):
    """The array, or a copy where it is one that kernels write."""
    return array.clone() if any(array.data_ptr() == other.data_ptr() for other in written) else array


@triton.jit
def kernel(n: tl.int64, x_ptr, n_value: tl.int32, o_ptr, BLOCK: tl.constexpr):
    total = tl.full([], 0.0, tl.float32)
    squares = tl.full([], 0.0, tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i, mask=i < n, other=0.0)
        total = total + tl.sum(tl.where(i < n, x, 0.0), axis=0)
        squares = squares + tl.sum(tl.where(i < n, x * x, 0.0), axis=0)
    inverse = 1.0 / n_value.to(tl.float32)
    mean = total * inverse
    root = tl.rsqrt(squares * inverse - mean * mean + 1e-05)
    for start in range(0, n, BLOCK):
        j = start + tl.arange(0, BLOCK)
        y = tl.load(x_ptr + j, mask=j < n, other=0.0)
        tl.store(o_ptr + j, (y - mean) * root, mask=j < n)


def norm(o: torch.Tensor, x: torch.Tensor, n: int, BLOCK=1024):
    if n < 1:
        raise ValueError("nothing to do")
    before = _apart(x, o)
    kernel[(1,)](n, before, n, o, BLOCK=BLOCK)
    return o
