"""Names that a user gives, among those that there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeVar

from metalift.result.errors import UsageError

T = TypeVar("T")
SEPARATORS = re.compile(r"::|\.|[<(].*")  # of the parts of a qualified name; what a template or an overload adds


def chosen(asked: Sequence[str], available: Iterable[str], what: str, where: str) -> tuple[str, ...]:
    """The names asked for, once each, all of which must be available. `what`: "function", "target"; `where`: "in kernel.c"."""
    names = tuple(available)
    for name in asked:
        if name not in names:
            known = ", ".join(names) if names else "none"
            raise UsageError(f"no {what} {name!r} {where}{did_you_mean(name, names)}; there are: {known}")
    return tuple(dict.fromkeys(asked))


def chosen_by_part(asked: Sequence[str], available: Iterable[str], what: str, where: str) -> tuple[str, ...]:
    """The names asked for, as `chosen`; one that is none may be a part of just one: `scale`, or `scale_all` of `ns::scale_all`.

    The part between separators goes before any other part. Raises UsageError where several names have it.
    """
    names = tuple(available)
    found = []
    for part in asked:
        whole = [name for name in names if part == name] or [name for name in names if part in parts(name)]
        having = whole or [name for name in names if part and part in name]
        if len(having) > 1:
            raise UsageError(f"several {what}s {where} are called like {part!r}: {', '.join(having)}; name one of them")
        found.append(having[0] if having else part)
    return chosen(found, names, what, where)


def parts(name: str) -> list[str]:
    """The parts of a qualified name: namespaces and classes, then what it is called itself."""
    return [part for part in SEPARATORS.split(name) if part]


def by_name(found: Mapping[str, T], name: str, default: T) -> T:
    """What there is for a qualified name, which may be named without its namespace."""
    return found.get(name, found.get("".join(parts(name)[-1:]), default))


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """A hint at the nearest name, or nothing."""
    near = get_close_matches(name, names, n=1)
    return f" (did you mean {near[0]}?)" if near else ""
