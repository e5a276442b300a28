"""What a function returns, in one form on all its paths: tuples in tuples, and what is None on some, as values in a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.stands_for import Clash, Items, Iteration, Maybe, NoneValue, Partial, Value, View, nothing
from metalift.ir.expr.nodes import FALSE, TRUE
from metalift.ir.expr.types import TensorType, TupleType, Type
from metalift.ir.program.fragment import Form

SIMPLE = Form()


def form_of(values: Sequence[Value]) -> Form | None:
    """The form that all of these have; None where they have not the same, or one has none."""
    rest = [inner for value in values for inner in _without_none(value)]
    optional = any(isinstance(value, Maybe | NoneValue) for value in values)
    if not rest or any(isinstance(value, Clash | Partial | Iteration) for value in rest):
        return None
    tuples = [value.items for value in rest if isinstance(value, Items)]
    if not tuples:
        return Form(optional)
    if len(tuples) < len(rest) or len({len(items) for items in tuples}) > 1 or not tuples[0]:
        return None
    parts = [form_of(column) for column in zip(*tuples, strict=True)]
    return None if None in parts else Form(optional, tuple(part for part in parts if part is not None))


def _without_none(value: Value) -> Iterator[Value]:
    if isinstance(value, Maybe):
        yield value.value
    elif not isinstance(value, NoneValue):
        yield value


def is_plain(form: Form) -> bool:
    """Whether the values in a row are what is returned: one value, or a tuple of values."""
    return not form.optional and all(part == SIMPLE for part in form.parts or ())


def in_a_row(value: Value, form: Form, likes: Sequence[Value], empty: Callable[[View], Value]) -> list[Value]:
    """A value of the form as single values; where it is None, such as `likes`, values of the form, are without what they are."""
    found: list[Value] = []
    known = [inner for like in likes for inner in _without_none(like)]
    if form.optional:
        found.append(value.present if isinstance(value, Maybe) else FALSE if isinstance(value, NoneValue) else TRUE)
        value = value.value if isinstance(value, Maybe) else value
    if form.parts is None:
        return [*found, _nothing(known, empty) if isinstance(value, NoneValue) else value]
    for at, part in enumerate(form.parts):
        column = [like.items[at] for like in known if isinstance(like, Items)]
        found += in_a_row(value.items[at] if isinstance(value, Items) else NoneValue(), part, column, empty)
    return found


def _nothing(likes: Sequence[Value], empty: Callable[[View], Value]) -> Value:
    like = likes[0]
    return empty(like) if isinstance(like, View) else nothing(like)


def objects_of(value: Value) -> list[object]:
    """The lists that a value is made of; a scalar stands for itself."""
    match value:
        case View():
            return [(id(value.object), value.prefix)]
        case Items(items):
            return ["tuple", *(part for item in items for part in objects_of(item))]
        case _:
            return ["scalar"]


def common_type(types: list[Type]) -> Type | None:
    """One type for results of several."""
    first = types[0]
    for other in types[1:]:
        match first, other:
            case TensorType(one, rank), TensorType(two, rank_):
                both = scalars.joined(one, two)
                if both is None or rank != rank_:
                    return None
                first = TensorType(both, rank)
            case TupleType(items), TupleType(others) if len(items) == len(others):
                parts = [common_type([one, two]) for one, two in zip(items, others, strict=True)]
                if any(part is None for part in parts):
                    return None
                first = TupleType(tuple(part for part in parts if part is not None))
            case _:
                both = scalars.joined(first, other)
                if both is None:
                    return None
                first = both
    return first
