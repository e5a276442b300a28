"""The ways through a fragment that a proof speaks of, and which of them runs take.

A way begins at the entry. At a loop's header it stands for any number of iterations, and then goes on: through the body once, to
the header again, where it ends, or out of the loop. So the ways are those along which obligations are generated, and a run takes
one where it has the blocks in this order, with whole iterations left out at each header.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from metalift.ir.program.fragment import Fragment, Unreachable
from metalift.vcgen.natural_loops import loop_blocks

_MOST = 700  # steps of all ways; what comes after these is left out


@dataclass(frozen=True, slots=True)
class Step:
    """A block on a way, after those of the step before it. `opened`: a header, at which iterations are left out."""

    number: int
    label: str
    before: Step | None
    opened: bool


@dataclass(slots=True)
class Trails:
    """All ways of a fragment as a tree: each step is numbered, and comes after the one before it."""

    fragment: Fragment
    steps: list[Step] = field(default_factory=list)
    after: list[dict[str, Step]] = field(default_factory=list)  # the steps that follow each, by label
    bodies: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """The tree, a step's first way to its end before the second one."""
        self.bodies = loop_blocks(self.fragment)
        blocks = {block.label: block for block in self.fragment.blocks}
        pending: list[tuple[str, Step | None]] = [(self.fragment.blocks[0].label, None)]
        while pending and len(self.steps) < _MOST:
            label, before = pending.pop()
            again = before is not None and any(each.label == label for each in back(before))
            step = Step(len(self.steps), label, before, label in self.bodies and not again)
            self.steps.append(step)
            self.after.append({})
            if before is not None:
                self.after[before.number][label] = step
            targets = dict.fromkeys(edge.block for edge in blocks[label].edges)
            reachable = [target for target in targets if not isinstance(blocks[target].end, Unreachable)]
            pending += [] if again else [(target, step) for target in reversed(reachable)]

    def taken(self, trace: Sequence[str]) -> set[int]:
        """The numbers of the steps that a run takes."""
        found: set[int] = set()
        ready: set[int] = {0} if trace and trace[0] == self.steps[0].label else set()  # steps whose block was entered last
        waiting: set[int] = set()  # opened headers that the run has not left
        found |= ready
        for label in trace[1:]:
            come = {after.number for number in ready if (after := self.after[number].get(label)) is not None}
            waiting |= {number for number in ready if self.steps[number].opened}
            waiting = {number for number in waiting if label in self.bodies[self.steps[number].label]}
            found |= come
            ready = come | {number for number in waiting if self.steps[number].label == label}
        return found

    def ends(self, step: Step, taken: Collection[int]) -> list[Step]:
        """For each step after this one, the last of the longest way from there on of steps that are taken; the longest first."""
        depths, lasts = [1] * len(self.steps), list(self.steps)
        for each in reversed(self.steps):
            if each.before is not None and each.number in taken and depths[each.number] >= depths[each.before.number]:
                depths[each.before.number], lasts[each.before.number] = depths[each.number] + 1, lasts[each.number]
        following = [each.number for each in self.after[step.number].values() if each.number in taken]
        return [lasts[number] for number in sorted(following, key=lambda number: -depths[number])]

    def visits(self, step: Step, trace: Sequence[str], last: bool = False) -> list[int] | None:
        """The places in a trace where the blocks up to a step are left, the first such or, at headers, the last."""
        way = [*reversed(list(back(step)))]
        tried: set[tuple[int, int]] = set()

        def places(number: int, at: int) -> Iterator[int]:
            yield at
            body, here = self.bodies[way[number].label], at + 1
            while here < len(trace) and trace[here] in body:
                if trace[here] == way[number].label:
                    yield here
                here += 1

        def go(number: int, at: int) -> list[int] | None:
            if at >= len(trace) or trace[at] != way[number].label or (number, at) in tried:
                return None
            tried.add((number, at))
            options = list(places(number, at)) if way[number].opened else [at]
            for here in reversed(options) if last else options:
                rest = [] if number == len(way) - 1 else go(number + 1, here + 1)
                if rest is not None:
                    return [here, *rest]
            return None

        return go(0, 0)


@lru_cache(maxsize=16)
def trails_of(fragment: Fragment) -> Trails:
    """The ways of a fragment."""
    return Trails(fragment)


def back(step: Step | None) -> Iterator[Step]:
    """The step and those before it, from last to first."""
    while step is not None:
        yield step
        step = step.before
