"""Graphs, as blocks and the edges between them make them, or values and what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

N = TypeVar("N")


def reached(starts: Iterable[N], following: Callable[[N], Iterable[N]], stops: Collection[N] = ()) -> set[N]:
    """The starts and what follows them, in any number of steps; `stops` are not among it, nor what follows only these."""
    found: set[N] = set()
    pending = list(starts)
    while pending:
        node = pending.pop()
        if node not in found and node not in stops:
            found.add(node)
            pending += following(node)
    return found


def reverse_postorder(entry: N, following: Callable[[N], Iterable[N]]) -> list[N]:
    """What is reached, each node after all that lead to it but for cycles. Of what follows a node, the last comes first."""
    finished: list[N] = []
    seen = {entry}
    stack = [(entry, iter(following(entry)))]
    while stack:
        node, rest = stack[-1]
        target = next((each for each in rest if each not in seen), None)
        if target is None:
            finished.append(node)
            stack.pop()
        else:
            seen.add(target)
            stack.append((target, iter(following(target))))
    return finished[::-1]


def on_all_ways(preceding: Mapping[N, Iterable[N]], starts: Collection[N]) -> dict[N, set[N]]:
    """For each node those that are on all ways to it from the starts, itself included: with one start, its dominators."""
    found = {node: {node} if node in starts else set(preceding) for node in preceding}
    changed = True
    while changed:
        changed = False
        for node in preceding.keys() - set(starts):
            ways = [found[before] for before in preceding[node]]
            new = {node} | (set.intersection(*ways) if ways else set())
            if new != found[node]:
                found[node], changed = new, True
    return found
