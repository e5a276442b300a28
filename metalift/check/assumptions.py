"""The closed list of what a proof may rest on: each assumption says where it comes from, codegen whether a guard checks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj
from metalift.ir.expr.floats import has_floats
from metalift.ir.expr.nodes import Apply, Const, Expr, Fold, Length, Operator, type_of
from metalift.ir.expr.ranged import within_limits
from metalift.ir.expr.types import INT64, RealType, TensorType, Type
from metalift.ir.expr.walk import free_vars, read_by, subexpressions
from metalift.ir.program.assumption import Assumption, Overlap
from metalift.ir.program.fragment import Assume, Fragment, Ground, Param, ParamKind, PremiseKind, Store
from metalift.ir.program.summary import Summary
from metalift.ir.text import in_words, show


class Origin(Enum):
    """Where an assumption comes from."""

    SOURCE = "absence of undefined behaviour in the source"
    EXTENT = "extents of the arrays"
    OVERLAP = "overlap of the arrays"
    SUMMARY = "required by the summary"
    RANGE = "range of the target's numbers"
    TARGET = "required by the target's operators"
    REAL = "real arithmetic"
    ASSERT = "the source's own assertions"
    RESTRICTION = "restrictions of what is modelled"
    USER = "--assume"
    TYPES = "types of the parameters"
    VALUES = "values that occur"
    CALLS = "calls that stay calls"
    NAMES = "meaning of names"
    RESULTS = "what is a result"


GROUNDS = {Ground.PROMISE: Origin.ASSERT, Ground.DEFINED: Origin.SOURCE, Ground.RESTRICTION: Origin.RESTRICTION}
PREMISES = {
    PremiseKind.MEMORY: Origin.OVERLAP,
    PremiseKind.TYPES: Origin.TYPES,
    PremiseKind.VALUES: Origin.VALUES,
    PremiseKind.CALLS: Origin.CALLS,
    PremiseKind.NAMES: Origin.NAMES,
    PremiseKind.RESULTS: Origin.RESULTS,
    PremiseKind.OUTPUT: Origin.RESTRICTION,
}


@dataclass(frozen=True, slots=True)
class Stated:
    """An assumption and its origin."""

    assumption: Assumption
    origin: Origin

    @property
    def formula(self) -> Expr | None:
        """The condition on the parameters, where it is one."""
        return self.assumption.formula


def of_source(
    fragment: Fragment,
    summary: Summary,
    identical: Mapping[str, Sequence[str]],
    user: Sequence[tuple[str, Expr]],
    bodies: Fragment | None = None,
) -> list[Stated]:
    """What the proof of the summary rests on, in the order in which people want to read it.

    `bodies`: the fragment with the bodies of functions whose calls stay calls, where they are known.
    """
    found = [Stated(Assumption(text, formula), Origin.USER) for text, formula in user]
    found += [Stated(Assumption(in_words(formula), formula), Origin.SUMMARY) for formula in summary.requires]
    found += asserted(fragment)
    found += extents(fragment, summary)
    found += overlaps(fragment, identical)
    found += [Stated(Assumption(premise.text), PREMISES[premise.kind]) for premise in fragment.premises]
    found.append(Stated(Assumption(defined_text(fragment), briefly="where that is defined"), Origin.SOURCE))
    if has_floats(fragment, summary, bodies):
        order = "; reductions may be reordered" if reduces_reals(summary) else ""
        text = f"floats stay finite and compute like real numbers in source and generated code{order}"
        briefly = "over real numbers, with sums in any order" if order else "over real numbers"
        found.append(Stated(Assumption(text, briefly=briefly), Origin.REAL))
    return found


def reduces_reals(summary: Summary) -> bool:
    """Whether floats are folded, other than to the largest or the smallest: then their order is one of the things that generated
    code may change.
    """
    terms = [binding.value for binding in summary.bindings] + [term for _, term in summary.outputs]
    folds = (part for term in terms for part in subexpressions(term) if isinstance(part, Fold))
    return any(isinstance(type_of(fold), RealType) and not _is_extreme(fold) for fold in folds)


def _is_extreme(fold: Fold) -> bool:
    """Whether it is the largest or the smallest of values of which none depends on those before."""
    match fold.body:
        case Apply(Operator.MAX | Operator.MIN, (one, other)):
            return (one == fold.acc) != (other == fold.acc) and fold.acc not in free_vars(other if one == fold.acc else one)
        case _:
            return False


def rank_of(type_: Type) -> int:
    """The number of axes, 0 for a scalar."""
    return type_.rank if isinstance(type_, TensorType) else 0


def asserted(fragment: Fragment) -> list[Stated]:
    """What the fragment relies on; conditions on scalar parameters and on lengths that every run comes to can be checked."""
    scalars = {param.var for param in fragment.params if not isinstance(param.var.type, TensorType)}
    found = []
    for block in fragment.blocks:
        for statement in block.body:
            if isinstance(statement, Assume):
                always = block is fragment.blocks[0] and read_by(statement.cond) <= scalars
                formula = statement.cond if always else None
                text = f"{statement.origin} (line {statement.location.line})"
                found.append(Stated(Assumption(text, formula), GROUNDS[statement.ground]))
    return list(dict.fromkeys(found))


def always(fragment: Fragment) -> tuple[Expr, ...]:
    """What holds of the parameters wherever the function goes on from its beginning."""
    params = {param.var for param in fragment.params}
    found = (each.cond for each in fragment.blocks[0].body if isinstance(each, Assume))
    return tuple(cond for cond in found if free_vars(cond) <= params)


def extents(fragment: Fragment, summary: Summary) -> list[Stated]:
    """How many elements each array must have along each axis; a vector's own length says nothing new."""
    known = summary.shapes
    found = []
    for param in fragment.params:
        if not isinstance(param.var.type, TensorType):
            continue
        shape = known.get(param.var.name)
        if shape is not None:
            lengths = tuple(Length(param.var, axis) for axis in range(len(shape)))
            least = [at_most(extent, length) for extent, length in zip(shape, lengths, strict=True) if not within(extent, length)]
            if least:
                found.append(Stated(Assumption(least_text(param.var.name, shape), conj(*least)), Origin.EXTENT))
        elif param.kind is ParamKind.POINTER:
            text = f"{param.var.name} has all the elements that the source accesses"
            found.append(Stated(Assumption(text), Origin.EXTENT))
        if param.var.type.rank > 1 and param.kind is not ParamKind.POINTER:
            text = f"the rows of {param.var.name} have the same length"
            found.append(Stated(Assumption(text, inherent=True), Origin.EXTENT))
    return found


def defined_text(fragment: Fragment) -> str:
    """What makes a run of the source count."""
    python = fragment.location.file.endswith((".py", ".pyw"))
    return "the source raises no exception" if python else "the source runs without undefined behaviour"


def within(extent: Expr, length: Expr) -> bool:
    """Whether an extent is never more than a length: the smaller of it and others, or it less a number."""
    if isinstance(extent, Apply) and extent.op is Operator.MIN:
        return any(within(arg, length) for arg in extent.args)
    short = (Polynomial.of(length) - Polynomial.of(extent)).constant_value
    return short is not None and short >= 0


def least_text(name: str, shape: Sequence[Expr]) -> str:
    """What an array of at least that shape has."""
    *outer, last = (show(extent) for extent in shape)
    rows = "".join(f"{extent} rows of " for extent in outer)
    return f"{name} has at least {rows}{last} elements"


def pointers(fragment: Fragment) -> list[Param]:
    """The parameters passed as pointers."""
    return [param for param in fragment.params if param.kind is ParamKind.POINTER]


def written_arrays(fragment: Fragment) -> set[str]:
    """The names of the arrays that some statement stores to."""
    return {s.array.name for block in fragment.blocks for s in block.body if isinstance(s, Store)}


def may_be_identical(fragment: Fragment) -> dict[str, tuple[str, ...]]:
    """For each pointer that is only read, the written ones with elements of the same type."""
    written = written_arrays(fragment)
    params = pointers(fragment)
    found = {}
    for param in params:
        others = [o.var.name for o in params if o.var.name in written and o.var.type == param.var.type]
        if param.var.name not in written and others:
            found[param.var.name] = tuple(others)
    return found


def overlaps(fragment: Fragment, identical: Mapping[str, Sequence[str]]) -> list[Stated]:
    """For each written pointer, how its rows and the other arrays may lie in memory."""
    written = written_arrays(fragment)
    params = [p for p in fragment.params if isinstance(p.var.type, TensorType)]
    found = [
        Stated(Assumption(f"the rows of {param.var.name} do not overlap"), Origin.OVERLAP)
        for param in pointers(fragment)
        if param.var.name in written and rank_of(param.var.type) > 1
    ]
    for position, one in enumerate(params):
        for two in params[position + 1 :]:
            names = (one.var.name, two.var.name)
            if not written & set(names) or ParamKind.VECTOR is one.kind is two.kind:
                continue
            same = names[1] in identical.get(names[0], ()) or names[0] in identical.get(names[1], ())
            how = Overlap.SAME_OR_DISJOINT if same else Overlap.DISJOINT
            found.append(Stated(Assumption(f"{names[0]} and {names[1]} {how.value}", None, names, how), Origin.OVERLAP))
    return found


def of_target(
    requires: Sequence[Expr],
    ranges: Sequence[tuple[str, Expr | None]],
    known: Sequence[Stated],
    computed: Sequence[object] = (),
) -> list[Stated]:
    """What a program needs beyond the source; `computed` are terms and kernels that the target computes."""
    formulas = {stated.formula for stated in known}
    found = [Stated(Assumption(condition_text(f), f), Origin.TARGET) for f in dict.fromkeys(requires) if f not in formulas]
    found += [Stated(Assumption(text, formula), Origin.RANGE) for text, formula in ranges]
    if has_floats(*computed) and all(stated.origin is not Origin.REAL for stated in known):
        text = "floats in the generated code stay finite and compute like real numbers"
        found.append(Stated(Assumption(text), Origin.REAL))
    return found


def condition_text(formula: Expr) -> str:
    """A condition for people."""
    limits = within_limits(formula)
    if limits is not None and all(isinstance(limit, Const) and limit.value in (INT64.low, INT64.high) for limit in limits[1:]):
        return f"{show(limits[0])} fits 64 bits"
    return in_words(formula)


def formulas(stated: Sequence[Stated]) -> tuple[Expr, ...]:
    """The conditions that may be used as hypotheses: those about the values of parameters and the lengths of arrays."""
    usable = (Origin.USER, Origin.SUMMARY, Origin.TARGET, Origin.EXTENT, *GROUNDS.values())
    return tuple(s.formula for s in stated if s.origin in usable and s.formula is not None)


def testable(stated: Sequence[Stated]) -> tuple[Expr, ...]:
    """The conditions that inputs have to satisfy on which the code is compared: ranges too, which are no hypotheses."""
    ranges = tuple(s.formula for s in stated if s.origin is Origin.RANGE and s.formula is not None)
    return (*formulas(stated), *ranges)
