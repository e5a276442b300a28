"""A sample program for each operator: a function of a source that computes what the operator means, and its lift.

The search has to choose the operator in one of them, and a target whose text is no Python runs what it writes for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from metalift.app.conformance.lengths import Lengths
from metalift.app.conformance.samples import Nested, Sample, plain
from metalift.driver import Driver, Operator, Target
from metalift.driver.meaning.reduce import configured, reduce_head
from metalift.driver.operators import is_size
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import plus
from metalift.ir.expr.nodes import TRUE, Apply, Build, Cast, Expr, Length, Select, Update, Var, integer, type_of
from metalift.ir.expr.nodes import Operator as Op
from metalift.ir.expr.types import INT, INT32, FunctionType, ScalarType, TensorType, TupleType, Type
from metalift.ir.expr.walk import free_vars, substitute, transform
from metalift.ir.program.fragment import Block, Fragment, Location, Param, ParamKind, Return
from metalift.ir.program.summary import Binding, Summary, TargetProgram
from metalift.synth.cover import NotCovered, cover

PROGRAMS = 6  # of one operator, which differ in types, and in what configures it
Setting: TypeAlias = tuple[tuple[str, int], ...]  # of parameters that configure an operator


@dataclass(frozen=True, slots=True)
class SampleProgram:
    """A function with the operator's parameters, the length of each axis, and where the result is an array, that array."""

    operator: Operator
    types: tuple[Type, ...]
    fragment: Fragment
    summary: Summary
    lengths: Mapping[Length, Var]
    shape: tuple[Expr, ...]  # of the result
    setting: Setting = ()

    def covered(self, driver: Driver, target: str) -> TargetProgram | None:
        """The program that the search finds."""
        try:
            return cover(self.summary, self.fragment, driver, target)
        except NotCovered:
            return None

    def arguments(self, sample: Sample) -> dict[str, Nested]:
        """The arguments by name; the output array is left out. Arrays are their elements row by row."""
        given: dict[str, Nested] = {}
        for param, value, type_ in zip(self.operator.params, sample.values, sample.types, strict=True):
            if param.name in dict(self.setting):
                continue
            cells = isinstance(type_, TensorType) or param.name in self.operator.holds
            given[param.name] = _cells([plain(value)]) if cells else plain(value)
            level = plain(value)
            for axis in range(type_.rank if isinstance(type_, TensorType) else 0):
                var = next(own for length, own in self.lengths.items() if length == Length(Var(param.name, type_), axis))
                given[var.name] = len(level)
                level = level[0] if level else []
        return given


def setting_of(operator: Operator, sample: Sample) -> Setting:
    """What configures the operator in a sample: in a program that is a number, not a parameter."""
    pairs = zip(operator.params, sample.values, strict=True)
    return tuple((param.name, int(str(value))) for param, value in pairs if param.name in (operator.holes or {}))


def _is_choice(operator: Operator, setting: Setting) -> bool:
    return all(0 <= value < (operator.holes or {})[name] for name, value in setting)


def sample_program(
    operator: Operator, types: tuple[Type, ...], result: ScalarType, setting: Setting = ()
) -> SampleProgram | None:
    """The program; None where the result is no scalar and no array whose extents are known, or a parameter is a function."""
    if any(isinstance(each, FunctionType) for each in types) or not _is_choice(operator, setting):
        return None
    if len(operator.holds) > 1 or operator.meaning.external is not None:
        return None
    instance = operator.instantiate(types, result)
    lengths = Lengths(instance)
    first = list(dict.fromkeys(lengths.group.values()))
    named = {axis: Var(f"n{first.index(group)}", INT32) for axis, group in lengths.group.items()}
    known = {Var(name, INT): integer(value) for name, value in setting}
    given = {param: Var(param.name, INT32 if is_size(own) else param.type)
             for param, own in zip(instance.params, operator.params, strict=True) if param not in known}  # fmt: skip
    flat = _Flat(given, named)
    meaning = configured(substitute(instance.body, known))
    body = flat.of(reduce_head(meaning) if isinstance(type_of(meaning), TensorType) else meaning)
    if isinstance(type_of(body), TupleType) or (isinstance(type_of(body), TensorType) and not isinstance(body, Build)):
        return None
    params = [Param(_flat_var(var), ParamKind.POINTER if isinstance(var.type, TensorType) else ParamKind.VALUE, "", noalias=True)
              for var in given.values() if var.name not in operator.holds]  # fmt: skip
    sizes = [Param(var, ParamKind.VALUE, "int") for var in dict.fromkeys(named.values())]
    extents = [(param.name, (_product(flat.shape(param)),)) for param in given if isinstance(param.type, TensorType)]
    facts = tuple(flat.of(substitute(each, known)) for each in instance.requires)
    bindings: tuple[Binding, ...] = ()
    outputs: tuple[tuple[str, Expr], ...] = (("return", body),)
    written = _written(body, [var for var in given.values() if var.name in operator.holds])
    if written is not None:
        assert isinstance(written.base, Var)
        out, final = written.base, Var("out_1", written.base.type)
        bindings, outputs = (Binding(final, written),), ((out.name, final),)
        params.append(Param(out, ParamKind.POINTER, "", noalias=True))
        extents.append((out.name, (_product(written.extents or (integer(1),)),)))
    returned, shape = (type_of(body), ()) if written is None else (None, written.extents)
    place = Location(operator.meaning.source.file, operator.meaning.source.tree.lineno)
    block = Block("entry", (), (), Return(None, place))
    fragment = Fragment(f"sample_{operator.meaning.name}", (*params, *sizes), returned, (), (block,), place, "")
    if not _closed(fragment, (*facts, *(value for _, value in outputs), *(each.value for each in bindings))):
        return None
    summary = Summary((), bindings, outputs, (), tuple(extents), facts)
    return SampleProgram(operator, types, fragment, summary, named, shape, setting)


def _written(body: Expr, held: Sequence[Var]) -> Update | None:
    """What is written to an array: the result, or to the one cell of storage what becomes of it."""
    element = type_of(body.body) if isinstance(body, Build) else type_of(body)
    assert isinstance(element, ScalarType)
    if isinstance(body, Build):
        return Update(
            Var("out", TensorType(element)), body.binders, body.extents, (_place(body.binders, body.extents),), body.body, TRUE
        )
    for cell in held:
        array, place = Var(cell.name, TensorType(element)), (integer(0),)
        return Update(array, (), (), place, substitute(body, {cell: Select(array, place)}), TRUE)
    return None


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
            case Select(Var() as tensor, indices) if tensor in self.given and len(indices) > 1:
                return Select(_flat_var(self.given[tensor]), (_place(indices, self.shape(tensor)),))
            case Apply(Op.MIN, (left, right)) if left == right:  # of two lengths that are the same
                return left
            case Var() if part in self.given and self.given[part].type == INT32 and part.type == INT:
                return Cast(self.given[part], INT)
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
    known = {param.var for param in fragment.params} | {Var("out_1", param.var.type) for param in fragment.params}
    return all(free_vars(term) <= known for term in terms)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sample program that the search covers with the operator that it is about."""

    sample: SampleProgram
    program: TargetProgram


def chosen_in(
    operator: Operator, driver: Driver, target: Target, samples: Sequence[Sample], runs: Callable[[Chosen], bool]
) -> Chosen | str | None:
    """A program for which the search chooses the operator, one that `runs` if there is any; what it takes instead; None where
    there is no sample program.
    """
    refused: Chosen | None = None
    others: dict[str, None] = {}
    programs, found = 0, False
    for types, result, setting in dict.fromkeys((each.types, each.result, setting_of(operator, each)) for each in samples):
        made = sample_program(operator, types, result, setting)
        if made is None or programs == PROGRAMS:
            continue
        programs += 1
        program = made.covered(driver, target.name)
        called = [] if program is None else program.called
        if program is not None and operator.name in called:
            chosen = Chosen(made, program)
            if runs(chosen):
                return chosen
            refused = refused or chosen
            continue
        others.update(dict.fromkeys(called))
        found = found or program is not None
    if refused is not None or not programs:
        return refused
    if others:
        return f"the search takes {', '.join(others)}"
    return "the search needs no operator for its meaning" if found else "the search finds no program for its meaning"
