"""The moves that are made in every kernel: as many as make it cheaper by the model, at two sizes. What comes out is proved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from metalift.driver import Kernel, Request

from .._tiles.cost import LARGEST, Sizes, Unknown, all_of, elements
from .cost import Costs, has_room
from .moves import fuse, merge, negate, numbers, single, straight

TUNED = (512, 2048, 4096, 65536)  # sizes, of which the two largest count at which arrays are not too large
WHOLE = 0.01  # how much the engines together count beside the busiest one, so that they decide where that one is the same


def tuned(request: Request) -> tuple[Sizes, ...]:
    """The sizes at which kernels of a program are compared."""
    shapes = request.summary.shapes.values()
    every = (all_of(request, size) for size in TUNED)
    return tuple(sizes for sizes in every if all(elements(each, sizes) <= LARGEST for each in shapes))[-2:]


def score(kernel: Kernel, sizes: Sequence[Sizes]) -> float:
    """How much it takes: the mean of logarithms of cycles, those of the busiest engine above all. Raises Unknown."""
    costs = [Costs(each).of_kernel(kernel) for each in sizes]
    each = (math.log(1 + cost.busiest) + WHOLE * math.log(1 + sum(cost.cycles.values())) for cost in costs)
    return sum(each) / max(1, len(costs))


def improved(request: Request, kernel: Kernel) -> Kernel:
    """The kernel with the moves made that make it cheaper."""
    return _improved(kernel, tuple(tuple(each.items()) for each in tuned(request)))


@lru_cache(maxsize=64)
def _improved(kernel: Kernel, at: tuple[tuple[tuple[str, int], ...], ...]) -> Kernel:
    sizes = [dict(each) for each in at]
    try:
        found = min((fused(cleaned(each), sizes) for each in versions(kernel)), key=lambda each: score(each, sizes))
        return found if score(found, sizes) < score(kernel, sizes) else kernel
    except Unknown:
        return kernel


def versions(kernel: Kernel) -> list[Kernel]:
    """The kernel, and one that has a version without loops."""
    return [kernel, *(straight.apply(kernel, site).kernel for site in straight.sites(kernel))]


def cleaned(kernel: Kernel) -> Kernel:
    """With every value in a tile of its own, numbers where they are used, and nothing made twice."""
    while sites := single.sites(kernel):
        kernel = single.apply(kernel, sites[0]).kernel
    after = merge.apply(numbers.apply(kernel, ()).kernel, ()).kernel
    return after if has_room(after) else kernel


def fused(kernel: Kernel, sizes: Sequence[Sizes]) -> Kernel:
    """With steps made one as long as that is cheaper; a difference becomes a sum where that makes more of them one."""
    kernel = _fused(kernel, sizes)
    least = score(kernel, sizes)
    for site in negate.sites(kernel):
        if site in negate.sites(kernel):
            other = _fused(merge.apply(negate.apply(kernel, site).kernel, ()).kernel, sizes)
            cost = score(other, sizes)
            kernel, least = (other, cost) if cost < least else (kernel, least)
    return kernel


def _fused(kernel: Kernel, sizes: Sequence[Sizes]) -> Kernel:
    least = score(kernel, sizes)
    tried = set()
    while site := next((each for each in fuse.sites(kernel) if each not in tried), None):
        tried.add(site)
        other = fuse.apply(kernel, site).kernel
        cost = score(other, sizes)
        kernel, least = (other, cost) if cost < least else (kernel, least)
    return kernel
