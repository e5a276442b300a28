"""A sample program for each operator: a function of a source that computes what the operator means, and its lift.

The search has to choose the operator in one of them, and a target whose text is no Python runs what it writes for it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, TypeAlias

from metalift.app.conformance.lengths import Lengths
from metalift.app.conformance.samples import Nested, Sample, applied, plain
from metalift.driver import Driver, Operator
from metalift.driver.meaning.reduce import configured, reduce_head
from metalift.driver.operators import is_size, scalar_of
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import equal, neg, plus
from metalift.ir.expr.nodes import TRUE, Apply, Build, Cast, Const, Expr, Ite, Length, Select, Update, Var, integer, type_of
from metalift.ir.expr.nodes import Operator as Op
from metalift.ir.expr.types import BOOL, INT, INT32, FunctionType, ScalarType, TensorType, TupleType, Type
from metalift.ir.expr.walk import free_vars, substitute, transform
from metalift.ir.interp.interpret import Tensor, Value
from metalift.ir.program.fragment import Block, Fragment, Location, Param, ParamKind, Return
from metalift.ir.program.summary import Binding, Summary, TargetProgram
from metalift.synth.cover import NotCovered, cover

Setting: TypeAlias = tuple[tuple[str, int], ...]  # of parameters that configure an operator


class Form(Enum):
    """How the function of a sample program is written."""

    PLAIN = "a parameter for each of the operator's"
    FLAGS = "truth values are numbers, which are compared with 0, and the results are 1 and 0"
    FIXED = "one size is a number"
    THREE = "all numbers of one type are three arguments, as where few fit into an instruction"
    TWO = "all numbers of one type are two arguments"


ALIKE = {Form.THREE: 3, Form.TWO: 2}


@dataclass(frozen=True, slots=True)
class SampleProgram:
    """A function with the operator's parameters, the length of each axis, and where the result is an array, that array."""

    operator: Operator
    types: tuple[Type, ...]
    result: ScalarType
    fragment: Fragment
    summary: Summary
    lengths: Mapping[Length, Var]
    shape: tuple[Expr, ...]  # of the result
    setting: Setting = ()
    form: Form = Form.PLAIN

    @property
    def kind(self) -> Hashable:
        """What of it another program need not have again: the types of its numbers, and what configures the operator."""
        return tuple(map(scalar_of, self.types)), self.result, () if self.form is Form.FIXED else self.setting

    def covered(self, driver: Driver, target: str, without: frozenset[str] = frozenset()) -> TargetProgram | None:
        """The program that the search finds without operators of these names."""
        try:
            return cover(self.summary, self.fragment, driver, target, without=without)
        except NotCovered:
            return None

    def fitted(self, sample: Sample) -> Sample | None:
        """The sample with the program's types and setting, and where parameters share an argument with the first one's value;
        None where it is none then.
        """
        if (sample.types, sample.result) != (self.types, self.result):
            return None
        named_as = _shared(self.operator, self.types, self.setting, self.form)
        values = {param.name: value for param, value in zip(self.operator.params, sample.values, strict=True)}
        values |= dict(self.setting)
        wanted = [values[named_as[name]] for name in values]
        return sample if wanted == list(sample.values) else applied(self.operator, sample, wanted)

    def arguments(self, sample: Sample) -> dict[str, Nested]:
        """The arguments by name; the output array is left out. Arrays are their elements row by row."""
        given: dict[str, Nested] = {}
        for param, value, type_ in zip(self.operator.params, sample.values, sample.types, strict=True):
            if param.name in dict(self.setting):
                continue
            if self.form is Form.FLAGS and scalar_of(type_) == BOOL:
                value = _flags(value)
            cells = isinstance(type_, TensorType) or param.name in self.operator.holds
            given[param.name] = _cells([plain(value)]) if cells else plain(value)
            level = plain(value)
            for axis in range(type_.rank if isinstance(type_, TensorType) else 0):
                var = next(own for length, own in self.lengths.items() if length == Length(Var(param.name, type_), axis))
                given[var.name] = len(level)
                level = level[0] if level else []
        return given


def sample_program(
    operator: Operator, types: tuple[Type, ...], result: ScalarType, setting: Setting = (), form: Form = Form.PLAIN
) -> SampleProgram | None:
    """The program; None where the result is no scalar and no array whose extents are known, a parameter is a function, or the
    form is none of its own.
    """
    if any(isinstance(each, FunctionType) for each in types) or operator.meaning.external is not None:
        return None
    named_as, flags = _shared(operator, types, setting, form), form is Form.FLAGS
    if flags and BOOL not in map(scalar_of, (*types, result)):
        return None
    if form in ALIKE and len({*named_as.values()}) == len(named_as):
        return None
    instance = operator.instantiate(types, result)
    lengths = Lengths(instance)
    first = list(dict.fromkeys(lengths.group.values()))
    named = {axis: Var(f"n{first.index(group)}", INT32) for axis, group in lengths.group.items()}
    known = {Var(name, INT): integer(value) for name, value in setting}
    given = {param: Var(named_as[param.name], INT32 if is_size(own) else _number(param.type) if flags else param.type)
             for param, own in zip(instance.params, operator.params, strict=True) if param not in known}  # fmt: skip
    flat = _Flat(given, named)
    meaning = configured(substitute(instance.body, known))
    body = flat.of(reduce_head(meaning) if isinstance(type_of(meaning), TensorType) else meaning)
    if isinstance(type_of(body), TupleType) or (isinstance(type_of(body), TensorType) and not isinstance(body, Build)):
        return None
    body = _counted(body) if flags else body
    own = list(dict.fromkeys(given.values()))
    params = [Param(_flat_var(var), ParamKind.POINTER if isinstance(var.type, TensorType) else ParamKind.VALUE, "", noalias=True)
              for var in own if var.name not in operator.holds]  # fmt: skip
    sizes = [Param(var, ParamKind.VALUE, "int") for var in dict.fromkeys(named.values())]
    extents = [(given[param].name, (_product(flat.shape(param)),)) for param in given if isinstance(param.type, TensorType)]
    facts = tuple(flat.of(substitute(each, known)) for each in instance.requires)
    bindings: tuple[Binding, ...] = ()
    outputs: tuple[tuple[str, Expr], ...] = (("return", body),)
    written = _written(body, [var for var in own if var.name in operator.holds])
    if written:
        finals = [(update, Var(f"{update.base.name}_1", update.base.type)) for update in written if isinstance(update.base, Var)]
        bindings = tuple(Binding(final, update) for update, final in finals)
        outputs = tuple((update.base.name, final) for update, final in finals if isinstance(update.base, Var))
        for out, update in ((update.base, update) for update in written):
            assert isinstance(out, Var)
            params.append(Param(out, ParamKind.POINTER, "", noalias=True))
            extents.append((out.name, (_product(update.extents or (integer(1),)),)))
    returned, shape = (None, written[0].extents) if written else (type_of(body), ())
    place = Location(operator.meaning.source.file, operator.meaning.source.tree.lineno)
    block = Block("entry", (), (), Return(None, place))
    fragment = Fragment(f"sample_{operator.meaning.name}", (*params, *sizes), returned, (), (block,), place, "")
    if not _closed(fragment, (*facts, *(value for _, value in outputs), *(each.value for each in bindings))):
        return None
    summary = Summary((), bindings, outputs, (), tuple(extents), facts)
    return SampleProgram(operator, types, result, fragment, summary, named, shape, setting, form)


def _shared(operator: Operator, types: tuple[Type, ...], setting: Setting, form: Form) -> dict[str, str]:
    """For each parameter the one whose argument it is given, which may be its own."""
    found: dict[str, str] = {}
    alike: dict[Type, list[str]] = {}
    for param, type_ in zip(operator.params, types, strict=True):
        free = isinstance(type_, ScalarType) and not is_size(param) and param.name not in (*dict(setting), *operator.holds)
        names = alike.setdefault(type_, []) if free else []
        names.append(param.name)
        found[param.name] = names[(len(names) - 1) % ALIKE.get(form, len(names))]
    return found


def _number(type_: Type) -> Type:
    """The type of a source that has numbers for truth values."""
    if isinstance(type_, TensorType):
        return TensorType(INT32, type_.rank) if type_.element == BOOL else type_
    return INT32 if type_ == BOOL else type_


def _counted(body: Expr) -> Expr:
    """The truth values of a result as 1 and 0."""
    if isinstance(body, Build):
        return replace(body, body=_counted(body.body))
    return Ite(body, Const(1, INT32), Const(0, INT32)) if type_of(body) == BOOL else body


def _flags(value: Value) -> Value:
    """Truth values as the numbers that a source has for them."""
    nested: Any = value.nested() if isinstance(value, Tensor) else value
    return [_flags(each) for each in nested] if isinstance(nested, list) else int(nested)


def _written(body: Expr, held: Sequence[Var]) -> list[Update]:
    """What is written to arrays: the result, or to each cell of storage what becomes of it. Of two cells, each is kept as the
    first is, with the other beside it.
    """
    element = type_of(body.body) if isinstance(body, Build) else type_of(body)
    assert isinstance(element, ScalarType)
    if isinstance(body, Build):
        at = (_place(body.binders, body.extents),)
        return [Update(Var("out", TensorType(element)), body.binders, body.extents, at, body.body, TRUE)]
    place = (integer(0),)
    cells = [Select(Var(cell.name, TensorType(element)), place) for cell in held]
    turns = (cells[at:] + cells[:at] for at in range(len(cells)))
    return [
        Update(cells[at].tensor, (), (), place, substitute(body, dict(zip(held, turn, strict=True))), TRUE)
        for at, turn in enumerate(turns)
    ]


@dataclass(frozen=True, slots=True)
class _Flat:
    """Terms over arrays of several axes as terms over their elements row by row, and lengths as parameters."""

    given: Mapping[Var, Var]
    named: Mapping[Length, Var]

    def of(self, term: Expr) -> Expr:
        """The term."""
        return transform(self._node, term)

    def shape(self, param: Var) -> tuple[Expr, ...]:
        """The extents of an array."""
        rank = param.type.rank if isinstance(param.type, TensorType) else 0
        return tuple(Cast(self.named[Length(param, axis)], INT) for axis in range(rank))

    def _node(self, part: Expr) -> Expr:
        match part:
            case Length() if part in self.named:
                return Cast(self.named[part], INT)
            case Select(Var() as tensor, indices) if tensor in self.given:
                flat = Select(_flat_var(self.given[tensor]), (_place(indices, self.shape(tensor)),))
                return neg(equal(flat, Const(0, INT32))) if type_of(flat) != type_of(part) else flat
            case Apply(Op.MIN, (left, right)) if left == right:  # of two lengths that are the same
                return left
            case Var() if part in self.given and self.given[part].type == INT32 and part.type == INT:
                return Cast(self.given[part], INT)
            case Var() if part in self.given and not isinstance(part.type, TensorType):
                own = self.given[part]
                return neg(equal(own, Const(0, INT32))) if own.type != part.type else own
            case _:
                return part


def _flat_var(var: Var) -> Var:
    return Var(var.name, TensorType(var.type.element)) if isinstance(var.type, TensorType) else var


def _place(indices: Sequence[Expr], extents: Sequence[Expr]) -> Expr:
    """The place of an element, row by row."""
    place = indices[0]
    for index, extent in zip(indices[1:], extents[1:], strict=True):
        place = plus(Apply(Op.MUL, (place, extent)), index)
    return place


def _product(extents: Sequence[Expr]) -> Expr:
    size = Polynomial.of(extents[0])
    for extent in extents[1:]:
        size = size * Polynomial.of(extent)
    return size.to_expr()


def _cells(nested: object) -> list[object]:
    return [cell for row in nested for cell in _cells(row)] if isinstance(nested, list) else [nested]


def _closed(fragment: Fragment, terms: Sequence[Expr]) -> bool:
    """Whether the terms speak of the parameters and what is bound alone, with arrays of one axis."""
    known = {param.var for param in fragment.params}
    known |= {Var(f"{var.name}_1", var.type) for var in known}
    return all(free_vars(term) <= known for term in terms)
