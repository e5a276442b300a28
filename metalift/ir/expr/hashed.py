"""Trees that are looked up often: the hash of a node is computed once, and two equal nodes are compared once.

Terms are made anew all the time, and a table finds one by comparing it with an equal one, down to the leaves. Nodes that were
found equal get a common mark, so that the next comparison of the two, or of larger terms around them, ends there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar


class Hashed:
    """What `hash_once` needs of a class with slots. Neither is a field: they are not compared, copied or pickled."""

    __slots__ = ("_hash", "_mark")

    _hash: int
    _mark: object


T = TypeVar("T", bound=Hashed)


def hash_once(cls: type[T]) -> type[T]:
    """Keep the hash of each object of an immutable dataclass, and which others are equal to it."""
    compute: Callable[[T], int] = cls.__hash__
    compare: Callable[[T, object], bool] = cls.__eq__

    def kept(self: T) -> int:
        try:
            return self._hash
        except AttributeError:
            found = compute(self)
            object.__setattr__(self, "_hash", found)
            return found

    def equal(self: T, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, cls) or type(other) is not type(self):
            return False
        mine, theirs = getattr(self, "_mark", None), getattr(other, "_mark", None)
        if mine is not None and mine is theirs:
            return True
        if kept(self) != kept(other) or not compare(self, other):
            return False
        mark = mine or theirs or object()
        object.__setattr__(self, "_mark", mark)
        object.__setattr__(other, "_mark", mark)
        return True

    cls.__hash__ = kept  # type: ignore[assignment]
    cls.__eq__ = equal  # type: ignore[assignment]
    return cls
