"""Names that are None on some paths and something else on others: a truth value and a value, as `Maybe` has them.

Where paths meet, or come back to a loop's header, the two are merged as the items of a tuple are. They are called like the name,
with a mark behind it by which `part_of_name` finds them in what the name stands for on another path.
"""

from __future__ import annotations

from collections.abc import Sequence

from metalift.frontend.python.stands_for import Char, Items, Known, Maybe, NoneValue, Value, View, nothing
from metalift.ir.arith.bounds import Rooms, not_negative
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import FALSE, TRUE, Cast, Expr, type_of
from metalift.ir.expr.types import INT, ScalarType

CODE = "'"  # behind the name of a character
PRESENT, VALUE = "?", "!"  # behind the name of what may be None: whether it is not, and the value


def maybe(present: Value, value: Value) -> Value:
    """A value that may be None, or what it is where that is known."""
    if present == TRUE:
        return value
    assert isinstance(present, Expr), "whether there is a value is a truth value"
    return NoneValue() if present == FALSE else Maybe(present, value)


def narrowed(value: Value, facts: Rooms) -> Value:
    """The value alone, or None, where the facts say which of them it is."""
    if not isinstance(value, Maybe):
        return value
    flag = Polynomial.of(Cast(value.present, INT))
    if not_negative(flag - 1, facts):
        return value.value
    return NoneValue() if not_negative(-flag, facts) else value


def columns(values: Sequence[Value | None]) -> tuple[list[Value | None], list[Value | None]] | None:
    """Whether there is a value on each path, and that value; None where they are more than numbers, strings and tuples."""
    if any(isinstance(value, View) or not isinstance(value, Expr | Items | Maybe | NoneValue | None) for value in values):
        return None
    inner = [value.value if isinstance(value, Maybe) else value for value in values]
    like = next((value for value in inner if value is not None and not isinstance(value, NoneValue)), None)
    if like is None:
        return None
    there: list[Value | None] = []
    for value in values:
        match value:
            case None:
                there.append(None)
            case Maybe(present, _):
                there.append(present)
            case _:
                there.append(FALSE if isinstance(value, NoneValue) else TRUE)
    return there, [nothing(like) if isinstance(value, NoneValue) else value for value in inner]


def part_of_name(value: Value | None, part: str) -> Value | None:
    """What a part of a name stands for, where the name stands for the value; each part of None is None."""
    if part == PRESENT:
        if isinstance(value, Maybe):
            return value.present
        return None if value is None else FALSE if isinstance(value, NoneValue) else TRUE
    if part == CODE:
        return value.code if isinstance(value, Char) else None
    if part == VALUE:
        return value.value if isinstance(value, Maybe) else value
    if isinstance(value, NoneValue):
        return value
    return value.items[int(part)] if isinstance(value, Items) and int(part) < len(value.items) else None


def found_none(known: Known, place: str, entry: Value, now: Value | None) -> bool:
    """Find out what of a name is None at a loop's entry and something else when it comes back, or the other way round."""
    if isinstance(entry, Items) and isinstance(now, Items) and len(entry.items) == len(now.items):
        pairs = zip(entry.items, now.items, strict=True)
        return any([found_none(known, f"{place}.{at}", *pair) for at, pair in enumerate(pairs)])
    both = (entry, now)
    if entry == now or not all(isinstance(each, Expr | Items | Maybe | NoneValue) for each in both):
        return False
    if not any(isinstance(each, Maybe | NoneValue) for each in both):
        return False
    new = place not in known.maybe
    known.maybe.add(place)
    return (isinstance(entry, NoneValue) and _kind(known, f"{place}.{VALUE}", now)) or new


def _kind(known: Known, place: str, value: Value | None) -> bool:
    """Note of what kind the value is of which a loop's entry says nothing; whether that is new."""
    if isinstance(value, Maybe):
        value = value.value
    if isinstance(value, Items):
        new = place not in known.widths
        known.widths[place] = len(value.items)
        return any([new, *(_kind(known, f"{place}.{at}", item) for at, item in enumerate(value.items))])
    if place in known.types or not isinstance(value, Expr) or not isinstance(type_ := type_of(value), ScalarType):
        return False
    known.types[place] = type_
    return True
