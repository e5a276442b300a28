"""Arrays that a source takes in any lengths and goes through together: a function of tensors takes them in one shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from metalift.codegen.request import GenerateRequest
from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.expr.nodes import Apply, Expr, Length, Operator
from metalift.ir.expr.walk import free_vars, subexpressions, transform
from metalift.ir.program.fragment import Fragment, Param, ParamKind


def with_equal_lengths(request: GenerateRequest, same: Mapping[Length, Length]) -> GenerateRequest:
    """What is written where lengths are the same as others."""

    def one(expr: Expr) -> Expr:
        match expr:
            case Length():
                return same.get(expr, expr)
            case Apply(Operator.MIN | Operator.MAX, (left, right)) if strip_casts(left) == strip_casts(right):
                return left
            case _:
                return expr

    def settled(expr: Expr) -> Expr:
        return transform(one, expr)

    program = request.program
    program = program.map(settled)
    program = replace(
        program,
        writes=tuple(replace(each, window=settled(each.window), guard=settled(each.guard)) for each in program.writes),
        requires=tuple(map(settled, program.requires)),
    )
    stated = tuple(
        assumption if assumption.formula is None else replace(assumption, formula=settled(assumption.formula))
        for assumption in request.assumptions
    )
    return replace(request, program=program, assumptions=stated)


def same_lengths(request: GenerateRequest) -> Mapping[Length, Length]:
    """For lengths of arguments that go with others the first of these, in the order of the parameters, those of arrays that are
    only written, which may be no arguments, last.
    """
    read = {var for value in request.program.values for var in free_vars(value)}
    lengths = sorted(_lengths(request.fragment), key=lambda length: length.tensor not in read)
    order = {length: at for at, length in enumerate(lengths)}
    first = {length: length for length in order}
    for one, other in _compared(request):
        if one in first and other in first:
            low, high = sorted((first[one], first[other]), key=order.__getitem__)
            first = {length: low if found == high else found for length, found in first.items()}
    return {length: found for length, found in first.items() if length != found}


def _lengths(fragment: Fragment) -> Iterator[Length]:
    """The lengths that callers choose."""
    for param in fragment.params:
        if param.kind is not ParamKind.POINTER:
            yield from lengths_of(param)


def lengths_of(param: Param) -> Iterator[Length]:
    """The lengths of an argument along its axes."""
    return (Length(param.var, axis) for axis in range(param.rank))


def _compared(request: GenerateRequest) -> Iterator[tuple[Expr, Expr]]:
    """Lengths of which one must not be larger than the other, or the smaller one counts."""
    formulas = [each.formula for each in request.assumptions if each.formula is not None]
    for expr in (*formulas, *request.program.requires, *request.program.values):
        for sub in subexpressions(expr):
            match sub:
                case Apply(Operator.MIN | Operator.LE, (left, right)):
                    yield strip_casts(left), strip_casts(right)
