"""Orders, dominators and what is reached, on random graphs."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from metalift.ir.program.graphs import on_all_ways, reached, reverse_postorder


def graph(seed: int) -> dict[int, list[int]]:
    """A graph of a few nodes, of which 0 is the entry."""
    chosen = random.Random(seed)
    nodes = range(chosen.randint(1, 7))
    return {node: chosen.sample(nodes, chosen.randint(0, min(2, len(nodes)))) for node in nodes}


def ways(edges: dict[int, list[int]], way: Sequence[int]) -> list[Sequence[int]]:
    """All ways on that pass no node twice."""
    return [way, *(more for node in edges[way[-1]] if node not in way for more in ways(edges, [*way, node]))]


@pytest.mark.parametrize("seed", range(30))
def test_random_graphs(seed: int) -> None:
    edges = graph(seed)
    every = ways(edges, [0])
    found = reached([0], edges.__getitem__)
    assert found == {way[-1] for way in every}
    order = reverse_postorder(0, edges.__getitem__)
    assert set(order) == found and order[0] == 0 and len(order) == len(found)
    back = {(node, after) for node in found for after in edges[node] if order.index(after) <= order.index(node)}
    assert all(node in reached([after], edges.__getitem__) for node, after in back)
    preceding = {node: [before for before in found if node in edges[before]] for node in found}
    passed = on_all_ways(preceding, {0})
    assert passed == {node: set.intersection(*(set(way) for way in every if way[-1] == node)) for node in found}


def test_what_stops_is_not_reached_nor_passed() -> None:
    edges = {0: [1, 2], 1: [3], 2: [], 3: [3]}
    assert reached([0], edges.__getitem__, {1}) == {0, 2}
    assert reached([1], edges.__getitem__, {1}) == set()


def test_nodes_that_no_way_comes_to_are_on_none() -> None:
    assert on_all_ways({0: [1], 1: [0], 2: []}, {0}) == {0: {0}, 1: {0, 1}, 2: {2}}
