"""Functions of PyTorch that are read one by one: their arguments mean several things, or NumPy has none like them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from metalift.frontend.lower.c_scalars import cast, choose
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.heads import is_literal, is_none
from metalift.frontend.python.reader.arrays.arguments import Call
from metalift.frontend.python.reader.arrays.core import elsewhere
from metalift.frontend.python.reader.arrays.joining import shared
from metalift.frontend.python.reader.arrays.picking import around
from metalift.frontend.python.reader.context import ZERO
from metalift.frontend.python.reader.loops import ONE, minus
from metalift.frontend.python.reader.tensors import names
from metalift.frontend.python.stands_for import Items, NoneValue, Section, Value, View, Whole
from metalift.ir.expr.nodes import FALSE, Const, Expr
from metalift.ir.expr.types import DOUBLE, INT, RealType, ScalarType, is_integer, kind_of

if TYPE_CHECKING:
    from metalift.frontend.python.reader.tensors.tensors import Tensors


@dataclass(frozen=True, slots=True)
class Given:
    """A call: the tensor that it is of, and the other arguments as they stand."""

    node: ast.Call
    name: str
    owner: Value
    args: list[ast.expr]
    keywords: dict[str, ast.expr]

    def arguments(self, tensors: Tensors, *known: str, least: int = 0) -> dict[str, ast.expr]:
        """The arguments by name."""
        given = dict(zip(known, self.args, strict=False))
        wrong = [key for key in self.keywords if key not in known or key in given]
        if len(self.args) > len(known) or wrong or len(given) + len(self.keywords) < least:
            tensors.context.refuse(self.node, f"the arguments of {self.name}; supported are {', '.join(known) or 'none'}")
        return {**given, **self.keywords}


def _extreme(tensors: Tensors, call: Given) -> Value:
    """max and min: of all elements, along an axis with the places, or of two tensors element by element."""
    own = call.name
    if "other" in call.keywords or (call.args and not is_literal(call.args[0])):
        given = call.arguments(tensors, "other", least=1)
        both = tensors.expressions.value(given["other"])
        if not isinstance(both, View | Section | Whole):
            tensors.context.refuse(call.node, f"{own} of a tensor and a number, which PyTorch has not; use clamp")
        return tensors.code.elementwise.binary(f"{own}imum", call.owner, both, call.node)
    given = call.arguments(tensors, "dim", "keepdim")
    name = f"a{own}"
    if "dim" not in given:
        return tensors.called(call.node, name, call.owner, [], given)
    values = tensors.called(call.node, name, call.owner, [], given)
    only = {"dim": given["dim"]}
    places = tensors.called(call.node, f"arg{own}", call.owner, [], only)
    keep = given.get("keepdim")
    if keep is not None and isinstance(keep, ast.Constant) and keep.value is True:
        rank = tensors.code.joining.rank(call.owner)
        axis = Call(tensors.code.arrays, call.node, own, {"axis": given["dim"]}, {}).axis(rank, None)
        places = tensors.code.joining.with_axis(places, axis or 0, call.node)
    return Items((values, places))


def _where(tensors: Tensors, call: Given) -> Value:
    function = isinstance(call.node.func, ast.Attribute) and tensors.context.library_name(call.node.func) != ""
    known = ("input", "other") if function else ("condition", "other")
    given = call.arguments(tensors, *known, least=2)
    read = dict(zip(given, tensors.expressions.operands(list(given.values())), strict=True))
    cond, then = (call.owner, read["input"]) if function else (read["condition"], call.owner)
    return tensors.number(tensors.code.elementwise.where(cond, then, read["other"], call.node))


def _filled(tensors: Tensors, call: Given) -> Value:
    """masked_fill: the value where the mask holds, in the tensor's dtype."""
    given = call.arguments(tensors, "mask", "value", least=2)
    mask, value = tensors.expressions.operands([given["mask"], given["value"]])
    own, found = tensors.dtype(call.owner, call.node), tensors.dtype(value, call.node)
    if kind_of(found) > kind_of(own):
        tensors.context.refuse(call.node, "a value of another kind of number than the tensor's")
    made = tensors.code.elementwise.where(mask, value, call.owner, call.node)
    made = tensors.code.elementwise.astype(made, own, call.node)
    if call.name == "masked_fill":
        return made
    return tensors.changed(call.node, _place(tensors, call), made)


def _place(tensors: Tensors, call: Given) -> View | Section:
    if not isinstance(call.owner, View | Section):
        tensors.context.refuse(call.node, "a method that changes a tensor that is made here, or a number")
    return call.owner


def _stored(tensors: Tensors, call: Given) -> Value:
    """copy_, fill_ and zero_."""
    known = {"copy_": ("src",), "fill_": ("value",), "zero_": ()}[call.name]
    given = call.arguments(tensors, *known, least=len(known))
    owner = _place(tensors, call)
    value: Value = tensors.expressions.value(given[known[0]]) if known else ZERO
    section = tensors.code.arrays.as_section(owner, call.node)
    tensors.code.arrays.check_apart(section, value, call.node)
    tensors.code.arrays.store(section, value, call.node)
    return owner


def _transposed(tensors: Tensors, call: Given) -> Value:
    rank = tensors.code.joining.rank(call.owner)
    owner = call.owner if isinstance(call.owner, View | Section | Whole) else None
    if owner is None or (call.name == "t" and (rank != 2 or call.args or call.keywords)):
        tensors.context.refuse(call.node, f"{call.name} of a tensor of {rank} axes")
    order = list(range(rank))
    one, other = 0, 1
    if call.name == "transpose":
        given = call.arguments(tensors, "dim0", "dim1", least=2)
        calls = (Call(tensors.code.arrays, call.node, "transpose", {"axis": each}, {}) for each in given.values())
        one, other = (each.axis(rank, None) or 0 for each in calls)
    order[one], order[other] = order[other], order[one]
    return tensors.code.joining.transposed(owner, order, call.node)


def _expanded(tensors: Tensors, call: Given) -> Value:
    """expand: axes of length 1 as often as is said; the elements are shared."""
    whole = tensors.code.arrays.whole(call.owner, call.node)
    if call.name == "expand_as":
        like = tensors.expressions.value(call.arguments(tensors, "other", least=1)["other"])
        shape = list(tensors.code.arrays.whole(like, call.node).extents)
    else:
        shape = _lengths(tensors, call)
    if len(shape) < whole.rank:
        tensors.context.refuse(call.node, f"{len(shape)} lengths for {whole.rank} axes")
    start = len(shape) - whole.rank
    lengths = [
        whole.extents[at - start] if at >= start and length == Const(-1, INT) else length for at, length in enumerate(shape)
    ]
    for own, length in zip(whole.extents, lengths[start:], strict=True):
        if own != ONE:
            tensors.code.arrays.require_same(own, length, call.node)
    extents = tuple(
        scalars.clamped(tensors.context.frozen(each), tensors.context.is_natural(each)) if each not in whole.extents else each
        for each in lengths
    )
    at = tensors.code.arrays.spread(whole, extents)
    return Whole(extents, whole.element, at, elsewhere(whole.reads), shares=shared(call.owner))


def _lengths(tensors: Tensors, call: Given) -> list[Expr]:
    """Lengths that are given one by one, or as one tuple."""
    if call.keywords or not call.args:
        tensors.context.refuse(call.node, f"{call.name} of a tensor whose lengths are not given by position")
    values = tensors.expressions.operands(call.args)
    items = [item for value in values for item in (value.items if isinstance(value, Items) else (value,))]
    return [tensors.expressions.as_integer(tensors.expressions.as_scalar(item, call.node), call.node) for item in items]


def _like_shape(tensors: Tensors, call: Given) -> Value:
    like = tensors.expressions.value(call.arguments(tensors, "other", least=1)["other"])
    shape = tensors.code.arrays.whole(like, call.node).extents
    return tensors.code.joining.reshaped(call.owner, shape, call.node)


def _repeated(tensors: Tensors, call: Given) -> Value:
    """repeat: a vector so many times, as NumPy's tile."""
    (times, *more) = _lengths(tensors, call)
    if more:
        tensors.context.refuse(call.node, "repeat of several axes; use expand")
    return tensors.code.joining.repeated(call.owner, times, call.node, each=False)


def _size(tensors: Tensors, call: Given) -> Value:
    if not isinstance(call.owner, View | Section | Whole):
        tensors.context.refuse(call.node, f"{call.name} of a tensor without axes")
    extents = [extent for extent in tensors.code.arrays.whole(call.owner, call.node).extents]
    if call.name == "numel":
        call.arguments(tensors)
        return tensors.code.arrays.size(extents)
    if call.name == "dim":
        call.arguments(tensors)
        return Const(len(extents), INT)
    given = call.arguments(tensors, "dim")
    if "dim" not in given:
        return Items(tuple(extents))
    axis = Call(tensors.code.arrays, call.node, "size", {"axis": given["dim"]}, {}).axis(len(extents), None)
    return extents[axis or 0]


def _item(tensors: Tensors, call: Given) -> Value:
    """The number of Python."""
    call.arguments(tensors)
    whole = tensors.code.arrays.whole(call.owner, call.node)
    if whole.rank:
        tensors.context.refuse(call.node, "item() of a tensor with axes; index it")
    number = whole.at(())
    wide: ScalarType = DOUBLE if isinstance(whole.element, RealType) else INT if is_integer(whole.element) else whole.element
    return tensors.context.named(scalars.convert(number, wide), "t")


def _to(tensors: Tensors, call: Given) -> Value:
    """to, type: another dtype, or another device, which changes nothing."""
    keywords = {key: value for key, value in call.keywords.items() if key not in ("device", "non_blocking")}
    nodes = [*call.args, *([keywords.pop("dtype")] if "dtype" in keywords else [])]
    if len(nodes) != 1 or keywords:
        tensors.context.refuse(call.node, f"{ast.unparse(call.node)}; supported is a dtype")
    if call.name == "type_as":
        dtype = tensors.dtype(tensors.expressions.value(nodes[0]), call.node)
    else:
        found = Call(tensors.code.arrays, call.node, call.name, {}, {}).dtype(nodes[0])
        assert found is not None
        dtype = found
    return tensors.converted(call.owner, dtype, call.node)


def _triangle(tensors: Tensors, call: Given) -> Value:
    """triu, tril: 0 on the other side of a diagonal."""
    given = call.arguments(tensors, "diagonal")
    offset = tensors.expressions.integer(given["diagonal"]) if given else ZERO
    whole = tensors.code.arrays.whole(call.owner, call.node)
    if whole.rank != 2:
        tensors.context.refuse(call.node, f"{call.name} of a tensor of {whole.rank} axes")
    relation = "ge" if call.name == "triu" else "le"
    zero = cast(FALSE, whole.element)

    def at(indices: tuple[Expr, ...]) -> Expr:
        inside = scalars.compare(relation, minus(indices[1], indices[0]), offset)
        return choose(inside, whole.at(indices), zero)

    return Whole(whole.extents, whole.element, at, whole.reads)


def _normed(tensors: Tensors, call: Given) -> Value:
    """layer_norm and rms_norm along the last axis."""
    known = ("normalized_shape", "weight", "bias", "eps") if call.name == "layer_norm" else ("normalized_shape", "weight", "eps")
    given = call.arguments(tensors, *known, least=1)
    read = dict(zip(given, tensors.expressions.operands(list(given.values())), strict=True))
    shape = read.pop("normalized_shape")
    lengths = shape.items if isinstance(shape, Items) else (shape,)
    whole = tensors.code.arrays.whole(call.owner, call.node)
    if len(lengths) != 1 or not whole.rank or not isinstance(whole.element, RealType):
        tensors.context.refuse(call.node, f"{call.name} of several axes, or of integers")
    if call.name == "rms_norm" and isinstance(read.get("eps", NoneValue()), NoneValue):
        tensors.context.refuse(call.node, "rms_norm without eps, which then is that of the dtype; name it")
    only = tensors.expressions.as_integer(tensors.expressions.as_scalar(lengths[0], call.node), call.node)
    tensors.code.arrays.require_same(whole.extents[-1], only, call.node)
    for each in ("weight", "bias"):
        if isinstance(value := read.get(each), View | Section | Whole):
            extents = tensors.code.arrays.whole(value, call.node).extents
            if len(extents) != 1:
                tensors.context.refuse(call.node, f"{each} of {len(extents)} axes")
            tensors.code.arrays.require_same(extents[0], only, call.node)
    return tensors.from_prelude(call.node, names.prelude()[call.name], {"input": call.owner, **read})


def _batch_normed(tensors: Tensors, call: Given) -> Value:
    """batch_norm by means and variances that are given, one for each place along axis 1."""
    known = ("running_mean", "running_var", "weight", "bias", "training", "momentum", "eps")
    if tensors.context.library_name(call.node.func) != "torch.nn.functional.batch_norm":
        tensors.context.refuse(call.node, "the call of torch.batch_norm; use torch.nn.functional.batch_norm")
    given = call.arguments(tensors, *known, least=2)
    training = given.pop("training", ast.Constant(False))
    given.pop("momentum", None)
    if not isinstance(training, ast.Constant) or training.value is not False:
        tensors.context.refuse(call.node, "batch_norm with the argument training=True, which changes the running statistics")
    read = dict(zip(given, tensors.expressions.operands(list(given.values())), strict=True))
    whole = tensors.code.arrays.whole(call.owner, call.node)
    if whole.rank < 2 or not isinstance(whole.element, RealType):
        tensors.context.refuse(call.node, "batch_norm of less than two axes, or of integers")
    for each in ("running_mean", "running_var", "weight", "bias"):
        value = read.get(each, NoneValue())
        if not isinstance(value, View | Section | Whole):
            if each.startswith("running"):
                tensors.context.refuse(call.node, f"batch_norm without its argument {each}")
            continue
        extents = tensors.code.arrays.whole(value, call.node).extents
        if len(extents) != 1:
            tensors.context.refuse(call.node, f"{each} of {len(extents)} axes")
        tensors.code.arrays.require_same(whole.extents[1], extents[0], call.node)
        for _ in range(whole.rank - 2):
            value = tensors.code.joining.with_axis(value, tensors.code.joining.rank(value), call.node)
        read[each] = value
    return tensors.from_prelude(call.node, names.prelude()[call.name], {"input": call.owner, **read})


def _attention(tensors: Tensors, call: Given) -> Value:
    """scaled_dot_product_attention without a mask: scaled by 1 over the root of the length of a query unless a scale is given."""
    given = call.arguments(tensors, "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", least=2)
    if len(call.args) > 5:
        tensors.context.refuse(call.node, "attention whose scale is given by its place")
    for name in ("attn_mask", "dropout_p", "is_causal"):
        value = given.pop(name, ast.Constant(None))
        if not isinstance(value, ast.Constant) or value.value:
            tensors.context.refuse(call.node, f"the argument {name} of attention; write softmax(q @ k.mT * scale, -1) @ v")
    *_, length = tensors.code.arrays.whole(call.owner, call.node).extents
    tensors.context.restrict(scalars.compare("le", ONE, length), "a query has elements", call.node)
    scaled = "scale" in given and not is_none(given["scale"])
    if not scaled:
        given.pop("scale", None)
    read = dict(zip(given, tensors.expressions.operands(list(given.values())), strict=True))
    keys = tensors.code.arrays.whole(read["key"], call.node).extents
    tensors.context.restrict(scalars.compare("le", ONE, keys[-2] if len(keys) > 1 else ZERO), "there are keys", call.node)
    if not scaled:
        root = tensors.code.elementwise.unary("sqrt", scalars.convert(length, DOUBLE), call.node)
        by = tensors.code.elementwise.binary("true_divide", Const(Fraction(1), DOUBLE), root, call.node)
        read["scale"] = tensors.number(by)
    return tensors.from_prelude(call.node, names.prelude()[call.name], {"query": call.owner, **read})


def _padded(tensors: Tensors, call: Given) -> Value:
    """F.pad with a number: pairs of how many come before and after, of the last axis first."""
    given = call.arguments(tensors, "pad", "mode", "value", least=1)
    mode = given.get("mode", ast.Constant("constant"))
    if not isinstance(mode, ast.Constant) or mode.value != "constant":
        tensors.context.refuse(call.node, 'pad in another mode than "constant"')
    whole = tensors.code.arrays.whole(call.owner, call.node)
    counts = Call(tensors.code.arrays, call.node, "pad", {}, {}).shape(given["pad"])
    counts = [tensors.context.frozen(each) for each in counts]
    if len(counts) % 2 or len(counts) > 2 * whole.rank:
        tensors.context.refuse(call.node, f"pad with {len(counts)} numbers of a tensor of {whole.rank} axes")
    for each in counts:
        if not tensors.context.is_natural(each):
            tensors.context.restrict(scalars.compare("le", ZERO, each), "no number of elements of a pad is negative", call.node)
    value = tensors.expressions.scalar(given["value"]) if "value" in given else ZERO
    pairs = list(zip(counts[::2], counts[1::2], strict=True))
    widths = [(ZERO, ZERO)] * (whole.rank - len(pairs)) + pairs[::-1]
    return around(whole, widths, tensors.code.arrays.converted(value, whole.element))


OWN: dict[str, Callable[[Tensors, Given], Value]] = {
    **dict.fromkeys(("max", "min"), _extreme),
    "where": _where,
    **dict.fromkeys(("masked_fill", "masked_fill_"), _filled),
    **dict.fromkeys(("copy_", "fill_", "zero_"), _stored),
    **dict.fromkeys(("transpose", "t"), _transposed),
    **dict.fromkeys(("expand", "expand_as"), _expanded),
    **dict.fromkeys(("view_as", "reshape_as"), _like_shape),
    "repeat": _repeated,
    **dict.fromkeys(("size", "numel", "dim"), _size),
    "item": _item,
    **dict.fromkeys(("to", "type", "type_as"), _to),
    **dict.fromkeys(("triu", "tril"), _triangle),
    **dict.fromkeys(("layer_norm", "rms_norm"), _normed),
    "batch_norm": _batch_normed,
    "pad": _padded,
    "scaled_dot_product_attention": _attention,
}
