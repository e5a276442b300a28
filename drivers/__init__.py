"""The drivers that come with the project; each file or folder is one target language.

`TARGETS` says which targets each has, so that a lift imports those that it may need and no others.
"""

TARGETS: dict[str, tuple[str, ...]] = {
    "conv1d": ("conv1d",),
    "cuda": ("cuda",),
    "fma": ("python", "numpy", "pytorch"),
    "gaudi": ("gaudi",),
    "gemmini": ("gemmini", "gemmini_isa"),
    "lists": ("python",),
    "packet": ("switch",),
    "spark": ("rdd", "dataframe"),
    "systolic": ("systolic",),
    "taco": ("tensora", "taco-cpp"),
    "tensor": ("numpy", "pytorch", "jax", "tensorflow", "mlx"),
    "trainium": ("nki",),
    "triton": ("triton",),
}
