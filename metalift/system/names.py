"""Names that a user gives, among those that there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from metalift.result.errors import UsageError


def chosen(asked: Sequence[str], available: Iterable[str], what: str, where: str) -> tuple[str, ...]:
    """The names asked for, once each, all of which must be available. `what`: "function", "target"; `where`: "in kernel.c"."""
    names = tuple(available)
    for name in asked:
        if name not in names:
            known = ", ".join(names) if names else "none"
            raise UsageError(f"no {what} {name!r} {where}{did_you_mean(name, names)}; there are: {known}")
    return tuple(dict.fromkeys(asked))


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """A hint at the nearest name, or nothing."""
    near = get_close_matches(name, names, n=1)
    return f" (did you mean {near[0]}?)" if near else ""
