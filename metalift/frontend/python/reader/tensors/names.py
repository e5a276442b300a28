"""PyTorch's names: of what NumPy's reader knows by others, of the arguments of functions, and of functions on elements."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PREFIXES = ("torch.nn.functional.", "torch.linalg.", "torch.special.", "torch.")
ELEMENTWISE = {
    **dict.fromkeys(("add",), "add"),
    **dict.fromkeys(("sub", "subtract"), "subtract"),
    **dict.fromkeys(("mul", "multiply"), "multiply"),
    **dict.fromkeys(("div", "divide", "true_divide"), "true_divide"),
    "pow": "power",
    "neg": "negative",
    "sgn": "sign",
    "eq": "equal",
    "ne": "not_equal",
    "not_equal": "not_equal",
    "lt": "less",
    "less": "less",
    "le": "less_equal",
    "less_equal": "less_equal",
    "gt": "greater",
    "greater": "greater",
    "ge": "greater_equal",
    "greater_equal": "greater_equal",
    "atan2": "arctan2",
    **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{
        name: name
        for name in (
            "floor_divide remainder fmod maximum minimum fmax fmin hypot logical_and logical_or logical_xor logical_not "
            "bitwise_and bitwise_or bitwise_xor bitwise_not abs absolute negative square sign reciprocal sqrt exp exp2 expm1 log "
            "log2 log10 log1p sin cos tan sinh cosh tanh floor ceil round trunc fix erf erfc "
            "isnan isinf isfinite"
        ).split()
    },
}
# by PyTorch's name: the reader's function, and PyTorch's arguments in order, each with the reader's name where it has another
_SIGNATURES = {
    **{name: f"{name} input:a dim:axis keepdim:keepdims dtype out" for name in ("sum", "mean")},
    "prod": "prod input:a dim:axis keepdim:keepdims dtype",
    **{name: f"{name} input:a dim:axis keepdim:keepdims out" for name in ("amax", "amin")},
    **{name: f"{name} input:a dim:axis keepdim:keepdims" for name in ("any", "all")},
    **{name: f"{name} input:a dim:axis keepdim:keepdims" for name in ("argmax", "argmin")},
    **{name: f"{name} input:a dim:axis keepdim:keepdims ddof" for name in ("var", "std")},
    "count_nonzero": "count_nonzero input:a dim:axis",
    **{name: f"{name} input:a dim:axis dtype out" for name in ("cumsum", "cumprod")},
    "dot": "vdot input:a tensor:b",
    "inner": "inner input:a other:b",
    "matmul": "matmul input:a other:b out",
    "mm": "matmul input:a mat2:b out",
    "mv": "matmul input:a vec:b out",
    "bmm": "bmm input:a mat2:b",
    "outer": "outer input:a vec2:b",
    "ger": "outer input:a vec2:b",
    "trace": "trace input:a",
    "clamp": "clip input:a min:a_min max:a_max out",
    "clip": "clip input:a min:a_min max:a_max out",
    "clamp_min": "clip input:a min:a_min",
    "clamp_max": "clip input:a max:a_max",
    "permute": "transpose input:a dims:axes",
    "reshape": "reshape input:a shape:newshape",
    "view": "reshape input:a shape:newshape",
    "ravel": "ravel input:a",
    "flatten": "ravel input:a",
    "squeeze": "squeeze input:a dim:axis",
    "unsqueeze": "expand_dims input:a dim:axis",
    "flip": "flip input:a dims:axis",
    "roll": "roll input:a shifts:shift",
    **dict.fromkeys(("cat", "concat", "concatenate"), "concatenate tensors:arrays dim:axis"),
    "stack": "stack tensors:arrays dim:axis",
    "diagonal": "diagonal input:a",
    "diag": "diag input:a",
    "diff": "diff input:a n",
    "tile": "tile input:a dims:reps",
    "repeat_interleave": "repeat input:a repeats",
    "trapezoid": "trapezoid y:a x",
    "linspace": "linspace start end:stop steps:num",
    "eye": "eye n:N m:M dtype",
    "clone": "copy input:a",
    "bincount": "bincount input:a minlength",
    "take": "take input:a index:indices",
    "index_select": "take input:a dim:axis index:indices",
    "gather": "gather input:a dim:axis index:indices",
    "take_along_dim": "take_along_axis input:a indices dim:axis",
    "unfold": "unfold input:a dimension:axis size step",
    "as_strided": "as_strided input:x size:shape stride:strides",
    **{name: f"{name} input:a kernel_size stride padding" for name in ("max_pool1d", "max_pool2d", "avg_pool1d", "avg_pool2d")},
    **{name: f"{name} input:a weight bias stride padding dilation groups" for name in ("conv1d", "conv2d")},
    "norm": "linalg.norm input:a p:ord dim:axis keepdim:keepdims",
    "vector_norm": "linalg.norm x:a ord:ord dim:axis keepdim:keepdims",
}
FLOATS_ONLY = frozenset({"mean", "var", "std", "norm", "vector_norm"})
DIMENSIONS = frozenset("reshape view permute tile repeat expand".split())  # given one by one, or as one tuple
CONVERSIONS = {
    "float": "float32",
    "double": "float64",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
}
SAME = frozenset({"detach", "contiguous", "cpu"})  # which give a tensor itself where it lies in order
NEW = frozenset("sum mean prod amax amin var std norm dot clone item zeros ones full tensor softmax".split())  # never a view
CLASSES = frozenset({"nll_loss", "cross_entropy"})
LOSSES = CLASSES | frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy_with_logits kl_div soft_margin_loss "
    "margin_ranking_loss hinge_embedding_loss".split()
)
METHODS = frozenset({"unfold"})  # of tensors, where the function of this name is another one
MAKERS = frozenset("zeros ones empty full zeros_like ones_like empty_like full_like tensor as_tensor".split())
OWN = frozenset(
    "max min where masked_fill einsum arange transpose t expand expand_as size numel dim item to type type_as view_as reshape_as "
    "triu tril copy_ fill_ zero_ masked_fill_ repeat layer_norm rms_norm batch_norm pad scaled_dot_product_attention".split()
)  # which are read by a function each


def signature(name: str) -> tuple[str, dict[str, str]] | None:
    """The reader's function, and the reader's names of PyTorch's arguments, in order; None where it has none."""
    if name not in _SIGNATURES:
        return None
    function, *arguments = _SIGNATURES[name].split()
    return function, {each.partition(":")[0]: each.rpartition(":")[2] for each in arguments}


@cache
def prelude() -> dict[str, ast.FunctionDef]:
    """Functions in terms of others."""
    tree = ast.parse(Path(__file__).with_name("prelude.py").read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def short(full: str) -> str:
    """The name of a function of PyTorch within its module: torch.nn.functional.relu is relu; empty of what is none of it."""
    prefix = next((each for each in PREFIXES if full.startswith(each)), None)
    name = full.removeprefix(prefix) if prefix is not None else ""
    return "" if "." in name else name


def is_known(name: str) -> bool:
    """Whether a function or method is read."""
    name = name.removesuffix("_") if name not in OWN else name
    return bool(
        name in ELEMENTWISE
        or name in _SIGNATURES
        or name in OWN
        or name in MAKERS
        or name in CONVERSIONS
        or name in SAME
        or name in prelude()
    )
