"""The libraries: how each spells arrays, their views and their element types."""

from __future__ import annotations

from metalift.driver import Engine, Layout, Target
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, MachineInt, ScalarType

from . import preambles

_NAMES: dict[ScalarType, str] = {
    **{MachineInt(bits, True): f"int{bits}" for bits in (8, 16, 32, 64)},
    **{MachineInt(bits, False): f"uint{bits}" for bits in (8, 16, 32, 64)},
    FLOAT: "float32",
    DOUBLE: "float64",
    INT: "int64",  # integers without bound are held in 64 bits; that they fit is shown or assumed
}
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

NUMPY = Target(
    "numpy",
    imports={"np": "import numpy as np", "math": "import math"},
    dtypes={BOOL: "np.bool_", **{type_: f"np.{name}" for type_, name in _NAMES.items()}},
    layout=Layout(
        array_type="np.ndarray",
        array="np.array({value}, dtype={dtype})",
        reshape="{x}.reshape(*{shape})",
        permute="{x}.transpose(*{axes})",
        flip="np.flip({x}, {axis})",
        expand="np.broadcast_to({x}, {shape})",
        strided="np.lib.stride_tricks.as_strided({x}[{offset}:], {shape}, np.multiply({strides}, {x}.itemsize))",
        clone="{x}.copy()",
        full="np.full({shape}, {value}, dtype={dtype})",
        arange="np.arange({value})",
        narrow="np.float32({a})",
        scalar="{dtype}({value})",
        cast="{x}.astype({dtype})",
        contiguous="{x}.flags.c_contiguous",
        bounds="np.lib.array_utils.byte_bounds({x})",
        address="{x}.ctypes.data",
        strides="{x}.strides",
        step="{x}.itemsize",
    ),
    preamble=preambles.NUMPY,
    numbers=True,
    loops=True,
    engine=Engine(
        "f'numpy {np.__version__}'",
        "np.seterr(all='ignore')",
        ONE_THREAD,
        no_memory=("MemoryError", "array is too big", "iterator is too large", "Maximum allowed dimension exceeded"),
        optional=("scipy",),
    ),
)
PYTORCH = Target(
    "pytorch",
    imports={"torch": "import torch", "F": "import torch.nn.functional as F", "math": "import math"},
    dtypes={BOOL: "torch.bool", **{type_: f"torch.{name}" for type_, name in _NAMES.items()}},
    layout=Layout(
        array_type="torch.Tensor",
        array="torch.tensor({value}, dtype={dtype})",
        reshape="{x}.view(*{shape})",
        permute="{x}.permute(*{axes})",
        flip="torch.flip({x}, ({axis},))",
        expand="{x}.expand(*{shape})",
        strided="torch.as_strided({x}[{offset}:], {shape}, {strides})",
        clone="{x}.clone()",
        full="torch.full({shape}, {value}, dtype={dtype}, device={x}.device)",
        arange="torch.arange({value}, device={x}.device)",
        scalar="torch.tensor({value}, dtype={dtype})",
        cast="{x}.to({dtype})",
        contiguous="{x}.is_contiguous()",
        bounds="({x}.data_ptr(), {x}[(-1,) * {x}.ndim].data_ptr() + {x}.element_size())",
        address="{x}.data_ptr()",
        strides="{x}.stride()",
        tracing="torch.compiler.is_compiling()",
    ),  # no narrow numbers: a compiler takes those of NumPy for tensors
    stored=frozenset(MachineInt(bits, False) for bits in (16, 32, 64)),
    loops=True,
    engine=Engine(
        "f'torch {torch.__version__}'",
        "torch.set_num_threads(1)",
        ONE_THREAD,
        memory=16 << 30,
        no_memory=("can't allocate memory", "calculation overflowed", "multiplication overflow"),
        compiled="torch.compile({f}, dynamic=False)",
    ),
)

JAX = Target(
    "jax",
    imports={"np": "import numpy as np", "jax": "import jax", "jnp": "import jax.numpy as jnp", "math": "import math"},
    dtypes={BOOL: "jnp.bool_", **{type_: f"jnp.{name}" for type_, name in _NAMES.items()}},
    layout=Layout(
        array_type="jax.Array",
        array="jnp.asarray({value}, dtype={dtype})",
        reshape="{x}.reshape({shape})",
        permute="{x}.transpose({axes})",
        flip="jnp.flip({x}, {axis})",
        expand="jnp.broadcast_to({x}, {shape})",
        strided="",
        clone="{x}",
        full="jnp.full({shape}, {value}, dtype={dtype})",
        arange="jnp.arange({value})",
        narrow="np.float32({a})",
        scalar="{dtype}({value})",
        cast="{x}.astype({dtype})",
        update="{x}.at[{index}].set({value})",
        shared=False,
        wide="jax.config.jax_enable_x64",
    ),
    preamble=preambles.JAX,
    numbers=True,
    loops=True,
    engine=Engine(
        "f'jax {jax.__version__}'",
        "jax.config.update('jax_enable_x64', True)",
        {**ONE_THREAD, "JAX_PLATFORMS": "cpu"},
        memory=64 << 30,
        seconds=60,
        shapes=6,
        no_memory=("RESOURCE_EXHAUSTED",),
        flushes=True,
        compiled="jax.jit({f}, static_argnames={numbers})",
        wait="jax.block_until_ready({x})",
    ),
)
TENSORFLOW = Target(  # few of its functions take integers of less than 32 bits, or without a sign
    "tensorflow",
    imports={"tf": "import tensorflow as tf", "math": "import math"},
    dtypes={BOOL: "tf.bool", **{type_: f"tf.{name}" for type_, name in _NAMES.items()}},
    layout=Layout(
        array_type="tf.Tensor",
        array="tf.constant({value}, dtype={dtype})",
        reshape="tf.reshape({x}, {shape})",
        permute="tf.transpose({x}, {axes})",
        flip="tf.reverse({x}, [{axis}])",
        expand="tf.broadcast_to({x}, {shape})",
        strided="",
        clone="{x}",
        full="tf.fill({shape}, tf.constant({value}, dtype={dtype}))",
        arange="tf.range({value}, dtype=tf.int64)",
        scalar="tf.constant({value}, dtype={dtype})",
        cast="tf.cast({x}, {dtype})",
        transpose="tf.transpose({x})",
        flatten="tf.reshape({x}, [-1])",
        gather="tf.gather_nd({x}, tf.stack({index}, axis=-1))",
        update="tf.tensor_scatter_nd_update({x}, tf.stack({index}, axis=-1), {value})",
        update_front="tf.concat([{value}, {x}[{size}:]], 0)",
        by_tensors=True,
        plain="{x}.numpy().tolist()",
        shared=False,
    ),
    numbers=True,
    stored=frozenset([*(MachineInt(bits, False) for bits in (8, 16, 32, 64)), MachineInt(8, True), MachineInt(16, True)]),
    engine=Engine(
        "f'tensorflow {tf.__version__}'",
        environment={**ONE_THREAD, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"},
        memory=64 << 30,
        flushes=True,
    ),
)
MLX = Target(
    "mlx",
    imports={"np": "import numpy as np", "mx": "import mlx.core as mx", "nn": "import mlx.nn as nn", "math": "import math"},
    dtypes={BOOL: "mx.bool_", **{type_: f"mx.{name}" for type_, name in _NAMES.items()}},
    layout=Layout(
        array_type="mx.array",
        array="mx.array({value}, dtype={dtype})",
        reshape="{x}.reshape({shape})",
        permute="{x}.transpose({axes})",
        flip="",
        expand="mx.broadcast_to({x}, {shape})",
        strided="",
        clone="mx.array({x})",
        full="mx.full({shape}, {value}, dtype={dtype})",
        arange="mx.arange({value})",
        narrow="np.float32({a})",
        scalar="mx.array({value}, dtype={dtype})",
        cast="{x}.astype({dtype})",
        scatters_into_none=False,
        shared=False,
    ),
    numbers=True,
    engine=Engine("f'mlx {mx.__version__}'", environment=ONE_THREAD, memory=16 << 30, flushes=True, wait="mx.eval({x})"),
)

TARGETS = (NUMPY, PYTORCH, JAX, TENSORFLOW, MLX)
