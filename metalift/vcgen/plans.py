"""A plan of a function as its parts: that stages follow each other, and what is known in each of them.

A plan may come from anybody. Whatever it says, each part is the function's own code from one block to another, and what is known
in a part has been shown where control comes to it: by a test, by a check at a header, or by what a part before it was proved to
make. It is forgotten where a value that it speaks of may be another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from metalift.ir.expr.nodes import Apply, Expr, MakeTuple, Operator, Var, type_of
from metalift.ir.expr.types import BOOL, TensorType
from metalift.ir.expr.walk import free_vars, read_by, substitute
from metalift.ir.program.fragment import Fragment, ParamKind
from metalift.ir.program.summary import Choice, Repeat, Stage, StagedSummary, Stretch, Summary
from metalift.ir.wellformed.check import defined_vars
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.parts import IN, OTHER, OUT, THEN, Cutter, Part, arithmetic, still, unknown


@dataclass(frozen=True, slots=True)
class Run:
    """A part of a plan with its summary; `leaves`: it goes to the block after the loop that it is in."""

    part: Part
    summary: Summary
    leaves: bool = False


@dataclass(frozen=True, slots=True)
class Fork:
    """A branch of a plan."""

    test: Run
    then: tuple[Node, ...]
    other: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of a plan."""

    header: str
    args: tuple[Var, ...]
    test: Run | None
    body: tuple[Node, ...]
    exit: tuple[Node, ...] = ()


Node: TypeAlias = Run | Fork | Loop


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stage begins: a block, or a side of it."""

    block: str | None
    way: str


@dataclass(frozen=True, slots=True)
class Ends:
    """Where stages may end: at one of `last`, with what has to hold there. They may also leave for `after`, or return."""

    last: Mapping[str | None, tuple[Expr, ...]]
    after: str | None = None

    def allow(self, stop: str | None) -> bool:
        """Whether a stage may end there."""
        return stop in self.last or stop is None or stop == self.after


def begin(stage: Stage) -> str:
    """The block at which a stage begins."""
    return stage.start if isinstance(stage, Stretch) else stage.block if isinstance(stage, Choice) else stage.header


def held(stage: Stage) -> tuple[Expr, ...]:
    """What has to hold where a stage begins."""
    return stage.holds if isinstance(stage, Repeat) else ()


def each_run(stages: Iterable[Node]) -> Iterator[Run]:
    """All parts, tests before what they decide about."""
    for stage in stages:
        match stage:
            case Run():
                yield stage
            case Fork(test, then, other):
                yield test
                yield from each_run((*then, *other))
            case Loop(test=test, body=body, exit=leaving):
                yield from () if test is None else (test,)
                yield from each_run((*body, *leaving))


class Reader:
    """Reads the plans of one function. Raises ObligationError where one is no plan of it."""

    def __init__(self, cutter: Cutter) -> None:
        self.cutter = cutter

    def runs(self, staged: StagedSummary) -> tuple[Node, ...]:
        """The parts of a plan."""
        return self.stages(staged.stages, Place(self.cutter.fragment.blocks[0].label, ""), Ends({None: ()}), ())

    def stages(self, stages: tuple[Stage, ...], place: Place, ends: Ends, known: tuple[Expr, ...]) -> tuple[Node, ...]:
        """Stages from a place to one of the ends."""
        return self.walk(stages, place, ends, known)[0]

    def walk(
        self, stages: tuple[Stage, ...], place: Place, ends: Ends, known: tuple[Expr, ...]
    ) -> tuple[tuple[Node, ...], tuple[Expr, ...] | None]:
        """The same, with what is known where they end; None where they all leave."""
        made: list[Node] = []
        leaves = False
        for number, stage in enumerate(stages):
            following = stages[number + 1] if number + 1 < len(stages) else None
            mine = ends if following is None else Ends({begin(following): held(following)}, ends.after)
            match stage:
                case Stretch(start, way, stop, summary):
                    if Place(start, way) != place or not mine.allow(stop):
                        raise self.wrong("stages that do not follow each other")
                    part = self.cutter.stretch(start, way, stop, known, mine.last.get(stop, ()))
                    leaves = stop not in mine.last
                    made.append(Run(part, summary, leaves=leaves and stop is not None))
                    known = self.behind(known, part, summary)
                    place = Place(stop, "")
                case Choice(block, test, then, other):
                    if place != Place(block, "") or block in self.cutter.loops:
                        raise self.wrong("a choice where control does not come to")
                    decided = Run(self.cutter.test(block, THEN, known), test)
                    sides = [
                        self.walk(each, Place(block, way), mine, (*known, self.cutter.condition(block, way)))
                        for each, way in ((then, THEN), (other, OTHER))
                    ]
                    made.append(Fork(decided, sides[0][0], sides[1][0]))
                    behind = [facts for _, facts in sides if facts is not None]
                    leaves = not behind
                    known = tuple(fact for fact in dict.fromkeys(sum(behind, ())) if all(fact in each for each in behind))
                    place = Place(None if following is None else begin(following), "")
                case Repeat(header, holds, _, _, after, _):
                    ends_here = following is None and after is not None and mine.last.get(after) == ()
                    if place != Place(header, "") or not made or isinstance(made[-1], Loop) or not (following or ends_here):
                        raise self.wrong("stages that do not follow each other")
                    known = still(known, self.cutter.changed_in_loop(header))
                    loop = self.loop(stage, known, ends)
                    made.append(loop)
                    if still(known, changed(made[-1:])) != known:
                        raise self.wrong("a loop around other code than its own")
                    known = (*known, *holds, *self.left(loop, after))  # its arguments stay as they were when it was left
                    place = Place(header, OUT) if after is None else Place(after, "")
        if not stages:
            raise self.wrong("stages that are missing")
        return tuple(made), None if leaves else known

    def loop(self, stage: Repeat, known: tuple[Expr, ...], ends: Ends) -> Loop:
        """A loop that stays."""
        header, after = stage.header, stage.after
        self.allow(stage)
        args = self.cutter.blocks[header].args
        inner = Ends({header: stage.holds}, after)
        at_header = (*known, *stage.holds)
        if stage.test is None:
            if stage.exit or after is None:
                raise self.wrong("a loop without an end")
            return Loop(header, args, None, self.stages(stage.body, Place(header, ""), inner, at_header))
        if (after is None) != (not stage.exit):
            raise self.wrong("a loop without an end")
        test = Run(self.cutter.test(header, IN, at_header), stage.test)
        body = self.stages(stage.body, Place(header, IN), inner, (*at_header, self.cutter.condition(header, IN)))
        leaving = () if after is None else self.stages(stage.exit, Place(header, OUT), Ends({after: ()}, ends.after), at_header)
        return Loop(header, args, test, body, leaving)

    def left(self, loop: Loop, after: str | None) -> tuple[Expr, ...]:
        """What is known wherever control comes from a loop, or from where its test has failed, to the block after it."""
        runs = [run for run in each_run((*loop.body, *loop.exit)) if after is not None and run.part.place[2] == after]
        ways = [self.behind(run.part.known, run.part, run.summary) for run in runs]
        return tuple(fact for fact in dict.fromkeys(sum(ways, ())) if all(fact in way for way in ways))

    def behind(self, known: tuple[Expr, ...], part: Part, summary: Summary) -> tuple[Expr, ...]:
        """What is known where a part has ended: what still holds, which integers it has made of others that are as they were, and
        what every run of it shows of the function's parameters, by its summary, which is proved.
        """
        others = changed((Run(part, summary),))
        made = dict(summary.outputs).get("return")
        items = made.items if isinstance(made, MakeTuple) and len(part.outputs) > 1 else (made,)
        given = {param.var: part.inputs.get(param.var.name, param.var) for param in part.fragment.params}
        values = ((var, item) for var, item in zip(part.outputs, items, strict=False) if item is not None)
        integers = [(var, substitute(item, given)) for var, item in values if type_of(item) == var.type and arithmetic(item)]
        values_before = set(given.values())
        settled = (Apply(Operator.EQ, pair) for pair in integers if free_vars(pair[1]) <= values_before - others)
        fragment = self.cutter.fragment
        pointers = {param.var for param in fragment.params if param.kind is ParamKind.POINTER}  # how long they are, no run knows
        plain = (fact for fact in summary.facts if about_parameters(fragment, fact) and free_vars(fact).isdisjoint(pointers))
        shown = (fact for fact in plain if fact not in known)
        return (*still(known, others), *settled, *shown)

    def allow(self, stage: Repeat) -> None:
        """What holds at a header may speak of what does not change while its loop runs, and of the header's arguments."""
        names = self.names_at(stage.header)
        for formula in stage.holds:
            if type_of(formula) != BOOL or not free_vars(formula) <= names or reads(formula):
                raise self.wrong("what is said to hold at a loop")

    def names_at(self, header: str) -> set[Var]:
        """The values of which something may be said to hold at a header."""
        dominators = self.cutter.dominators.get(header, set())
        names = {arg for label in dominators & self.cutter.loops.keys() for arg in self.cutter.blocks[label].args}
        return names | {param.var for param in self.cutter.fragment.params}

    def wrong(self, what: str) -> ObligationError:
        """The error for something that is no plan of the function."""
        return unknown(self.cutter.fragment, what)


def reads(formula: Expr) -> bool:
    """Whether it depends on what an array holds."""
    return any(isinstance(var.type, TensorType) for var in read_by(formula))


def about_parameters(fragment: Fragment, formula: Expr) -> bool:
    """Whether it is about the function's scalar parameters, and how long its arrays are."""
    return free_vars(formula) <= {param.var for param in fragment.params} and not reads(formula)


def changed(nodes: Sequence[Node]) -> frozenset[Var]:
    """The values that parts define, and those that are others behind them."""
    runs = tuple(each_run(nodes))
    parts = [run.part for run in runs]
    defined = (var for part in parts for block in part.fragment.blocks for var in defined_vars(block) if var not in part.named)
    return frozenset((*defined, *(var for run in runs for var in run.part.outputs)))


def parts_of(fragment: Fragment, staged: StagedSummary) -> tuple[Run, ...]:
    """The parts of a plan in order."""
    return tuple(each_run(Reader(Cutter(fragment)).runs(staged)))
