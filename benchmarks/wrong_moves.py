"""Wrong moves over kernels for Trainium: each is shown to be wrong by a run in the simulator, and none may be proved.

Usage, from the root of the project: python -m benchmarks.wrong_moves [--count N] [--seed S]

Kernels are those that are emitted for softmax, rmsnorm, layernorm and a sum of squares. A wrong move is a move that went wrong:
another tile of the same shape is read (stale tile), what is left of a vector or a loop's last part is forgotten (dropped
remainder), rows of a tile are not summed, or not all (missing partition sum), a version runs where its guard does not hold
(weakened guard), a statement stands before one that it reads from, or an instruction has its steps in another order (wrong
order), elements are stored twice or at other places (overlapping stores). Drawn are as many of each kind, with a fixed seed; one
after which all runs are right, that has no text, or that reads a tile which is not there, is no wrong move, and another is drawn.
Exit status 1 where one is proved, or a kernel that is right is not.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.nki_cycles import requested
from benchmarks.suites import ROOT
from metalift.app.simulate.run import simulator_of
from metalift.check.assumptions import formulas, of_source
from metalift.check.claims import with_target
from metalift.check.proving import claim
from metalift.driver import CannotWrite, Request
from metalift.driver.files import load
from metalift.ir.expr.build import at_most, conjuncts, disj, plus
from metalift.ir.expr.nodes import TRUE, Apply, Const, Expr, Operator, integer
from metalift.ir.expr.types import FLOAT, is_integer
from metalift.ir.program.kernel import Across, Allocate, Fill, Fused, Kernel, Loop, Map, Product, Reduce, Statement, Store, When
from metalift.prove.batch import settle_all
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.tile_obligations import TileGenerator

SOURCES = {
    "softmax": ("llama/softmax.c", "softmax"),
    "rmsnorm": ("llama/rmsnorm.c", "rmsnorm"),
    "layernorm": ("nki/layernorm.c", "layernorm"),
    "sum_of_squares": ("array/sum_of_squares.c", ""),
}
SIZES = (1, 127, 128, 129, 200, 384, 513, 4096)
SECONDS = 8.0  # for an obligation; those of the kernels that are right prove in it
Body = tuple[Statement, ...]
Change = Callable[[Statement], Iterator[Body]]


def changed(body: Body, change: Change) -> Iterator[Body]:
    """The bodies in which one statement, here or further in, is changed."""
    for at, each in enumerate(body):
        found = list(change(each))
        if isinstance(each, Loop | When | Fused):
            found += [(replace(each, body=one),) for one in changed(each.body, change)]
        yield from ((*body[:at], *others, *body[at + 1 :]) for others in found)


def stale(kernel: Kernel) -> Iterator[Body]:
    """An operand is another tile of the same shape."""
    tiles = {each.tile.name: each.tile for each in everything(kernel.body) if isinstance(each, Allocate)}

    def change(each: Statement) -> Iterator[Body]:
        if not isinstance(each, Map):
            return
        for operand in (one for one in each.operands if isinstance(one, str)):
            for other in (one for one in tiles.values() if one.name != operand):
                if replace(other, name=operand) == tiles[operand]:
                    yield (replace(each, operands=tuple(other.name if one == operand else one for one in each.operands)),)

    return changed(kernel.body, change)


def remainder(kernel: Kernel) -> Iterator[Body]:
    """What is left is forgotten; loops are rounded down."""

    def change(each: Statement) -> Iterator[Body]:
        match each:
            case When(Apply(Operator.LT)):
                yield ()
            case Loop(_, Apply(Operator.FDIV, (Apply(Operator.ADD, (size, _)), block))):
                yield (replace(each, count=Apply(Operator.FDIV, (size, block))),)
            case Loop(_, count):
                yield (replace(each, count=plus(count, integer(-1))),)

    return changed(kernel.body, change)


def partition(kernel: Kernel) -> Iterator[Body]:
    """Rows of a tile are not summed, or count as another number of rows."""

    def change(each: Statement) -> Iterator[Body]:
        match each:
            case Product() | Across():
                yield ()
            case Fill(_, Const(value, type_)) if value == 1 and type_ == FLOAT:
                yield (replace(each, value=Const(value * 2, type_)),)
                yield (replace(each, value=Const(value * 0, type_)),)
            case Reduce(_, op):
                yield (replace(each, op=Operator.ADD if op is Operator.MAX else Operator.MAX),)

    return changed(kernel.body, change)


def guard(kernel: Kernel) -> Iterator[Body]:
    """A version runs for other lengths, too."""

    def weaker(cond: Expr) -> Iterator[Expr]:
        match cond:
            case Apply(Operator.EQ, (length, product)):
                yield at_most(length, product)
                yield at_most(product, length)
                yield disj(cond, at_most(integer(513), length))
                yield TRUE
            case Apply(Operator.NOT, (inner,)):
                yield from (inner, TRUE)

    def change(each: Statement) -> Iterator[Body]:
        if isinstance(each, When):
            yield from ((replace(each, cond=one),) for one in weaker(each.cond))

    return changed(kernel.body, change)


def order(kernel: Kernel) -> Iterator[Body]:
    """A statement stands before the one in front of it; steps of an instruction are swapped, or what it drops is kept."""
    for at in range(1, len(kernel.body)):
        yield swapped(kernel.body, at)

    def change(each: Statement) -> Iterator[Body]:
        match each:
            case Fused(body, kept):
                yield (Fused((*body[1:], body[0]), kept),)
                yield (Fused(body[1:], min(kept, len(body) - 1)),) if len(body) > 1 else (Fused(body, kept),)
            case When(_, body) | Loop(_, _, body):
                yield from ((replace(each, body=swapped(body, at)),) for at in range(1, len(body)))

    yield from changed(kernel.body, change)


def swapped(body: Body, at: int) -> Body:
    """The statements with one before the one in front of it."""
    return (*body[: at - 1], body[at], body[at - 1], *body[at + 1 :])


def overlapping(kernel: Kernel) -> Iterator[Body]:
    """Elements are stored twice, at other places, or where another version stores them."""

    def change(each: Statement) -> Iterator[Body]:
        if isinstance(each, Store):
            yield each, each
            yield ()
            if each.index:
                yield (replace(each, index=(*each.index[:-1], plus(each.index[-1], integer(1)))),)
                part = each.index[-1].args[-1] if isinstance(each.index[-1], Apply) else integer(0)
                yield (replace(each, index=(*each.index[:-1], part)),)
                parts = conjuncts(each.owns)
                yield (each, replace(each, owns=parts[0]))

    return changed(kernel.body, change)


KINDS: dict[str, Callable[[Kernel], Iterator[Body]]] = {
    "stale tile": stale, "dropped remainder": remainder, "missing partition sum": partition, "weakened guard": guard,
    "wrong order": order, "overlapping stores": overlapping,
}  # fmt: skip


def everything(body: Body) -> Iterator[Statement]:
    """All statements."""
    for each in body:
        yield each
        if isinstance(each, Loop | When | Fused):
            yield from everything(each.body)


@dataclass(frozen=True)
class Subject:
    """A source, with what the driver is given for it and the kernel that it makes."""

    name: str
    request: Request
    kernel: Kernel

    @classmethod
    def of(cls, name: str) -> Subject:
        """That of a source."""
        file, function = SOURCES[name]
        driver = load("trainium").driver
        request = requested(ROOT / file, function or Path(file).stem, driver)
        lower = driver.target("nki").lower
        assert lower is not None
        return cls(name, request, lower(request))

    def results(self, kernel: Kernel) -> list[Any] | str | None:
        """What a kernel gives at all sizes, for the same arrays as others; why it is refused; None where it has no text."""
        from metalift_drivers.trainium.writer import Writer

        simulator = simulator_of("nki", named=True)
        found: list[Any] = []
        try:
            text = Writer(replace(self.request, kernel=kernel)).text()
        except (CannotWrite, KeyError):
            return None
        with tempfile.TemporaryDirectory(prefix="metalift-") as folder:
            path = Path(folder) / "wrong.py"
            path.write_text(text, encoding="utf-8")
            for size in SIZES:
                random_numbers = np.random.default_rng(size)
                args = [
                    size if is_integer(param.var.type) else random_numbers.normal(size=size).astype(np.float32)
                    for param in self.request.fragment.params
                ]
                try:
                    run = simulator.load(str(path), self.request.fragment.name.rpartition("::")[2])
                    found.append(run(*args))
                except UnboundLocalError:
                    return None
                except Exception as problem:  # noqa: BLE001  # whatever it is, the kernel did not run to its end
                    return f"{type(problem).__name__} at {size}"
        return found

    def wrong(self, kernel: Kernel, right: list[Any]) -> str:
        """Why a kernel is wrong: it is refused, or gives something else; empty where no run shows that, or it has no text."""
        found = self.results(kernel)
        if found is None or isinstance(found, str):
            return found or ""
        for size, one, two in zip(SIZES, found, right, strict=True):
            ones, twos = (each if isinstance(each, tuple) else (each,) for each in (one, two))
            if not all(np.allclose(a, b, rtol=1e-3, atol=1e-5) for a, b in zip(ones, twos, strict=True)):
                return f"differs at {size}"
        return ""

    def proved(self, kernel: Kernel, pool: SolverPool) -> bool:
        """Whether all obligations of a kernel prove."""
        request, driver = self.request, load("trainium").driver
        stated = with_target(request.program, driver, "nki", of_source(request.fragment, request.summary, {}, ()))
        generator = TileGenerator(request.fragment, request.program, kernel, driver, formulas(stated))
        try:
            wanted = [claim(each) for each in generator.obligations()]
        except ObligationError:
            return False
        found = settle_all(wanted, pool, SECONDS, all_or_none=True)
        return all(each.verdict is ObligationVerdict.PROVED for each in found)


def drawn(subject: Subject, kind: str, count: int, seed: int) -> Iterator[tuple[Kernel, str]]:
    """Wrong kernels of one kind, each with what shows that it is wrong."""
    bodies = list(dict.fromkeys(KINDS[kind](subject.kernel)))
    random.Random(f"{seed} {subject.name} {kind}").shuffle(bodies)
    right = subject.results(subject.kernel)
    assert isinstance(right, list), right
    found = 0
    for body in bodies:
        kernel = replace(subject.kernel, body=body)
        why = subject.wrong(kernel, right)
        if why:
            yield kernel, why
            found += 1
        if found == count:
            return


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each wrong move, and how many were proved."""
    parser = argparse.ArgumentParser(description="Wrong moves over kernels for Trainium, none of which may be proved.")
    parser.add_argument("--count", type=int, default=2, help="of each kind for each kernel (default: 2)")
    parser.add_argument("--seed", type=int, default=1, help="what they are drawn with (default: 1)")
    options = parser.parse_args(argv)
    total, proved, missed = 0, 0, False
    with SolverPool(2) as pool:
        for name in SOURCES:
            subject = Subject.of(name)
            right = subject.proved(subject.kernel, pool)
            missed |= not right
            sys.stdout.write(f"{name:<16}{'as it is emitted':<52}{'proved' if right else 'NOT PROVED'}\n")
            for kind in KINDS:
                for kernel, why in drawn(subject, kind, options.count, options.seed):
                    begin = time.perf_counter()
                    holds = subject.proved(kernel, pool)
                    total, proved = total + 1, proved + holds
                    verdict = "PROVED" if holds else "not proved"
                    sys.stdout.write(f"{name:<16}{kind:<24}{why:<28}{verdict:<12}{time.perf_counter() - begin:6.1f} s\n")
                    sys.stdout.flush()
    sys.stdout.write(f"{total} wrong moves, {proved} proved\n")
    return 1 if proved or missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
