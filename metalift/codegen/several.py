"""Operators that are results of one call: where a program needs several of them, one statement names all."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from metalift.driver import Driver
from metalift.driver.meaning.several import Part
from metalift.ir.expr.nodes import Build, Call, Expr, Lambda, Var, type_of
from metalift.ir.expr.walk import alpha_key, free_vars, fresh_name, map_children, names
from metalift.ir.program.summary import Let, TargetProgram

Whole = tuple[object, ...]  # what is called, and with which arguments


class Several:
    """The operators of a driver that are results of one call."""

    def __init__(self, driver: Driver) -> None:
        self.parts = {name: operator.part for name, operator in driver.operators.items() if operator.part is not None}

    def part(self, value: Expr) -> Part | None:
        """Which result of a call a value is."""
        return self.parts.get(value.function) if isinstance(value, Call) else None

    def whole(self, value: Expr) -> Whole | None:
        """The call of which a value is a result."""
        part = self.part(value)
        return None if part is None or not isinstance(value, Call) else (part.whole, *map(alpha_key, value.args))

    def named(self, program: TargetProgram, taken: AbstractSet[str]) -> TargetProgram:
        """The program where the results of one call, if it needs several, have names side by side: just before the first use.

        `taken` are names beside those in the program.
        """
        if not self.parts:
            return program
        done: set[Whole] = set()
        while (several := self._needed_together(program, done)) is not None:
            program = _with_lets(program, several, taken)
        return program

    def _needed_together(self, program: TargetProgram, done: set[Whole]) -> list[Call] | None:
        """The results that the program needs of one call, where these are several."""
        found: dict[Whole, dict[str, Call]] = {}
        for value in program.values:
            for call in self._calls(value):
                whole = self.whole(call)
                if whole is not None and whole not in done:
                    found.setdefault(whole, {})[call.function] = call
        for whole, calls in found.items():
            if len(calls) > 1:
                done.add(whole)
                return sorted(calls.values(), key=lambda call: self.parts[call.function].at)
        return None

    def _calls(self, value: Expr) -> list[Call]:
        """The results in a value, those of element functions left out, the innermost first."""
        found: list[Call] = []

        def visit(part: Expr) -> Expr:
            _outside(visit, part)
            if isinstance(part, Call) and self.part(part) is not None:
                found.append(part)
            return part

        visit(value)
        return found

    def run(self, lets: Sequence[Let]) -> int:
        """How many of these, from the first on, are results of one call."""
        whole = self.whole(lets[0].value) if lets else None
        count = 0
        while whole is not None and count < len(lets) and self.whole(lets[count].value) == whole:
            count += 1
        return count

    def statement(self, lets: Sequence[Let], shown: Sequence[str], trees: Sequence[ast.expr]) -> tuple[str, ast.expr] | None:
        """What is assigned, and the call; None where one is not spelled as an item of the same call."""
        items = [tree.value for tree in trees if isinstance(tree, ast.Subscript)]
        parts = [self.part(let.value) for let in lets]
        if len(items) < len(trees) or len({ast.dump(each) for each in items}) != 1 or parts[0] is None:
            return None
        at = {part.at: each for part, each in zip(parts, shown, strict=True) if part is not None}
        return ", ".join(at.get(place, "_") for place in range(parts[0].of)) + " = ", items[0]


def _outside(change: Callable[[Expr], Expr], expr: Expr) -> Expr:
    """The expression with its parts changed, but for those that are computed for each element."""
    match expr:
        case Build(extents, binders, body) if free_vars(body).isdisjoint(binders):
            return Build(extents, binders, change(body))
        case Build() | Lambda():
            return expr
        case _:
            return map_children(change, expr)


def _with_lets(program: TargetProgram, calls: Sequence[Call], others: AbstractSet[str]) -> TargetProgram:
    """The calls have names, and are evaluated just before the first use of one."""
    taken = {*others, *(name for value in program.values for name in names(value)), *(let.var.name for let in program.lets)}
    made: dict[object, Var] = {}
    for call in calls:
        var = Var(fresh_name(call.function.rpartition(".")[2], taken), type_of(call))
        taken.add(var.name)
        made[alpha_key(call)] = var

    def replaced(expr: Expr) -> Expr:
        if isinstance(expr, Call) and alpha_key(expr) in made:
            return made[alpha_key(expr)]
        return _outside(replaced, expr)

    lets: list[Let] = []
    waiting = [Let(made[alpha_key(call)], call) for call in calls]
    for let in program.lets:
        value = replaced(let.value)
        if value != let.value:
            lets += waiting
            waiting = []
        lets.append(Let(let.var, value))
    return replace(program.map(replaced), lets=(*lets, *waiting))
