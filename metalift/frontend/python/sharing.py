"""Which lists may be one and the same object of the running program although each has elements of its own here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True)
class Sharing:
    """Lists by their sites: `pairs` of those that may be one object; as long as none is changed, they have the same elements.

    Those are `stale` whose object may have been changed by another name since.
    """

    pairs: frozenset[frozenset[str]] = frozenset()
    stale: frozenset[str] = frozenset()

    def of(self, site: str) -> frozenset[str]:
        """The lists that may be the same object as one."""
        return frozenset(each for pair in self.pairs if site in pair for each in pair) - {site}

    def without(self, site: str) -> Sharing:
        """After a new list is made there."""
        return Sharing(frozenset(pair for pair in self.pairs if site not in pair), self.stale - {site})

    def changed(self, site: str) -> Sharing:
        """After a list is changed."""
        return Sharing(self.pairs, self.stale | self.of(site))

    def moved(self, sources: Mapping[str, str]) -> Sharing:
        """After lists have become what others stood for before, all at once."""
        before = {site for pair in self.pairs for site in pair} | self.stale | {*sources.values()}
        was = {site: site for site in before} | dict(sources)
        same = (pair for pair in combinations(was, 2) if len(now := {was[each] for each in pair}) == 1 or now in self.pairs)
        return Sharing(frozenset(map(frozenset, same)), frozenset(site for site in was if was[site] in self.stale))

    def __or__(self, other: Sharing) -> Sharing:
        return Sharing(self.pairs | other.pairs, self.stale | other.stale)

    def __le__(self, other: Sharing) -> bool:
        return self.pairs <= other.pairs and self.stale <= other.stale
