"""The operator that comes nearest to what nothing computes, and how it differs, for a message."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from metalift.driver import DriverError, Operator
from metalift.driver.meaning.language import Kind, TypePattern
from metalift.ir.expr.nodes import Apply, Build, Call, Const, Expr, Fold, Ite, type_of
from metalift.ir.expr.types import FLOAT, INT32, FunctionType, ScalarType, TensorType, Type, show_type
from metalift.ir.expr.walk import subexpressions
from metalift.ir.text import show
from metalift.synth.cover.goal import Goal
from metalift.synth.cover.normal import normal


def nearest(missing: Goal, operators: Iterable[Operator]) -> str:
    """Which operator is built of the same operations, and in what it differs: its type, its axes, its numbers; empty for none."""
    wanted, type_ = _operations(missing.body), type_of(missing.body)
    found: list[tuple[int, str]] = []
    if not isinstance(type_, ScalarType) or not wanted:
        return ""
    for operator in operators:
        body = _body(operator, type_)
        if body is None or _operations(body) != wanted:
            continue
        has, numbers = type_of(body), show(body)
        rank = missing.rank if operator.elementwise else operator.result.rank
        if has != type_:
            found.append((0, f"{operator.name} computes {numbers} of {show_type(has)}, this is of {show_type(type_)}"))
        elif rank != missing.rank:
            found.append((1, f"{operator.name} gives {rank} axes, this has {missing.rank}"))
        elif _literals(body) != _literals(missing.body):
            found.append((2, f"{operator.name} computes {numbers}"))
    return min(found, default=(0, ""))[1]


def _body(operator: Operator, type_: ScalarType) -> Expr | None:
    """What the operator computes for one element, of that type if it has it; None where that is not clear."""
    if operator.meaning.external is not None or operator.configured or operator.axes is not None:
        return None
    patterns = [param.pattern for param in operator.params]
    if any(pattern.takes for pattern in patterns):
        return None
    elements = [_element(pattern, type_) for pattern in (*patterns, operator.result)]
    types: list[Type] = []
    for element, pattern in zip(elements[:-1], patterns, strict=True):
        types.append(TensorType(element, pattern.rank) if pattern.rank else element)
    try:
        whole = normal(operator.instantiate(tuple(types), elements[-1]).body)
    except (ValueError, DriverError):
        return None
    body = whole.body if isinstance(whole, Build) else whole
    return None if isinstance(type_of(body), TensorType | FunctionType) else body


def _element(pattern: TypePattern, type_: ScalarType) -> ScalarType:
    """The fixed type, or the type that is wanted where the pattern takes it, or one that it takes."""
    if isinstance(pattern.element, ScalarType):
        return pattern.element
    return type_ if pattern.element.kind.admits(type_) else FLOAT if pattern.element.kind is Kind.REAL else INT32


def _operations(expr: Expr) -> frozenset[Hashable]:
    """What it is built of, but for conversions and numbers."""
    named = ((type(part), part.op) for part in subexpressions(expr) if isinstance(part, Apply))
    called = ((Call, part.function) for part in subexpressions(expr) if isinstance(part, Call))
    shaped = ((type(part), "") for part in subexpressions(expr) if isinstance(part, Ite | Fold))
    return frozenset((*named, *called, *shaped))


def _literals(expr: Expr) -> set[object]:
    return {part.value for part in subexpressions(expr) if isinstance(part, Const)}
