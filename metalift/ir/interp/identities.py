"""Identities: numbers that stand for strings, tuples and records, and functions that take these apart and make them.

The number of a string or tuple is that of a text which says what it is, so that equal ones have equal numbers, and others have
not. Proofs know nothing of this: to them the functions are any, which those here are among.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any, TypeAlias

from metalift.ir.expr.nodes import Call, Expr, type_of
from metalift.ir.expr.types import BOOL, ROW, BoolType, IntType, MachineInt, RealType, ScalarType, Type
from metalift.ir.interp.functions import EXTERNAL, mpf_to_fraction
from metalift.ir.interp.values import Real

PART = f"{EXTERNAL}part."  # in front of the position of a part, and of the name of what it is a part of
WHOLE = f"{EXTERNAL}whole."  # in front of the name of what is made of parts
Part: TypeAlias = bool | int | Fraction


def tuple_type(parts: Sequence[ScalarType]) -> IntType:
    """The type of tuples of these."""
    return IntType("tuple", tuple((f"_{number}", part) for number, part in enumerate(parts, 1)))


def row_type(fields: Sequence[tuple[str, ScalarType]]) -> IntType:
    """The type of rows with these keys."""
    return IntType(ROW, tuple(fields))


def is_row(type_: Type) -> bool:
    """Whether values of the type are rows."""
    return isinstance(type_, IntType) and type_.of == ROW


def part_of(whole: Expr, position: int) -> Expr:
    """A part of a tuple or record; of one that is made of its parts, that part."""
    type_ = type_of(whole)
    assert isinstance(type_, IntType)
    if isinstance(whole, Call) and whole.function.startswith(WHOLE):
        return whole.args[position]
    name, part = type_.fields[position]
    return Call(f"{PART}{position}.{_code(type_)}.{name}", (whole,), part)


def whole_of(parts: Sequence[Expr], record: IntType | None = None) -> Expr:
    """The tuple of these, or the record of a type whose fields have their types; of all parts of one, that itself.

    A row stays one that is made of these: the one that has them may have keys that nobody asked for.
    """
    types = [each for each in map(type_of, parts) if isinstance(each, ScalarType)]
    type_ = record or tuple_type(types)
    assert [each for _, each in type_.fields] == types, "parts have the types of the fields"
    if is_row(type_):
        return Call(f"{WHOLE}{_code(type_)}", tuple(parts), type_)
    whole = parts[0].args[0] if parts and isinstance(parts[0], Call) and parts[0].function.startswith(PART) else None
    if whole is not None and type_of(whole) == type_ and list(parts) == [part_of(whole, at) for at in range(len(types))]:
        return whole
    return Call(f"{WHOLE}{_code(type_)}", tuple(parts), type_)


def _code(type_: ScalarType) -> str:
    """The type as a part of a name: different types have different ones."""
    match type_:
        case BoolType():
            return "b"
        case MachineInt(bits, signed):
            return f"{'i' if signed else 'u'}{bits}"
        case RealType(bits):
            return f"f{bits}"
        case IntType(of, fields):
            parts = ".".join(f"_{name}.{_code(part)}" if of == ROW else _code(part) for name, part in fields)
            return f"{of}.{parts}.end" if fields else of or "int"


_CALLED = re.compile(rf"(?:{re.escape(PART)}[^(]*?\.end\.(?P<part>\w+)|{re.escape(WHOLE)}(?P<whole>\w+)\.[^(]*?):[^(]+\(")


_NUMBER = re.compile(r"(?<![\w.])\d{10,4000}(?::str)?(?!\.?\w)")  # as large as that of a string


def for_people(text: str) -> str:
    """The text of expressions for people: parts of tuples and records as `a.b`, and these as they are made; strings in quotes."""
    return _NUMBER.sub(_quoted, _with_parts(text))


_LONG = 160  # characters
_FITS = re.compile(r"( fits [^()]+)$")
_NAME = re.compile(r"\b[A-Za-z_]\w*\b(?!\()")
_ARRAY = re.compile(r"\b([A-Za-z_]\w*)\[")
_NO_NAMES = frozenset({"if", "else", "and", "or", "not", "True", "False"})


def in_brief(text: str) -> str:
    """An assumption for people; of a long term that has to fit a type, and of a fold, only what it is computed from."""
    fits = _FITS.search(text)
    if fits is None or (len(text) <= _LONG and "fold(" not in text):
        return for_people(text)
    term = text[: fits.start()]
    names = dict.fromkeys(_ARRAY.findall(term) or [name for name in _NAME.findall(term) if name not in _NO_NAMES])
    return f"what is computed from {', '.join(names)}{fits[0]}"


def _quoted(found: re.Match[str]) -> str:
    meant = content(int(found[0].removesuffix(":str")))
    return json.dumps(meant, ensure_ascii=False) if isinstance(meant, str) else found[0]


def _with_parts(text: str) -> str:
    found = _CALLED.search(text)
    if found is None:
        return text
    end = _closing(text, found.end())
    inside, rest = _with_parts(text[found.end() : end]), _with_parts(text[end + 1 :])
    if found["part"]:
        shown = f"{inside if _is_atom(inside) else f'({inside})'}.{found['part']}"
    else:
        shown = f"{'' if found['whole'] == 'tuple' else found['whole']}({inside})"
    return f"{text[: found.start()]}{shown}{rest}"


def _closing(text: str, start: int) -> int:
    """Where the parenthesis ends that was opened before `start`; the end of the text where it does not."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def _is_atom(text: str) -> bool:
    """Whether a point behind it takes a part of all of it."""
    return re.fullmatch(r"[\w.]+(\[[^\[\]]*\])*", text) is not None


def of_text(text: str) -> int:
    """The number of a string."""
    return int.from_bytes(b"\x01str:" + text.encode("utf-8", "surrogatepass"))


def of_parts(parts: Sequence[Real | int]) -> int:
    """The number of a tuple or record. Where its floats were computed with bounds of their errors, it tells these too."""
    return int.from_bytes(b"\x01tup:" + json.dumps(list(map(_shown, parts))).encode())


def _shown(part: Real | int) -> str:
    match part:
        case bool():
            return f"b{int(part)}"
        case int():
            return f"i{part}"
        case Fraction():
            return f"r{part}"
        case float():
            bound = getattr(part, "bound", 0.0)
            return f"r{Fraction(part)}" + (f"~{bound!r}" if bound else "")
        case _:
            return f"r{mpf_to_fraction(part)}"


@lru_cache(maxsize=1 << 14)
def error_bounds(number: int) -> tuple[float, ...]:
    """For each part of a tuple or record how far it may be from the exact one: 0 where nothing is said."""
    shown = json.loads(number.to_bytes((number.bit_length() + 7) // 8)[5:])
    return tuple(float(each.partition("~")[2] or 0.0) for each in shown)


@lru_cache(maxsize=1 << 14)
def content(number: int) -> str | tuple[Part, ...] | None:
    """What a number stands for; None where it is not that of anything."""
    if number <= 0:
        return None
    data = number.to_bytes((number.bit_length() + 7) // 8)
    try:
        if data[:5] == b"\x01str:":
            return data[5:].decode("utf-8", "surrogatepass")
        if data[:5] == b"\x01tup:":
            return tuple(_part(each) for each in json.loads(data[5:]))
    except ValueError:
        pass
    return None


def _part(text: str) -> Part:
    match text[0]:
        case "b":
            return text[1:] == "1"
        case "i":
            return int(text[1:])
        case _:
            return Fraction(text[1:].partition("~")[0])


def apply(name: str, args: Sequence[Any], type_: ScalarType) -> Part | None:
    """A value of one of the functions; None where the number that it is given is not that of anything, or for others."""
    if name.startswith(WHOLE):
        return of_parts(args)
    if name.startswith(PART) and len(args) == 1 and isinstance(args[0], int):
        parts = content(args[0])
        position = int(name.removeprefix(PART).partition(".")[0])
        if isinstance(parts, tuple) and position < len(parts) and isinstance(parts[position], bool) == (type_ == BOOL):
            return parts[position]
    return None


def readable(number: int, type_: ScalarType) -> object:
    """What a number stands for, for people and for running code: records have names of their parts, tuples have none."""
    if not isinstance(type_, IntType) or not type_.of:
        return number
    found = content(number)
    if isinstance(found, tuple) and len(found) == len(type_.fields):
        parts = {name: _plain(part, each) for part, (name, each) in zip(found, type_.fields, strict=True)}
        return list(parts.values()) if type_.of == "tuple" else parts
    return found if isinstance(found, str) else f"#{number}"


def _plain(part: Part, type_: ScalarType) -> object:
    if isinstance(type_, IntType) and type_.of:
        return readable(int(part), type_)
    return float(part) if isinstance(type_, RealType) else part


def number_of(value: object, type_: ScalarType) -> object:
    """The inverse of `readable`; what is nothing of the type stays as it is."""
    if not isinstance(type_, IntType) or not type_.of:
        return value
    if not type_.fields:
        return of_text(value) if isinstance(value, str) else value
    names = [name for name, _ in type_.fields]
    items = [value[name] for name in names] if isinstance(value, dict) and value.keys() == set(names) else value
    if not isinstance(items, list | tuple) or len(items) != len(type_.fields):
        return value
    parts: list[Part] = []
    for item, (_, each) in zip(items, type_.fields, strict=True):
        found = number_of(item, each)
        if not isinstance(found, bool | int | float) or not isfinite(found):
            return value
        parts.append(Fraction(found) if isinstance(each, RealType) else bool(found) if each == BOOL else int(found))
    return of_parts(parts)
