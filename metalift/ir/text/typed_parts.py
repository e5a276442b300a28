"""Parts of a text that is being read: what each becomes once the types around it are known.

A literal's type comes from what stands beside it, so a part is kept as a function of the types of the names and of the type that
its place asks for. What counts as showing a type is the same here and in `metalift.ir.text.printer.shows_type`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from metalift.ir.expr.nodes import (
    TRUE,
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Exists,
    Expr,
    Filter,
    Fold,
    Forall,
    Invoke,
    Ite,
    Item,
    Lambda,
    Length,
    MakeTuple,
    Operator,
    Select,
    Update,
    Var,
    type_of,
)
from metalift.ir.expr.types import (
    BOOL,
    INT,
    REAL,
    FunctionType,
    IntType,
    MachineInt,
    RealType,
    TensorType,
    TupleType,
    Type,
    show_type,
)
from metalift.ir.interp.functions import FUNCTIONS
from metalift.ir.text.tokens import ParseError

Names: TypeAlias = Mapping[str, Type]
Elaborate: TypeAlias = Callable[[Names, "Type | None"], Expr]


@dataclass(frozen=True, slots=True)
class Term:
    """A part of the text: what it becomes, whether it shows its own type, and its number if it is a bare one."""

    make: Elaborate
    typed: bool
    number: Fraction | None = None


Ranges: TypeAlias = tuple[tuple[str, ...], list[Term]]


def group(terms: Sequence[Term], names: Names, expected: Type | None) -> tuple[Expr, ...]:
    """Operands of one type: the expected one, or that of the first operand that shows it, or that of the first."""
    if expected is not None:
        return tuple(term.make(names, expected) for term in terms)
    first = next((term for term in terms if term.typed), terms[0])
    made = first.make(names, None)  # once: what is nested would else be made as often as two to its depth
    return tuple(made if term is first else term.make(names, type_of(made)) for term in terms)


def operator(op: Operator, terms: Sequence[Term]) -> Term:
    """An operator whose result has its operands' type."""
    return Term(lambda names, expected: Apply(op, group(terms, names, expected)), any(term.typed for term in terms))


def connective(op: Operator, terms: Sequence[Term]) -> Term:
    """and, or, not."""
    return Term(lambda names, _: Apply(op, tuple(term.make(names, BOOL) for term in terms)), True)


def comparison(symbol: str, left: Term, right: Term) -> Term:
    """A comparison; > and >= turn their operands around, != negates."""
    terms = [right, left] if symbol in (">", ">=") else [left, right]
    op = {"<": Operator.LT, ">": Operator.LT, "<=": Operator.LE, ">=": Operator.LE}.get(symbol, Operator.EQ)
    compared = Term(lambda names, _: Apply(op, group(terms, names, None)), True)
    return connective(Operator.NOT, [compared]) if symbol == "!=" else compared


def choice(cond: Term, then: Term, other: Term) -> Term:
    """then if cond else other."""
    arms = (then, other)
    typed = any(arm.typed for arm in arms)
    return Term(lambda names, expected: Ite(cond.make(names, BOOL), *group(arms, names, expected)), typed)


def literal(value: Fraction, type_: Type | None, default: Type, position: int) -> Term:
    """A number, with its own type if it has one."""

    def make(_: Names, expected: Type | None) -> Expr:
        wanted = type_ or expected or default
        if isinstance(wanted, RealType):
            return Const(value, wanted)
        if not isinstance(wanted, IntType | MachineInt) or value.denominator != 1:
            raise ParseError(f"this number is no {show_type(wanted)}", position)
        return Const(int(value), wanted)

    return Term(make, type_ is not None, value)


def truth(value: bool) -> Term:
    """True or False."""
    return Term(lambda _, __: Const(value, BOOL), True)


def variable(name: str, position: int) -> Term:
    """A name, whose type the surroundings know."""

    def make(names: Names, _: Type | None) -> Expr:
        if name not in names:
            raise ParseError(f"nothing is called {name} here", position)
        return Var(name, names[name])

    return Term(make, True)


def tuple_of(items: Sequence[Term]) -> Term:
    """(a, b)."""

    def make(names: Names, expected: Type | None) -> Expr:
        types: tuple[Type | None, ...] = (None,) * len(items)
        if isinstance(expected, TupleType) and len(expected.items) == len(items):
            types = expected.items
        return MakeTuple(tuple(item.make(names, type_) for item, type_ in zip(items, types, strict=True)))

    return Term(make, all(item.typed for item in items))


def indexed(base: Term, indices: Sequence[Term], position: int) -> Term:
    """t[0] is an item of a tuple, x[i, j] an element of a tensor."""

    def make(names: Names, _: Type | None) -> Expr:
        whole = base.make(names, None)
        type_ = type_of(whole)
        if isinstance(type_, TensorType):
            return Select(whole, tuple(index.make(names, INT) for index in indices))
        if not isinstance(type_, TupleType):
            raise ParseError(f"{show_type(type_)} has no elements", position)
        number = indices[0].number if len(indices) == 1 else None
        if number is None or number not in range(len(type_.items)):
            raise ParseError(f"an item of this tuple is chosen by a number below {len(type_.items)}", position)
        return Item(whole, int(number))

    return Term(make, True)


def cast(type_: Type, args: Sequence[Term], position: int) -> Term:
    """f32(a)."""
    if len(args) != 1:
        raise ParseError("a cast has one argument", position)
    return Term(lambda names, _: Cast(args[0].make(names, None), type_), True)


def length(args: Sequence[Term], position: int) -> Term:
    """len(x) or len(x, 1)."""
    axis = args[1].number if len(args) == 2 else Fraction(0)
    if len(args) not in (1, 2) or axis is None or axis.denominator != 1:
        raise ParseError("len has a tensor and, if not the first, an axis", position)
    return Term(lambda names, _: Length(args[0].make(names, None), int(axis)), True)


def function(name: str, args: Sequence[Term], position: int) -> Term:
    """A mathematical function, whose arguments have one type."""
    if not args:
        raise ParseError(f"{name} has arguments", position)

    def make(names: Names, expected: Type | None) -> Expr:
        values = group(args, names, expected)
        return Call(name, values, FUNCTIONS[name].result(type_of(values[0])))

    return Term(make, any(arg.typed for arg in args))


def typed_call(name: str, type_: Type, args: Sequence[Term]) -> Term:
    """f:type(args)."""
    return Term(lambda names, _: Call(name, tuple(arg.make(names, None) for arg in args), type_), True)


def build(body: Term, ranges: Ranges, position: int) -> Term:
    """[body for i < n, j < m]."""
    binders, extents = ranges

    def make(names: Names, expected: Type | None) -> Expr:
        element = expected.element if isinstance(expected, TensorType) else None
        variables = _int_vars(binders)
        bounds = tuple(extent.make(names, INT) for extent in extents)
        cell = body.make(_with(names, *variables), element)
        if isinstance(type_of(cell), TensorType | TupleType):
            raise ParseError("the elements of a tensor are scalars", position)
        return Build(bounds, variables, cell)

    return Term(make, body.typed)


def filter_(body: Term, ranges: Ranges, cond: Term, position: int) -> Term:
    """[body for i < n where cond]."""
    binders, extents = ranges
    if len(binders) != 1:
        raise ParseError("a tensor with a condition has one index", position)

    def make(names: Names, expected: Type | None) -> Expr:
        element = expected.element if isinstance(expected, TensorType) else None
        (index,) = _int_vars(binders)
        inner = _with(names, index)
        kept = Filter(extents[0].make(names, INT), index, cond.make(inner, BOOL), body.make(inner, element))
        if isinstance(type_of(kept.body), TensorType | TupleType):
            raise ParseError("the elements of a tensor are scalars", position)
        return kept

    return Term(make, body.typed)


def fold(extent: Term, init: Term, acc_name: str, index_name: str, body: Term) -> Term:
    """fold(extent, init, acc, index: body)."""

    def make(names: Names, expected: Type | None) -> Expr:
        start = init.make(names, expected)
        acc, index = Var(acc_name, type_of(start)), Var(index_name, INT)
        return Fold(extent.make(names, INT), start, acc, index, body.make(_with(names, acc, index), acc.type))

    return Term(make, init.typed)


def update(base: Term, indices: Sequence[Term], value: Term, ranges: Ranges, guard: Term | None) -> Term:
    """update(base, [indices] = value for i < n where guard)."""
    binders, extents = ranges

    def make(names: Names, expected: Type | None) -> Expr:
        array = base.make(names, expected)
        type_ = type_of(array)
        element = type_.element if isinstance(type_, TensorType) else None
        variables = _int_vars(binders)
        inner = _with(names, *variables)
        bounds = tuple(extent.make(_with(names, *variables[:place]), INT) for place, extent in enumerate(extents))
        where = tuple(index.make(inner, INT) for index in indices)
        condition = guard.make(inner, BOOL) if guard else TRUE
        return Update(array, variables, bounds, where, value.make(inner, element), condition)

    return Term(make, base.typed)


def quantifier(universal: bool, variables: tuple[Var, ...], body: Term) -> Term:
    """forall(i, j: body), exists(i: body)."""
    node = Forall if universal else Exists
    return Term(lambda names, _: node(variables, body.make(_with(names, *variables), BOOL)), True)


def lambda_(params: tuple[Var, ...], body: Term, position: int) -> Term:
    """lambda(i, f32 x: body)."""

    def make(names: Names, expected: Type | None) -> Expr:
        result = expected.result if isinstance(expected, FunctionType) else None
        value = body.make(_with(names, *params), result)
        if isinstance(type_of(value), TensorType | TupleType):
            raise ParseError("a function takes scalars and returns one", position)
        return Lambda(params, value)

    return Term(make, body.typed)


def invoke(parts: Sequence[Term], position: int) -> Term:
    """invoke(f, x, y): the function on its arguments."""
    if not parts:
        raise ParseError("invoke has a function and its arguments", position)

    def make(names: Names, _: Type | None) -> Expr:
        function = parts[0].make(names, None)
        type_ = type_of(function)
        if not isinstance(type_, FunctionType) or len(type_.params) != len(parts) - 1:
            raise ParseError(f"{show_type(type_)} is no function of {len(parts) - 1} arguments", position)
        return Invoke(function, tuple(part.make(names, wanted) for part, wanted in zip(parts[1:], type_.params, strict=True)))

    return Term(make, True)


def default_type(is_whole: bool) -> Type:
    """The type of a literal about which nothing else is known."""
    return INT if is_whole else REAL


def _with(names: Names, *variables: Var) -> dict[str, Type]:
    return {**names, **{var.name: var.type for var in variables}}


def _int_vars(binders: tuple[str, ...]) -> tuple[Var, ...]:
    return tuple(Var(name, INT) for name in binders)
