"""Steps that one instruction does become one: an operator and the next, a function of them, a reduction of its result.

An operator that the scalar engine has, too, may go there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from metalift.driver import CannotWrite
from metalift.driver.moves import Moved, Site
from metalift.ir.program.kernel import Allocate, Fused, Kernel, Loop, Map, Reduce, Statement, Tile, When

from ..fused import instruction
from .rewriting import read, statements, written

NAME = "fuse"
Steps = Map | Fused


def sites(kernel: Kernel) -> tuple[Site, ...]:
    """Pairs of tiles, of which a step makes one and the next step the other of it; one that is made on the scalar engine."""
    return tuple(_sites(kernel.body, _known(kernel)))


def apply(kernel: Kernel, site: Site) -> Moved:
    """Make one instruction of both steps."""
    one, two = site
    return Moved(replace(kernel, body=_changed(kernel.body, one, two, _known(kernel))))


class _Known:
    """The tiles of a kernel, how often each is written and read."""

    def __init__(self, kernel: Kernel) -> None:
        every = list(statements(kernel.body))
        self.tiles: dict[str, Tile] = {each.tile.name: each.tile for each in every if isinstance(each, Allocate)}
        self.writes = Counter(name for each in every for name in written(each))
        self.reads = Counter(name for each in every for name in set(read(each)))

    def possible(self, fused: Fused) -> bool:
        """Whether an instruction does that."""
        try:
            instruction(fused, self.tiles)
        except CannotWrite:
            return False
        return True


def _known(kernel: Kernel) -> _Known:
    return _Known(kernel)


def _sites(body: tuple[Statement, ...], known: _Known) -> Iterator[Site]:
    for at, each in enumerate(body):
        if isinstance(each, Loop | When):
            yield from _sites(each.body, known)
        elif isinstance(each, Steps):
            if isinstance(each, Map) and known.possible(Fused((each,), 1)):
                yield "", each.tile
            result = _result(each)
            for later in body[at + 1 :] if result else ():
                if isinstance(later, Map | Reduce | Fused) and result in read(later):
                    made = _together(body, at, body.index(later), known)
                    if made is not None:
                        yield result, written(later)[-1]


def _result(step: Statement) -> str:
    """The one tile that a step writes; none where it writes several."""
    if isinstance(step, Fused):
        return written(step)[0] if step.kept == 1 else ""
    return step.tile if isinstance(step, Map) else ""


def _steps(step: Statement) -> tuple[Statement, ...]:
    return step.body if isinstance(step, Fused) else (step,)


def _together(body: tuple[Statement, ...], one: int, two: int, known: _Known) -> Fused | None:
    """The instruction for two statements of a body; None where there is none, or something between them is in the way."""
    first, last = body[one], body[two]
    result = _result(first)
    between = [name for each in body[one + 1 : two] for name in (*written(each), *_inner_writes(each))]
    if known.writes[result] != 1 or set(between) & set(read(first)):
        return None
    if isinstance(last, Reduce):
        touched = {name for each in body[one + 1 : two] for name in (*written(each), *read(each))}
        if known.writes[last.tile] != 1 or last.tile in touched:
            return None
        made = Fused((*_steps(first), last), 2)
    else:
        if known.reads[result] != 1:
            return None
        made = Fused((*_steps(first), *_steps(last)), last.kept if isinstance(last, Fused) else 1)
    return made if known.possible(made) else None


def _inner_writes(statement: Statement) -> tuple[str, ...]:
    """What the body of a loop or a condition writes."""
    if not isinstance(statement, Loop | When):
        return ()
    return tuple(name for each in statements(statement.body) for name in written(each))


def _changed(body: tuple[Statement, ...], one: str, two: str, known: _Known) -> tuple[Statement, ...]:
    """The statements with the change made among them."""
    places = {name: at for at, each in enumerate(body) if isinstance(each, Map | Reduce | Fused) for name in written(each)}
    if two not in places or (one and one not in places):
        inner = (_changed(each.body, one, two, known) if isinstance(each, Loop | When) else () for each in body)
        both = zip(body, inner, strict=True)
        return tuple(replace(each, body=own) if isinstance(each, Loop | When) else each for each, own in both)
    if not one:
        alone = body[places[two]]
        return (*body[: places[two]], Fused((alone,), 1), *body[places[two] + 1 :])
    first, last = places[one], places[two]
    made = _together(body, first, last, known)
    assert made is not None
    if not isinstance(body[last], Reduce):
        return (*body[:first], *body[first + 1 : last], made, *body[last + 1 :])
    allocated = [each for each in body if isinstance(each, Allocate) and each.tile.name == two]
    rest = [each for each in body[first + 1 :] if each is not body[last] and each not in allocated]
    return (*(each for each in body[:first] if each not in allocated), *allocated, made, *rest)
