"""Which parameter of one function is which of another one, and how long its arrays are in terms of that one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, permutations, product

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Length, Operator, Select, Update, Var, integer
from metalift.ir.expr.types import INT, BoolType, RealType, TensorType, Type, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions, transform
from metalift.ir.program.fragment import Fragment, Param, ParamKind
from metalift.ir.program.summary import Summary
from metalift.ir.text import show
from metalift.result.errors import UsageError
from metalift.system.names import did_you_mean
from metalift.vcgen.correspondence import Correspondence, Lengths, NoCorrespondence

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

    def counterparts(self, first: Fragment, second: Fragment) -> dict[str, str]:
        """The first function's names of the second one's parameters: what `--map` says, else the same; of a name with `_` behind
        it, as names that mean something in Python are written, the one without it.
        """
        others, own = ({param.var.name for param in each.params} for each in (first, second))
        plain = {name: name.removesuffix("_") for name in own - others}
        spelled = {name: other for name, other in plain.items() if other in others - own}
        return {name: self.names.get(name, spelled.get(name, name)) for name in own}


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
    counterparts = stated.counterparts(first, second)
    for param in second.params:
        name = param.var.name
        other = params.get(counterparts[name])
        if other is None and (value := default(param)) is not None:
            scalars[name] = value
            continue
        if other is None:
            raise UsageError(f"{second.name} has a parameter {name}, and {first.name} has none of that name{_near(name, params)}")
        if isinstance(param.var.type, TensorType) != isinstance(other.var.type, TensorType):
            raise UsageError(f"{name} is an array in one function and a number in the other")
        if isinstance(param.var.type, TensorType):
            shape = stated.shapes.get(name) or stated.shapes.get(other.var.name)
            exactly = param.kind is ParamKind.POINTER
            arrays[name] = list(_lengths(other, param.var.type.rank, one, params, shape, exactly=exactly))
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


def default(param: Param) -> Const | None:
    """What a parameter is where it is not given; None where that is no number of its type."""
    value, type_ = param.default, param.var.type
    if value is None or isinstance(value, bool) != isinstance(type_, BoolType):
        return None
    if isinstance(type_, RealType):
        return Const(Fraction(value), type_)
    return Const(value, type_) if not is_integer(type_) or isinstance(value, int) else None


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
    param: Param,
    rank: int,
    one: Summary,
    params: Mapping[str, Param],
    shape: Sequence[str] | None,
    *,
    exactly: bool = False,
) -> Iterator[Lengths]:
    """The shapes that an array may have in the second function; `exactly`: as far as the first one reads it."""
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
        ways = (extents,) if exactly else (tuple(map(plain, extents)), extents)
        yield from (Lengths(param.var, each) for each in dict.fromkeys(ways))
    elif own == 1 and len(extents) == 1:
        order, rows = list(params), row_by_row(param.var.name, one)
        if rows is not None and len(rows) == rank:
            yield Lengths(param.var, rows)
        shapes = factors(extents[0], rank)  # most functions have their numbers of rows before those of columns
        for parts in sorted(shapes, key=lambda each: [_first(part, order) for part in each]):
            if parts != rows:
                yield Lengths(param.var, parts)
    elif rank == 1:  # what is read depends on data
        sizes = (each.var for each in params.values() if is_integer(each.var.type))
        yield from (Lengths(param.var, (size,)) for size in sizes)


def shapes(first: Fragment, one: Summary) -> dict[str, tuple[str, ...]]:
    """The likeliest lengths, as text, of each array behind a pointer in another function, as far as they are known."""
    found: dict[str, tuple[str, ...]] = {}
    for param in first.params:
        extents = one.shapes.get(param.var.name, ())
        if isinstance(param.var.type, TensorType) and param.kind is ParamKind.POINTER and extents:
            rows = row_by_row(param.var.name, one) if len(extents) == 1 else None
            found[param.var.name] = tuple(show(without_casts(each)) for each in rows or map(plain, extents))
    return found


def without_casts(expr: Expr) -> Expr:
    """An integer without conversions between integer types, for people."""
    return transform(lambda each: each.arg if isinstance(each, Cast) and is_integer(each.type) else each, expr)


def row_by_row(name: str, summary: Summary) -> tuple[Expr, ...] | None:
    """The lengths of an array's axes where the strides at which the summary reads or writes it say so; None where they do not."""
    extents = summary.shapes.get(name, ())
    if len(extents) != 1:
        return None
    rest, parts = Polynomial.of(plain(extents[0])), []
    for stride in sorted(strides(name, summary), key=_size, reverse=True):
        quotient, remainder = rest.divide(stride)
        if not remainder.terms and _is_length(quotient) and _is_length(stride):
            parts.append(quotient.to_expr())
            rest = stride
    return (*parts, rest.to_expr()) if parts else None


def strides(name: str, summary: Summary) -> set[Polynomial]:
    """By how much an index of the array grows with each counter, but for 1."""
    terms = [*(each.value for each in summary.bindings), *(term for _, term in summary.outputs)]
    found: set[Polynomial] = set()
    for part in (part for term in terms for part in subexpressions(term)):
        match part:
            case Select(Var(other), (index,)) | Update(Var(other), _, _, (index,)) if other == name:
                counters = [var for var in free_vars(index) if var.type == INT]
                affine = Polynomial.of(index).affine_in(counters)
                found |= set(affine[0].values()) if affine is not None else set()
    return {each for each in found if each.terms and each != Polynomial.constant(1)}


def _size(stride: Polynomial) -> tuple[int, int]:
    return max(len(monomial) for monomial, _ in stride.terms), max(abs(factor) for _, factor in stride.terms)


def _is_length(value: Polynomial) -> bool:
    """Whether it is a number or a sum and product of parameters, as people write lengths."""
    least = value.constant_value
    return least > 1 if least is not None else all(isinstance(without_casts(atom), Var) for atom in value.atoms)


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


def like(first: Fragment, one: Summary, said: Stated) -> list[dict[str, Type]]:
    """What parameters of the second function may be, where no annotation says it: those of the first one, arrays with as many
    axes as their lengths have factors, or with as many as there.
    """
    params = {param.var.name: param.var.type for param in first.params}
    named = {**{f"{name}_": name for name in params}, **{name: name for name in params}, **said.names}
    folded = ranks(first, one)
    several: dict[str, Type] = {}
    same: dict[str, Type] = {}
    for name, other in named.items():
        type_ = params.get(other)
        if type_ is not None and not isinstance(type_, TensorType):
            several[name] = same[name] = type_
        elif type_ is not None:
            shape = said.shapes.get(name)
            several[name] = TensorType(type_.element, folded[other] if shape is None else len(shape))
            same[name] = TensorType(type_.element, type_.rank if shape is None else len(shape))
    return [several] if several == same else [several, same]


def check_results(one: Fragment, other: Fragment, said: Stated, *, at_key: bool = False) -> None:
    """Raise NoCorrespondence where what they return is not of one kind.

    `at_key`: the second one returns what the first has at a key.
    """
    if one.form != other.form:
        raise NoCorrespondence("one of the results may be None, or is a tuple in a tuple, where the other one is not")
    if other.key is not None or (one.key is not None and not at_key):
        raise NoCorrespondence("results that are dictionaries or sets are not compared")
    if one.result is not None and other.result is None:
        raise NoCorrespondence(f"{one.name} returns something that {other.name} does not return")
    given = said.counterparts(one, other).get(other.gives, other.gives)
    if one.gives and given and one.gives != given:
        raise NoCorrespondence(f"{one.name} returns {one.gives} and {other.name} returns {other.gives}")


def ranks(fragment: Fragment, summary: Summary) -> dict[str, int]:
    """How many axes arrays may have in another function: as their strides say, or as many as their lengths have factors."""
    found: dict[str, int] = {}
    for param in fragment.params:
        if isinstance(param.var.type, TensorType):
            shape = summary.shapes.get(param.var.name, ())
            several = len(shape) == 1 and param.kind is ParamKind.POINTER
            rows = row_by_row(param.var.name, summary) if several else None
            folded = len(rows) if rows else next((n for n in (2, 3, 4) if several and any(factors(shape[0], n))), None)
            found[param.var.name] = folded or param.var.type.rank
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
