"""Which parameter of one function is which of another one, and how long its arrays are in terms of that one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, permutations, product

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Const, Expr, Length, Operator, integer
from metalift.ir.expr.types import TensorType, is_integer
from metalift.ir.expr.walk import free_vars
from metalift.ir.program.fragment import Fragment, Param, ParamKind
from metalift.ir.program.summary import Summary
from metalift.result.errors import UsageError
from metalift.system.names import did_you_mean
from metalift.vcgen.correspondence import Correspondence, Lengths

TRIED = 24  # ways to divide lengths among axes


@dataclass(frozen=True, slots=True)
class Stated:
    """What a user says: the first function's names of parameters of the second, and shapes of the second's arrays and results."""

    names: Mapping[str, str]
    shapes: Mapping[str, tuple[str, ...]]
    result: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Sequence[str], shapes: str) -> Stated:
        """From `--map b=a` and `--shapes 'a:n,k x:k -> y:n'`. Raises UsageError."""
        pairs = dict(_pair(text) for text in names)
        before, arrow, after = shapes.partition("->")
        found = dict(_shape(text) for text in before.split())
        results = [_shape(text) for text in after.split()]
        if arrow and not results:
            raise UsageError(f"--shapes {shapes!r}: nothing after ->; write the arrays that the result stands for, as in -> y:n")
        found.update(results)
        return cls(pairs, found, tuple(name for name, _ in results))


def _pair(text: str) -> tuple[str, str]:
    name, equals, other = text.partition("=")
    if not equals or not name or not other:
        raise UsageError(f"--map {text!r}: write the port's parameter, =, and the source's, as in --map a=x")
    return name, other


def _shape(text: str) -> tuple[str, tuple[str, ...]]:
    name, colon, lengths = text.partition(":")
    if not colon or not name or not all(lengths.split(",")):
        raise UsageError(f"--shapes {text!r}: write an array, a colon and its lengths, as in a:n,k")
    return name, tuple(lengths.split(","))


def matched(first: Fragment, one: Summary, second: Fragment, stated: Stated) -> Iterator[Correspondence]:
    """The ways in which the parameters of the second function may be those of the first, the likeliest first.

    Raises UsageError where a parameter has no counterpart.
    """
    params = {param.var.name: param for param in first.params}
    check_said(first, second, stated)
    scalars: dict[str, Expr] = {}
    arrays: dict[str, list[Lengths]] = {}
    for param in second.params:
        name = param.var.name
        other = params.get(stated.names.get(name, name))
        if other is None:
            raise UsageError(f"{second.name} has a parameter {name}, and {first.name} has none of that name{_near(name, params)}")
        if isinstance(param.var.type, TensorType) != isinstance(other.var.type, TensorType):
            raise UsageError(f"{name} is an array in one function and a number in the other")
        if isinstance(param.var.type, TensorType):
            shape = stated.shapes.get(name) or stated.shapes.get(other.var.name)
            arrays[name] = list(_lengths(other, param.var.type.rank, one, params, shape))
            if not arrays[name]:
                raise UsageError(f"how long {name} is along its {param.var.type.rank} axes is not known; say it with --shapes")
        else:
            scalars[name] = other.var
    results = list(_results(first, one, second, params, stated, arrays))
    names = list(arrays)
    choices = product(*arrays.values(), *results) if results is not None else product(*arrays.values())
    for choice in islice(choices, TRIED):
        own, made = choice[: len(names)], choice[len(names) :]
        yield Correspondence(scalars, dict(zip(names, own, strict=True)), tuple(made))


def check_said(first: Fragment, second: Fragment, stated: Stated) -> None:
    """Raise UsageError where a name that the user gives is none."""
    own, others = ([param.var.name for param in each.params] for each in (second, first))
    for name in stated.names:
        if name not in own:
            raise UsageError(f"--map: {second.name} has no parameter {name}{did_you_mean(name, own)}")
    for name in stated.shapes:
        if name not in own and name not in others:
            raise UsageError(f"--shapes: neither function has an array {name}{did_you_mean(name, own)}")


def _near(name: str, params: Mapping[str, Param]) -> str:
    return f"{did_you_mean(name, list(params))}; it has {', '.join(params)}; name one with --map {name}=..."


def _results(
    first: Fragment,
    one: Summary,
    second: Fragment,
    params: Mapping[str, Param],
    stated: Stated,
    arrays: Mapping[str, Sequence[Lengths]],
) -> Iterator[list[Lengths]]:
    """The arrays of the first function that what the second one returns stands for."""
    if second.result is None or first.result is not None:
        return
    taken = {lengths.array.name for found in arrays.values() for lengths in found}
    written = [name for name, _ in one.outputs if name != "return"]
    made = (first.gives,) if first.gives else tuple(name for name in written if name not in taken)
    names = stated.result or made or tuple(written)
    for name in names:
        if name not in params:
            raise UsageError(f"--shapes: {first.name} has no array {name}{did_you_mean(name, list(params))}")
    types = getattr(second.result, "items", (second.result,))
    for name, type_ in zip(names, types, strict=False):
        rank = type_.rank if isinstance(type_, TensorType) else 1
        found = list(_lengths(params[name], rank, one, params, stated.shapes.get(name)))
        yield found or [Lengths(params[name].var, tuple(integer(0) for _ in range(rank)))]


def _lengths(
    param: Param, rank: int, one: Summary, params: Mapping[str, Param], shape: Sequence[str] | None
) -> Iterator[Lengths]:
    """The shapes that an array may have in the second function."""
    assert isinstance(param.var.type, TensorType)
    own = param.var.type.rank
    if shape is not None:
        if len(shape) != rank:
            raise UsageError(f"--shapes: {param.var.name} has {rank} axes here, not {len(shape)}; annotate the array of the port")
        yield Lengths(param.var, tuple(_length(each, params) for each in shape))
        return
    if param.kind is not ParamKind.POINTER:
        extents: tuple[Expr, ...] = tuple(Length(param.var, axis) for axis in range(own))
    else:
        extents = one.shapes.get(param.var.name, ())
    if own == rank and len(extents) == rank:
        yield from dict.fromkeys((Lengths(param.var, tuple(map(plain, extents))), Lengths(param.var, extents)))
    elif own == 1 and len(extents) == 1:
        order = list(params)
        shapes = factors(extents[0], rank)  # most functions have their numbers of rows before those of columns
        for parts in sorted(shapes, key=lambda each: [_first(part, order) for part in each]):
            yield Lengths(param.var, parts)
    elif rank == 1:  # what is read depends on data
        sizes = (each.var for each in params.values() if is_integer(each.var.type))
        yield from (Lengths(param.var, (size,)) for size in sizes)


def _length(text: str, params: Mapping[str, Param]) -> Expr:
    if text.isdecimal():
        return integer(int(text))
    if text not in params or isinstance(params[text].var.type, TensorType):
        raise UsageError(f"--shapes: {text} is no number of the source{did_you_mean(text, list(params))}")
    return params[text].var


def _first(part: Expr, order: Sequence[str]) -> int:
    """Where the parameters of a length stand among all."""
    return min((order.index(var.name) for var in free_vars(part) if var.name in order), default=len(order))


def plain(extent: Expr) -> Expr:
    """A length without the cells that are read even where there is nothing: max(1, n) as n, max(n*k - k + 1, n*k) as n*k."""
    match extent:
        case Apply(Operator.MAX, (Const(), some)) | Apply(Operator.MAX, (some, Const())):
            return some
        case Apply(Operator.MAX, lengths):
            products = [each for each in lengths if len(Polynomial.of(each).terms) == 1]
            return products[0] if len(products) == 1 else extent
        case _:
            return extent


def ranks(fragment: Fragment, summary: Summary) -> dict[str, int]:
    """How many axes arrays may have in another function: as many as their lengths have factors."""
    found = {}
    for param in fragment.params:
        if isinstance(param.var.type, TensorType):
            shape = summary.shapes.get(param.var.name, ())
            several = len(shape) == 1 and param.kind is ParamKind.POINTER
            found[param.var.name] = next((n for n in (2, 3, 4) if several and any(factors(shape[0], n))), param.var.type.rank)
    return found


def factors(extent: Expr, rank: int) -> Iterator[tuple[Expr, ...]]:
    """A length as a product of so many numbers, in each order."""
    terms = Polynomial.of(plain(extent)).terms
    if len(terms) != 1:
        return
    ((monomial, factor),) = terms
    parts = [*monomial, *([integer(int(factor))] if factor != 1 else [])]
    if len(parts) == rank:
        yield from dict.fromkeys(permutations(parts))
