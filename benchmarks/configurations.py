"""Wrong configurations of operators with holes: whether each is refuted.

Usage, from the root of the project: python -m benchmarks.configurations [--mutants N] [--seed S] [SUITE ...]

The program that is found for each kernel is changed in one place: another choice of a hole, another constant, other operands, or
another operator that keeps the same cells. What then differs from the source on some input must not be proved. Exit status 1
where one is.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.suites import read_suite, suite_names
from metalift.check.proving import prove_all
from metalift.driver import Driver
from metalift.driver.choosing import select
from metalift.driver.expansion import expand
from metalift.driver.operators import Operator
from metalift.frontend import import_function, open_source
from metalift.ir.expr.nodes import Call, Const, Expr, Var, integer, type_of
from metalift.ir.expr.types import BOOL, INT, MachineInt, TensorType
from metalift.ir.expr.walk import children, rebuild
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Let, Summary, TargetProgram, Write
from metalift.prove.solver import SolverPool
from metalift.result.errors import UsageError
from metalift.run.compare.falsify import falsify
from metalift.run.inputs.inputs import runs
from metalift.synth.cover import cover
from metalift.synth.derive import derive
from metalift.vcgen.refinement import RefinementGenerator

SECONDS = 2.0  # for one obligation
INPUTS = 400  # on which a mutant is compared with its source


@dataclass(frozen=True, slots=True)
class Found:
    """A kernel with its program."""

    fragment: Fragment
    summary: Summary
    program: TargetProgram
    driver: Driver


@dataclass(frozen=True, slots=True)
class Tally:
    """How many mutants there are, how many differ from the source, how many are proved; those that differ and are proved."""

    made: int
    differ: int
    proved: int
    wrong: tuple[TargetProgram, ...]


def found(path: Path, function: str, target: str) -> Found:
    """The program of a kernel, as the search finds it."""
    driver = select(None, [target])[target].driver
    fragment = import_function(open_source(path, (), driver.externals), function)
    summary = derive(fragment)
    return Found(fragment, summary, cover(summary, fragment, driver, target), driver)


def mutants(one: Found, count: int, seed: int) -> list[TargetProgram]:
    """Programs with one change, each once."""
    rng = random.Random(seed)
    fields = [param.var for param in one.fragment.params if not isinstance(param.var.type, TensorType)]
    made: dict[TargetProgram, None] = {}
    for _ in range(20 * count):
        places = [place for place, let in enumerate(one.program.lets) for _ in calls(let.value)]
        if len(made) == count or not places:
            break
        at = rng.choice(places)
        lets = list(one.program.lets)
        target = rng.choice(list(calls(lets[at].value)))
        changed = change(target, one.driver, fields, rng)
        if changed is not None and changed != target:
            lets[at] = Let(lets[at].var, replaced(lets[at].value, target, changed))
            made.setdefault(replace(one.program, lets=tuple(lets)))
    return list(made)


def calls(expr: Expr) -> Iterator[Call]:
    """The applications of operators in an expression."""
    if isinstance(expr, Call):
        yield expr
    for child in children(expr):
        yield from calls(child)


def replaced(expr: Expr, old: Expr, new: Expr) -> Expr:
    """The expression with another part."""
    if expr == old:
        return new
    return rebuild(expr, tuple(replaced(child, old, new) for child in children(expr)))


def change(call: Call, driver: Driver, fields: Sequence[Var], rng: random.Random) -> Call | None:
    """The application with one thing changed; None where the choice that was drawn changes nothing."""
    operator = driver.operators[call.function]
    kinds: tuple[Callable[[], Call | None], ...] = (
        lambda: other_choice(call, operator, rng),
        lambda: other_operand(call, operator, fields, rng),
        lambda: other_operator(call, operator, driver, rng),
    )
    return rng.choice(kinds)()


def with_argument(call: Call, at: int, value: Expr) -> Call:
    """The application with another argument."""
    return replace(call, args=(*call.args[:at], value, *call.args[at + 1 :]))


def other_choice(call: Call, operator: Operator, rng: random.Random) -> Call | None:
    """Another choice of a hole."""
    holes = [at for at, param in enumerate(operator.params) if param.name in (operator.holes or {})]
    if not holes:
        return None
    at = rng.choice(holes)
    return with_argument(call, at, integer(rng.randrange((operator.holes or {})[operator.params[at].name])))


def other_operand(call: Call, operator: Operator, fields: Sequence[Var], rng: random.Random) -> Call | None:
    """A constant that is one more or less, a negated flag, another field, or two operands exchanged."""
    fixed = {*(operator.holes or {}), *operator.holds}
    places = [at for at, param in enumerate(operator.params) if param.name not in fixed]
    at = rng.choice(places)
    old = call.args[at]
    alike = [arg for place in places if type_of(arg := call.args[place]) == type_of(old)]
    others: list[Expr] = [*alike, *(var for var in fields if var.type == type_of(old))]
    if isinstance(old, Const) and isinstance(old.type, MachineInt):
        others += [Const(old.type.wrap(int(old.value) + step), old.type) for step in (-1, 1)]
    if type_of(old) == BOOL:
        others += [Const(True, BOOL), Const(False, BOOL)]
    if operator.params[at].name in operator.plain:
        others = [other for other in others if isinstance(other, Const) and other.value]
    return with_argument(call, at, rng.choice(others)) if others else None


def other_operator(call: Call, operator: Operator, driver: Driver, rng: random.Random) -> Call | None:
    """Another operator with the same types of cells, given the arguments that it has in common by name."""
    known = {param.name: arg for param, arg in zip(operator.params, call.args, strict=True)}
    others = [each for each in driver.operators.values() if each.holds and each.holds == operator.holds and each != operator]
    if not operator.holds or not others:
        return None
    other = rng.choice(others)
    words = [arg for param, arg in zip(operator.params, call.args, strict=True) if type_of(arg) == call.type]
    args: list[Expr] = []
    for param in other.params:
        element = param.pattern.element
        fitting: Expr = integer(0) if element == INT else Const(False, BOOL) if element == BOOL else rng.choice(words)
        args.append(known.get(param.name, fitting))
    return Call(other.name, tuple(args), call.type)


def tally(one: Found, count: int, seed: int, pool: SolverPool) -> Tally:
    """What becomes of the mutants of one program."""
    made = mutants(one, count, seed)
    differing = [mutant for mutant in made if differs(one, mutant)]
    holds = [mutant for mutant in made if proved(one, mutant, pool)]
    return Tally(len(made), len(differing), len(holds), tuple(mutant for mutant in holds if mutant in differing))


def differs(one: Found, mutant: TargetProgram) -> bool:
    """Whether some input tells it from the source."""
    lets = tuple(Let(let.var, expand(let.value, one.driver)) for let in mutant.lets)
    writes = tuple(Write(each.array, each.window, expand(each.value, one.driver)) for each in mutant.writes)
    result = None if mutant.result is None else expand(mutant.result, one.driver)
    plain = TargetProgram(lets, writes, result, mutant.requires)
    return falsify(one.fragment, plain, one.summary.requires, summary=one.summary, tried=INPUTS, seed=1) is not None


def proved(one: Found, mutant: TargetProgram, pool: SolverPool, quick: bool = True) -> bool:
    """Whether it counts as proved; if `quick`, with little effort."""
    conditions = (*one.summary.requires, *mutant.requires)
    generator = RefinementGenerator(one.fragment, one.summary, mutant, one.driver, conditions)
    sample = runs(one.fragment, conditions, tried=60, extents=one.summary.shapes)
    found_ = prove_all(generator.obligations(), one.fragment, one.summary, sample, pool, SECONDS, quick=quick)
    return all(each.proved for each in found_)


def main(argv: Sequence[str] | None = None) -> int:
    """Mutate the programs of suites; a line for each kernel, and the totals."""
    known = [suite for suite in suite_names(()) if suite not in suite_names()]
    parser = argparse.ArgumentParser(description="Change configurations of operators; none that differs may be proved.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(known)} (default: all)")
    parser.add_argument("--mutants", type=int, default=20, help="of each program (default: 20)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    if unknown := set(options.suites) - set(known):
        raise UsageError(f"no such suite: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    say = sys.stdout.write
    say(f"{'kernel':<28}{'mutants':>8}{'differ':>8}{'refuted':>9}{'proved':>8}{'wrong':>7}\n")
    total = [0] * 5
    with SolverPool(2) as pool:
        for kernel in (each for suite in options.suites or known for each in read_suite(suite)):
            if kernel.expected != "PROVED":
                continue
            one = tally(found(kernel.path, kernel.function, kernel.targets[0]), options.mutants, options.seed, pool)
            row = (one.made, one.differ, one.differ - len(one.wrong), one.proved, len(one.wrong))
            total = [a + b for a, b in zip(total, row, strict=True)]
            say(f"{kernel.label:<28}" + "".join(f"{n:>{w}}" for n, w in zip(row, (8, 8, 9, 8, 7), strict=True)) + "\n")
            sys.stdout.flush()
    say(f"{'all':<28}" + "".join(f"{n:>{w}}" for n, w in zip(total, (8, 8, 9, 8, 7), strict=True)) + "\n")
    return 1 if total[-1] else 0


if __name__ == "__main__":
    raise SystemExit(main())
