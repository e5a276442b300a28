"""Random functions that recur on lists: how many get the facts that are stated of them, and whether endless ones are refused.

Usage, from the root of the project: python -m benchmarks.recursions [--count N] [--seed S]

Prints a line for each function. Exit status 1 where fewer than nine in ten have their base, step, length, index and append
proved, or one that does not end is accepted.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from metalift.check.facts import facts_of, prove_facts
from metalift.driver import Driver
from metalift.driver.files import load
from metalift.prove.solver import SolverPool
from metalift.result.errors import UsageError
from metalift.result.verdict import ObligationVerdict

WANTED = ("base", "step", "length", "index", "append")
SECONDS = 10.0  # for one fact
HEAD = "from metalift.driver import Bool, Driver, Elem, Vec\n\nmade = Driver('made')\n"

SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "wu", "za")
ENDS = ("not {}", "len({}) == 0", "len({}) < 1", "{} == []")


@dataclass
class Recursion:
    """The names of one function, and what its step may speak of."""

    chosen: random.Random
    name: str
    lists: list[str]
    fixed: list[str]  # parameters that every call passes on
    counters: list[tuple[str, int]]
    accumulators: list[str] = field(default_factory=list)

    @property
    def params(self) -> list[str]:
        return [*self.lists, *self.fixed, *(name for name, _ in self.counters), *self.accumulators]

    def head(self, result: str) -> str:
        typed = [f"{name}: Vec[Elem]" for name in self.lists]
        typed += [f"{name}: Elem" for name in (*self.fixed, *(name for name, _ in self.counters), *self.accumulators)]
        return f"def {self.name}({', '.join(typed)}) -> {result}:\n"

    def end(self) -> str:
        return " or ".join(self.chosen.choice(ENDS).format(name) for name in self.lists)

    def call(self, **changed: str) -> str:
        """The recursive call, with new values for the accumulators."""
        passed = [f"{name}[1:]" for name in self.lists] + self.fixed
        passed += [f"{name} {'+' if by > 0 else '-'} {abs(by)}" for name, by in self.counters]
        return f"{self.name}({', '.join([*passed, *(changed.get(name, name) for name in self.accumulators)])})"

    def heads(self) -> list[str]:
        return [f"{name}[0]" for name in self.lists]

    def term(self, depth: int, *more: str) -> str:
        """A term over the first elements and the other parameters."""
        atoms = [*self.heads(), *self.heads(), *self.fixed, *(name for name, _ in self.counters), *more]
        if depth == 0:
            return self.chosen.choice([*atoms, str(self.chosen.randrange(1, 9))])
        left, right = self.term(depth - 1, *more), self.chosen.choice(atoms)
        ways = [f"{left} + {right}", f"{left} - {right}", f"{right} * ({left})", f"max({left}, {right})", f"min({left}, {right})"]
        ways.append(f"({left} if {self.test()} else {right})")
        return self.chosen.choice(ways)

    def test(self) -> str:
        return f"{self.chosen.choice(self.heads())} {self.chosen.choice(['<', '<=', '>', '>='])} {self.term(0)}"


def _made(chosen: random.Random, number: int, accumulators: int = 0) -> Recursion:
    used: set[str] = set()

    def name() -> str:
        while (made := "".join(chosen.choices(SYLLABLES, k=chosen.randrange(1, 4)))) in used:
            pass
        used.add(made)
        return made

    lists = [name() for _ in range(chosen.choice((1, 1, 1, 2)))]
    fixed = [name() for _ in range(chosen.choice((0, 0, 1, 2)))]
    counters = [(name(), chosen.choice((1, 1, 2, -1))) for _ in range(chosen.choice((0, 0, 1)))]
    return Recursion(chosen, f"{name()}_{number}", lists, fixed, counters, [name() for _ in range(accumulators)])


def folded(chosen: random.Random, number: int) -> str:
    """A number, from the last element to the first."""
    one = _made(chosen, number)
    again, term = one.call(), one.term(chosen.randrange(3))
    steps = [f"{term} + {again}", f"{again} + {term}", f"max({term}, {again})", f"min({again}, {term})", f"{term} - {again}"]
    steps += [f"{again} + ({term}) * {one.heads()[0]}", f"({term} + {again} if {one.test()} else {again})"]
    steps.append(f"2 * {again} + {term}")
    return f"{one.head('Elem')}    return {chosen.randrange(4)} if {one.end()} else {chosen.choice(steps)}\n"


def held(chosen: random.Random, number: int) -> str:
    """A truth value."""
    one = _made(chosen, number)
    word, base = chosen.choice((("or", "False"), ("and", "True")))
    return f"{one.head('Bool')}    if {one.end()}:\n        return {base}\n    return {one.test()} {word} {one.call()}\n"


def accumulated(chosen: random.Random, number: int) -> str:
    """A number, from the first element on."""
    one = _made(chosen, number, chosen.choice((1, 1, 2)))
    result = " + ".join(one.accumulators)

    def step() -> str:
        return one.call(**{name: one.term(chosen.randrange(1, 3), name, *one.accumulators) for name in one.accumulators})

    if chosen.random() < 0.3:
        again = f"    if {one.test()}:\n        return {step()}\n    return {step()}\n"
    else:
        again = f"    return {step()}\n"
    return f"{one.head('Elem')}    if {one.end()}:\n        return {result}\n{again}"


def listed(chosen: random.Random, number: int) -> str:
    """A list, with elements before or behind what the call returns."""
    one = _made(chosen, number)
    items = ", ".join(one.term(chosen.randrange(3)) for _ in range(chosen.choice((1, 1, 1, 2, 3))))
    others = ", ".join(one.term(1) for _ in items.split(", ")) if "(" not in items else items
    step = chosen.choice((f"[{items}, *{one.call()}]", f"[{items}] + {one.call()}", f"{one.call()} + [{items}]"))
    if chosen.random() < 0.3:
        step = f"[{items}, *{one.call()}] if {one.test()} else [{others}] + {one.call()}"
    return f"{one.head('Vec[Elem]')}    return [] if {one.end()} else {step}\n"


def scanned(chosen: random.Random, number: int) -> str:
    """A list of what an accumulator becomes."""
    one = _made(chosen, number, 1)
    (acc,) = one.accumulators
    term = f"{acc} {chosen.choice('+-*')} {one.heads()[0]}" if chosen.random() < 0.7 else f"max({acc}, {one.heads()[0]})"
    return f"{one.head('Vec[Elem]')}    return [] if {one.end()} else [{term}, *{one.call(**{acc: term})}]\n"


KINDS: tuple[Callable[[random.Random, int], str], ...] = (folded, folded, held, accumulated, accumulated, listed, listed, scanned)


def recursions(count: int, seed: int) -> list[str]:
    """The texts of so many functions."""
    chosen = random.Random(seed)
    return [KINDS[number % len(KINDS)](chosen, number) for number in range(count)]


def endless(count: int, seed: int) -> list[str]:
    """Functions of the same kinds whose calls do not all get shorter lists."""
    chosen = random.Random(seed)
    found = []
    for text in recursions(count, seed):
        signature, body = text.split("\n", 1)
        change = chosen.choice((("[1:]", ""), ("[1:]", "[0:]"), ("[1:]", "[:-1]"), ("[1:]", "[2:]"), ("[1:]", "[1:] + [1]")))
        found.append(f"{signature}\n{body.replace(*change, 1)}")
    return found


def loaded(texts: Sequence[str], folder: Path) -> Driver:
    """A driver of these functions."""
    path = folder / "made.py"
    path.write_text(HEAD + "".join(f"\n\n@made.define\n{text}" for text in texts), encoding="utf-8")
    return load(str(path)).driver


def proved(driver: Driver, pool: SolverPool) -> dict[str, dict[str, bool]]:
    """For each function which of the wanted facts are proved."""
    found: dict[str, dict[str, bool]] = {}
    for name, operator in driver.operators.items():
        stated = [fact for fact in facts_of(operator) if fact.name in WANTED]
        made = prove_facts(stated, pool, SECONDS)
        found[name] = {one.claim.name: one.verdict is ObligationVerdict.PROVED for one in made}
    return found


def accepted(driver: Driver) -> list[str]:
    """The functions that are of an accepted form."""
    found = []
    for name, operator in driver.operators.items():
        try:
            facts_of(operator)
        except UsageError:
            continue
        found.append(name)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Make the functions, prove their facts, print what became of them."""
    parser = argparse.ArgumentParser(description="Facts of random functions that recur on lists.")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    say = sys.stdout.write
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, SolverPool() as pool:
        found = proved(loaded(recursions(options.count, options.seed), Path(folder)), pool)
        wrong = accepted(loaded(endless(options.count, options.seed), Path(folder)))
    for name, each in found.items():
        say(f"{name:<16} {' '.join(fact if holds else f'{fact} (not proved)' for fact, holds in each.items())}\n")
    good = sum(all(each.values()) for each in found.values())
    say(f"\n{good} of {options.count} have all of their facts proved, in {time.perf_counter() - began:.0f} s; ")
    say(f"{len(wrong)} of {options.count} that do not end are accepted\n")
    return 1 if wrong or good < 0.9 * options.count else 0


if __name__ == "__main__":
    raise SystemExit(main())
