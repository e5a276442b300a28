"""Trees that are looked up often: the hash of a node is computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar


class Hashed:
    """What `hash_once` needs of a class with slots. The hash is no field: it is not compared, copied or pickled."""

    __slots__ = ("_hash",)

    _hash: int


T = TypeVar("T", bound=Hashed)


def hash_once(cls: type[T]) -> type[T]:
    """Keep the hash of each object of an immutable dataclass."""
    compute: Callable[[T], int] = cls.__hash__

    def kept(self: T) -> int:
        try:
            return self._hash
        except AttributeError:
            found = compute(self)
            object.__setattr__(self, "_hash", found)
            return found

    cls.__hash__ = kept  # type: ignore[assignment]
    return cls
