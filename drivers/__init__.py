"""The drivers that come with the project; each file or folder is one target language.

`TARGETS` says which targets each has, so that a lift imports those that it may need and no others. Of those in `SPELLED` a module
`spelled` makes and writes programs: without it a driver is what its operators mean, and that is all that a check loads.
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
EXAMPLES = frozenset({"conv1d", "fma", "lists", "systolic"})  # small ones, to read and to begin from
SPELLED = frozenset({"cuda", "gaudi", "gemmini", "packet", "taco", "trainium", "triton"})
