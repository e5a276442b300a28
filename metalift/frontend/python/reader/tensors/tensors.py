"""Calls of PyTorch's functions and methods of tensors, as calls of what reads NumPy's."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from metalift.frontend.python.annotations import numpy_type
from metalift.frontend.python.heads import defaults_of, is_none
from metalift.frontend.python.reader.arrays.arguments import Call
from metalift.frontend.python.reader.arrays.code import ArrayCode
from metalift.frontend.python.reader.arrays.core import elsewhere
from metalift.frontend.python.reader.arrays.dtypes import INT64, operands_of
from metalift.frontend.python.reader.arrays.joining import shared
from metalift.frontend.python.reader.arrays.picking import EVERY
from metalift.frontend.python.reader.context import Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.reader.loops import ONE
from metalift.frontend.python.reader.tensors import names
from metalift.frontend.python.reader.tensors.own import OWN, Given
from metalift.frontend.python.stands_for import Function, Items, Section, Value, View, Whole
from metalift.ir.expr.nodes import TRUE, Expr, type_of
from metalift.ir.expr.types import BOOL, MachineInt, RealType, ScalarType, is_integer
from metalift.ir.program.fragment import Assume, Ground, Unsupported

Nodes = Mapping[str, ast.expr]
UINT8 = MachineInt(8, False)


@dataclass(slots=True)
class Tensors:
    """Reads calls where arrays are tensors. `inline` reads a call of a function with the values of its arguments."""

    context: Context
    expressions: Expressions
    code: ArrayCode
    inline: Callable[[ast.Call, Function, dict[str, Value]], Value] = field(init=False)
    new_array: Callable[[ast.Call, str, str], Value] = field(init=False)

    # Calls

    def function(self, node: ast.Call, full: str) -> Value:
        """`torch.name(...)`."""
        name = names.short(full)
        if not names.is_known(name) or name in names.CONVERSIONS or name in names.SAME or name in names.METHODS:
            self.context.refuse(node, f"the call of {full}, which is not known here")
        if name in names.MAKERS:
            return self._made(node, name)
        if name == "arange":
            return self._arange(node)
        if name == "einsum":
            return self._einsum(node)
        first = next((each.value for each in node.keywords if each.arg in ("input", "self", "x", "x1", "y", "condition")), None)
        if name in ("cat", "concat", "concatenate", "stack", "linspace", "eye"):
            return self.called(node, name, None, list(node.args), _keywords(node))
        keywords = {key: value for key, value in _keywords(node).items() if value is not first}
        args = list(node.args)
        if not args and first is None:
            self.context.refuse(node, f"{full} without a tensor")
        owner = self._evaluated(args.pop(0) if args else first, [*args, *keywords.values()], node)
        return self._on(node, owner, name, args, keywords)

    def method(self, node: ast.Call, owner: Value, name: str) -> Value:
        """`x.name(...)`."""
        if not names.is_known(name) or name in names.MAKERS or name in ("einsum", "arange"):
            self.context.refuse(node, f"the method {name!r} of a tensor, which is not known here")
        self._check_late(owner, [*node.args, *_keywords(node).values()])
        return self._on(node, owner, name, list(node.args), _keywords(node))

    def _evaluated(self, given: ast.expr | None, later: Sequence[ast.expr], node: ast.AST) -> Value:
        assert given is not None
        value = self.expressions.value(given)
        self._check_late(value, later)
        return self.context.frozen(value) if isinstance(value, Expr) else value

    def _check_late(self, value: Value, later: Sequence[ast.expr]) -> None:
        """What an expression makes is computed late, so no later argument may change a tensor that it reads."""
        if any(map(self.expressions.changes, later)):
            self.context.refuse(later[0], "an argument that changes a tensor beside others; assign it to a name first")

    def _on(self, node: ast.Call, owner: Value, name: str, args: list[ast.expr], keywords: dict[str, ast.expr]) -> Value:
        """A function of a tensor and further arguments."""
        if name.endswith("_") and name not in names.OWN:
            return self._in_place(node, owner, name.removesuffix("_"), args, keywords)
        if name in names.OWN:
            return OWN[name](self, Given(node, name, owner, args, keywords))
        if name in names.SAME:
            return self._itself(owner, node)
        if name in names.CONVERSIONS:
            return self.converted(owner, self._dtype_named(names.CONVERSIONS[name]), node)
        if name in names.ELEMENTWISE:
            return self._elementwise(node, name, owner, args, keywords)
        if name in names.prelude():
            return self._composed(node, name, owner, args, keywords)
        return self.called(node, name, owner, args, keywords)

    # Functions that NumPy's reader has

    def called(
        self, node: ast.Call, name: str, owner: Value | None, args: list[ast.expr], keywords: dict[str, ast.expr]
    ) -> Value:
        """A function that the reader of NumPy knows, with its names of the arguments."""
        found = names.signature(name)
        assert found is not None, name
        function, parameters = found
        if name == "clone" and owner is not None and not self.code.joining.rank(owner):
            return self.number(self.code.arrays.whole(owner, node))
        if name in names.DIMENSIONS and len(args) > 1:
            args = [ast.copy_location(ast.Tuple(args, ast.Load()), node)]
        values: dict[str, Value] = {}
        left = list(parameters)
        if owner is not None:
            values[parameters[left.pop(0)]] = self._tensor(owner, node) if function not in ("clip",) else owner
            self._check_kind(name, owner, node)
        given = self._named(node, name, left, args, keywords)
        self._check_arguments(node, name, given)
        renamed = {parameters[key]: value for key, value in given.items()}
        out = renamed.pop("out", None)
        if name in ("var", "std") and "ddof" not in renamed:
            renamed["ddof"] = ast.copy_location(ast.Constant(1), node)
        call = Call(self.code.arrays, node, function, renamed, values)
        made = self._bmm(call) if function == "bmm" else EVERY[function](self.code.functions.handlers, call)
        if name in ("any", "all") and owner is not None and self.dtype(owner, node) == UINT8:  # which stays what it is
            made = self.number(self.code.elementwise.astype(self._tensor(made, node), UINT8, node))
        if name == "flip":  # of which PyTorch makes a copy
            made = self.code.arrays.computed(made, node)
        return made if out is None else self._into(out, made, node)

    def _named(
        self, node: ast.Call, name: str, left: Sequence[str], args: Sequence[ast.expr], keywords: dict[str, ast.expr]
    ) -> dict[str, ast.expr]:
        """The arguments by PyTorch's names."""
        given = dict(zip(left, args, strict=False))
        if name in ("var", "std"):
            given, keywords = self._with_correction(node, given, keywords)
        wrong = [key for key in keywords if key not in left or key in given]
        if wrong or len(args) > len(left):
            text = f"the argument {wrong[0]}" if wrong else f"{len(args)} arguments"
            self.context.refuse(node, f"{text} of {name}; supported are {', '.join(left)}")
        every = {**given, **keywords}
        given = {key: value for key, value in every.items() if key == "dim" or not is_none(value)}
        if isinstance(dims := given.get("dim"), ast.List):
            given["dim"] = ast.copy_location(ast.Tuple(dims.elts, ast.Load()), dims)
        return given

    def _with_correction(self, node: ast.AST, given: dict[str, ast.expr], keywords: dict[str, ast.expr]) -> tuple[
        dict[str, ast.expr], dict[str, ast.expr]
    ]:
        """The number that is taken off the count: 1, but for unbiased=False and correction=."""
        order = [value for key, value in given.items()]
        keywords = dict(keywords)
        flags = [value for value in order if isinstance(value, ast.Constant) and isinstance(value.value, bool)]
        if len(flags) > 1 or (flags and flags[0] not in order[:2]):
            self.context.refuse(node, "arguments of var or std that are not given by name")
        if flags:
            keywords.setdefault("unbiased", flags[0])
            order.remove(flags[0])
        given = dict(zip(("dim", "keepdim"), order, strict=False))
        if len(order) > 1:
            self.context.refuse(node, "arguments of var or std that are not given by name")
        unbiased = keywords.pop("unbiased", None)
        correction = keywords.pop("correction", None)
        if unbiased is not None:
            if correction is not None or not isinstance(unbiased, ast.Constant) or not isinstance(unbiased.value, bool):
                self.context.refuse(unbiased, "the argument unbiased that is not True or False")
            correction = ast.copy_location(ast.Constant(int(unbiased.value)), unbiased)
        if correction is not None:
            keywords["ddof"] = correction
        return given, keywords

    def _check_kind(self, name: str, owner: Value, node: ast.AST) -> None:
        if name in names.FLOATS_ONLY and not isinstance(self.dtype(owner, node), RealType):
            self.context.refuse(node, f"{name} of integers, which PyTorch refuses; convert them with float()")

    def _check_arguments(self, node: ast.Call, name: str, given: Nodes) -> None:
        """Refuse what the reader of NumPy would take for something else."""
        dim = given.get("dim")
        single = name in ("squeeze", "unsqueeze", "argmax", "argmin", "prod")
        if isinstance(dim, ast.Tuple | ast.List) and (not dim.elts or single):
            self.context.refuse(dim, f"dim={ast.unparse(dim)} of a tensor's {name}")
        if name in ("cumsum", "cumprod", "unsqueeze") and (dim is None or is_none(dim)):
            self.context.refuse(node, f"{name} of a tensor without its dim")

    def _tensor(self, value: Value, node: ast.AST) -> Value:
        """An operand as a tensor: a number is one without axes."""
        return self.code.arrays.whole(value, node) if isinstance(value, Expr) else value

    def dtype(self, value: Value, node: ast.AST) -> ScalarType:
        return self.code.elementwise.typed(value, node)[0]

    def _dtype_named(self, name: str) -> ScalarType:
        found = numpy_type(self.context.module, ast.Constant(name))
        assert found is not None
        return found

    def _into(self, out: ast.expr, made: Value, node: ast.AST) -> Value:
        """`out=`: a tensor of the result's shape, which no operand overlaps; PyTorch resizes or refuses others."""
        target = self.expressions.value(out)
        if not isinstance(target, View | Section):
            self.context.refuse(node, "out= of what is no tensor")
        section = self.code.arrays.as_section(target, node)
        whole = self.code.arrays.whole(made, node)
        if any(each.object is section.object and each != section for each in whole.reads):
            self.context.refuse(node, "out= of a tensor that is an operand; assign the result to it")
        extents = [ONE if axis is None else axis.extent for axis in section.axes]
        if whole.rank != len(extents):
            self.context.refuse(node, f"out= of {len(extents)} axes for a result of {whole.rank}; PyTorch gives it another shape")
        for one, other in zip(extents, whole.extents, strict=True):
            self.code.arrays.require_same(one, other, node)
        self.code.arrays.check_kept(whole.element, section.object.element, node)
        self.code.arrays.store(section, whole, node)
        return target

    # Elements

    def _elementwise(
        self, node: ast.Call, name: str, owner: Value, args: list[ast.expr], keywords: dict[str, ast.expr]
    ) -> Value:
        """A function of elements."""
        own, keywords = names.ELEMENTWISE[name], dict(keywords)
        out, rounding, alpha = (keywords.pop(each, None) for each in ("out", "rounding_mode", "alpha"))
        other = next((keywords.pop(each) for each in ("other", "exponent") if each in keywords), None)
        operands = [*args, *([other] if other is not None else [])]
        if keywords or len(operands) != operands_of(own) - 1:
            self.context.refuse(node, f"{ast.unparse(node)}: supported are the operands, and out=")
        values = [owner, *self.expressions.operands(operands)]
        if alpha is not None:
            dtypes = {self.dtype(each, node) for each in values}
            if name not in ("add", "sub", "subtract") or len(dtypes) > 1 or BOOL in dtypes:
                self.context.refuse(alpha, f"alpha of {name}, or of tensors of different dtypes")
            values[1] = self.code.elementwise.binary("multiply", values[1], self.expressions.scalar(alpha), node)
        if rounding is not None and not is_none(rounding):
            made: Value = self._rounded_division(rounding, name, values, node)
        else:
            made = self._applied(own, values, node)
        return self.number(made) if out is None else self._into(out, made, node)

    def _rounded_division(self, rounding: ast.expr, name: str, values: Sequence[Value], node: ast.AST) -> Value:
        """A quotient rounded down, or towards 0: that of integers is the exact one without the rest of C."""
        mode = rounding.value if isinstance(rounding, ast.Constant) else None
        if name not in ("div", "divide") or mode not in ("floor", "trunc"):
            self.context.refuse(rounding, "a rounding_mode of PyTorch other than 'floor' and 'trunc'; write what it computes")
        if mode == "floor":
            return self._applied("floor_divide", values, node)
        if any(isinstance(self.dtype(each, node), RealType) for each in values):
            return self._applied("trunc", [self._applied("true_divide", values, node)], node)
        whole = self._applied("subtract", [values[0], self._applied("fmod", values, node)], node)
        return self._applied("floor_divide", [whole, values[1]], node)

    def _applied(self, own: str, values: Sequence[Value], node: ast.AST) -> Whole:
        """The reader's function of elements."""
        if own in ("round", "floor", "ceil", "trunc", "fix") and not isinstance(self.dtype(values[0], node), RealType):
            self.context.refuse(node, f"{own} of a tensor of integers, which are whole; leave it out")
        if len(values) == 2:
            return self.code.elementwise.binary(own, values[0], values[1], node)
        return self.code.elementwise.unary(own, self._tensor(values[0], node), node)

    def number(self, made: Value) -> Value:
        """A result without axes as a number that PyTorch made."""
        if not isinstance(made, Whole) or made.rank:
            return made
        number = self.context.named(made.at(()), "t")
        self.code.arrays.strong.add(number)
        return number

    def _in_place(
        self, node: ast.Call, owner: Value, name: str, args: list[ast.expr], keywords: dict[str, ast.expr]
    ) -> Value:
        """`x.name_(...)`: the result goes into x."""
        if not isinstance(owner, View | Section):
            self.context.refuse(node, "a method that changes a tensor that is made here, or a number; assign what it gives")
        made = self._on(node, owner, name, args, keywords)
        return self.changed(node, owner, made)

    def changed(self, node: ast.AST, owner: View | Section, made: Value) -> Value:
        section = self.code.arrays.as_section(owner, node)
        whole = self.code.arrays.whole(made, node)
        if any(each.object is section.object and each != section for each in whole.reads):
            self.context.refuse(node, "a change in place by other elements of the tensor itself; use what clone() gives")
        self.code.arrays.check_kept(whole.element, section.object.element, node)
        self.code.arrays.store(section, whole, node)
        return owner

    def _itself(self, owner: Value, node: ast.AST) -> Value:
        """The tensor where it lies in order, as whole ones do; of another a copy, or not."""
        if isinstance(owner, View | Expr):
            return owner
        whole = self.code.arrays.whole(owner, node)
        return Whole(whole.extents, whole.element, whole.at, elsewhere(whole.reads), shares=shared(owner))

    def converted(self, owner: Value, dtype: ScalarType, node: ast.AST) -> Value:
        """In another dtype; of its own it is the tensor itself."""
        if self.dtype(owner, node) == dtype:
            return owner
        return self.number(self.code.elementwise.astype(self._tensor(owner, node), dtype, node))

    # Functions in terms of others

    def _composed(
        self, node: ast.Call, name: str, owner: Value, args: list[ast.expr], keywords: dict[str, ast.expr]
    ) -> Value:
        """A function of the prelude."""
        keywords = dict(keywords)
        inplace = keywords.pop("inplace", None)
        if inplace is not None and not (isinstance(inplace, ast.Constant) and inplace.value is False):
            self.context.refuse(inplace, "inplace; use the method whose name ends in _")
        loss = name in names.LOSSES
        reduction = keywords.pop("reduction", None) if loss else None
        name = self._variant(node, name, keywords)
        definition = names.prelude()[name]
        every = [each.arg for each in (*definition.args.args, *definition.args.kwonlyargs)]
        by_place = len(definition.args.args) - (len(definition.args.defaults) if loss else 0)  # losses have others there
        if len(args) >= by_place or any(key not in every[1:] for key in keywords):
            self.context.refuse(node, f"the arguments of {name}; supported are {', '.join(every)}")
        if name != "relu" and not isinstance(self.dtype(owner, node), RealType):
            self.context.refuse(node, f"{name} of integers; convert them with float()")
        nodes = [*args, *keywords.values()]
        read = self.expressions.operands(nodes)
        given = dict(zip([*every[1 : len(args) + 1], *keywords], read, strict=True))
        if name in names.CLASSES:
            self._check_classes(node, given)
        made = self.from_prelude(node, definition, {every[0]: owner, **given})
        return self._loss(node, made, reduction, owner if name.startswith("kl_div") else None) if loss else made

    def _check_classes(self, node: ast.Call, given: Mapping[str, Value]) -> None:
        """A loss of classes: they are given by number, and none is that which PyTorch leaves out of the mean."""
        target = given.get("target")
        if target is None or not is_integer(self.dtype(target, node)):
            self.context.refuse(node, "a loss of classes that are not given by integers")
        text = "no class is -100, which the loss leaves out"
        self.context.emit(Assume(TRUE, text, self.context.here(node), Ground.RESTRICTION))

    def _variant(self, node: ast.Call, name: str, keywords: dict[str, ast.expr]) -> str:
        """The function of the prelude, by arguments that are texts or flags."""
        if name == "gelu":
            kind = keywords.pop("approximate", ast.Constant("none"))
            if not isinstance(kind, ast.Constant) or kind.value not in ("none", "tanh"):
                self.context.refuse(node, "the argument approximate other than 'none' and 'tanh'")
            return "gelu_tanh" if kind.value == "tanh" else name
        if name == "logsumexp":
            return "logsumexp_kept" if self._flag(node, keywords, "keepdim") else name
        if name == "kl_div":
            return "kl_div_of_logs" if self._flag(node, keywords, "log_target") else name
        if name == "normalize" and "p" in keywords:
            order = self.code.functions.handlers.order(keywords.pop("p"), True)
            return "normalize_sums" if order == 1 else name if order == 2 else "normalize_most"
        return name

    def _flag(self, node: ast.Call, keywords: dict[str, ast.expr], name: str) -> bool:
        """An argument that is True or False, and False where it is not given."""
        flag = keywords.pop(name, ast.Constant(False))
        if not isinstance(flag, ast.Constant) or not isinstance(flag.value, bool):
            self.context.refuse(node, f"the argument {name} that is not True or False")
        return flag.value

    def from_prelude(self, node: ast.Call, definition: ast.FunctionDef, values: Mapping[str, Value]) -> Value:
        """What a function of the prelude gives; what is refused in it is refused where it is called."""
        own, pinned = definition.args, self.context.pinned
        defaults = defaults_of(definition)
        lacking = [each.arg for each in own.args if each.arg not in values and each.arg not in defaults]
        if lacking:
            self.context.refuse(node, f"{definition.name} without its argument {lacking[0]}")
        kept = {name: self.code.kept(value, node, name) for name, value in values.items()}
        kept |= {name: self.expressions.value(value) for name, value in defaults.items() if name not in values}
        kept = {name: self.context.named(value, name) if isinstance(value, Expr) else value for name, value in kept.items()}
        self.context.pinned = pinned or self.context.here(node)
        try:
            return self.inline(node, Function(definition), kept)
        except Unsupported as problem:
            self.context.refuse(node, f"{ast.unparse(node.func)}: {problem.diagnostic.message}")
        finally:
            self.context.pinned = pinned

    def _loss(self, node: ast.Call, made: Value, reduction: ast.expr | None, batch: Value | None) -> Value:
        """The terms, or their sum or mean; `batch`: the tensor whose first axis is that of the batch, where the loss knows it."""
        kind = "mean" if reduction is None else reduction.value if isinstance(reduction, ast.Constant) else None
        if kind == "batchmean" and batch is not None and (extents := self.code.arrays.whole(batch, node).extents):
            (count, *_) = extents
            total = self.code.reducing.reduced("sum", made, None, False, node)
            return self.number(self.code.elementwise.binary("true_divide", total, count, node))
        if kind not in ("mean", "sum", "none"):
            self.context.refuse(node, "a reduction of PyTorch other than 'mean', 'sum' and 'none'")
        return made if kind == "none" else self.code.reducing.reduced(str(kind), made, None, False, node)

    # New tensors

    def _made(self, node: ast.Call, name: str) -> Value:
        """zeros(n, m), full((n,), v), tensor([...]), ..."""
        keywords = [each for each in node.keywords if each.arg not in ("device", "requires_grad")]
        given = {each.arg: each.value for each in node.keywords}
        grad = given.get("requires_grad")
        if grad is not None and not (isinstance(grad, ast.Constant) and grad.value is False):
            self.context.refuse(grad, "requires_grad of a tensor; only values are described")
        args = list(node.args)
        if name in ("tensor", "as_tensor"):
            return self._of_data(node, name, args, keywords)
        if not name.endswith("_like") and len(args) > 1 and name != "full":
            args = [ast.copy_location(ast.Tuple(args, ast.Load()), node)]
        call = ast.copy_location(ast.Call(node.func, args, keywords), node)
        return self.new_array(call, name, "")

    def _of_data(self, node: ast.Call, name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> Value:
        if len(args) != 1 or any(each.arg != "dtype" for each in keywords):
            self.context.refuse(node, f"{ast.unparse(node)}; supported are a list or number, and a dtype")
        if isinstance(args[0], ast.List | ast.ListComp):
            return self.new_array(ast.copy_location(ast.Call(node.func, args, keywords), node), "array", "")
        value = self.expressions.value(args[0])
        if not isinstance(value, Expr):
            self.context.refuse(node, f"{name} of a tensor; use clone()")
        found = type_of(value)
        dtype = Call(self.code.arrays, node, name, {}, {}).dtype(keywords[0].value) if keywords else None
        if dtype is None:
            dtype = INT64 if is_integer(found) else None
        number = self.context.named(value if dtype is None else self.code.arrays.converted(value, dtype), "t")
        self.code.arrays.strong.add(number)
        return number

    def _arange(self, node: ast.Call) -> Value:
        keywords = _keywords(node)
        dtype = Call(self.code.arrays, node, "arange", {}, {}).dtype(keywords.pop("dtype", None))
        keywords.pop("device", None)
        if keywords or not 1 <= len(node.args) <= 3:
            self.context.refuse(node, f"{ast.unparse(node)}; supported are arange(start, stop, step) and dtype=")
        return self.code.joining.arange([self.expressions.integer(each) for each in node.args], dtype, node)

    def _einsum(self, node: ast.Call) -> Value:
        made = self.code.functions.handlers.einsum(node)
        if not isinstance(self.dtype(made, node), RealType):
            self.context.refuse(node, "einsum of integers, some of which PyTorch adds up in 64 bits; convert them with float()")
        return self.number(made) if isinstance(made, Whole) else made

    def _bmm(self, call: Call) -> Value:
        wholes = [self.code.arrays.whole(call.array(each), call.node) for each in "ab"]
        return self.code.reducing.summed(wholes, ["hij", "hjk"], "hik", call.node)

    # Attributes

    def attribute(self, node: ast.Attribute, owner: Value) -> Value | None:
        """x.T, x.mT; values and indices of max(dim); None where it is none of them."""
        if isinstance(owner, Items):
            places = {"values": 0, "indices": 1}
            return owner.items[places[node.attr]] if node.attr in places and len(owner.items) == 2 else None
        if node.attr == "size" or (node.attr in ("T", "mT") and self.code.joining.rank(owner) != 2):
            self.context.refuse(node, f"{node.attr} of a tensor here; of one of two axes there are T and mT, size() is a method")
        return self.code.joining.transposed(owner, None, node) if node.attr == "mT" else None


def _keywords(node: ast.Call) -> dict[str, ast.expr]:
    return {str(each.arg): each.value for each in node.keywords}
