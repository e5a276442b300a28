"""Several values of one collection in one pass over it.

An operator that makes one value of a collection may say how the values of its parts make it (`Partial`). What a program asks of
the same collection, and can be asked at the same time, is then one pass. A collection by itself goes along with a pair of which
it is one: the operators on pairs require equal lengths.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from metalift.codegen.expressions import Printer
from metalift.codegen.names import Names
from metalift.codegen.spread import as_pair
from metalift.driver import Driver, Layout, Partial
from metalift.driver.templates import fill_template, tuple_of
from metalift.ir.expr.nodes import TRUE, Build, Call, Expr, Lambda, Length, Var, type_of
from metalift.ir.expr.types import FunctionType, TensorType
from metalift.ir.expr.walk import alpha_key, children, free_vars, fresh_name, map_children, names
from metalift.ir.program.summary import TargetProgram

_ELEMENTS = ("v", "w")


@dataclass
class Pass:
    """One pass over a collection, or a pair, just before the intermediate at `position`; `members` are its values and what they
    are.
    """

    collections: tuple[Expr, ...]
    position: int
    members: dict[Var, Expr] = field(default_factory=dict)


@dataclass(frozen=True)
class _Asked:
    """A value of collections that the program asks for, and the earliest intermediate before which it could be computed."""

    value: Expr
    collections: tuple[Expr, ...]
    earliest: int


class Together:
    """Finds and spells the passes of one program."""

    def __init__(self, driver: Driver, target: str, layout: Layout) -> None:
        self.driver = driver
        self.target = target
        self.layout = layout

    def passes(self, program: TargetProgram) -> tuple[TargetProgram, list[Pass]]:
        """The program where the values of passes have names, and the passes; single values stay where they are."""
        groups = self._groups(list(self._asked(program)))
        taken = {each for value in program.values for each in names(value)} | {let.var.name for let in program.lets}
        known: dict[Expr, Var] = {}
        found: list[Pass] = []
        for group in groups:
            made = Pass(group[0].collections, group[0].earliest)
            for asked in group:
                if len(asked.collections) > len(made.collections):
                    made.collections = asked.collections
                made.position = max(made.position, asked.earliest)
            for asked in group:
                var = self._name(asked.value, program, taken)
                taken.add(var.name)
                known[alpha_key(asked.value)] = var
                made.members[var] = asked.value
            found.append(made)
        return _renamed(program, known), found

    def _asked(self, program: TargetProgram) -> Iterator[_Asked]:
        """Every value of collections, each once, in the order of evaluation."""
        at = {let.var: position for position, let in enumerate(program.lets)}
        seen: set[Expr] = set()
        for value in program.values:
            for part in outside_functions(value):
                collections = self.collections(part)
                if collections and not self._in_groups_only(part) and alpha_key(part) not in seen:
                    seen.add(alpha_key(part))
                    earliest = max((at[var] + 1 for var in free_vars(part) if var in at), default=0)
                    yield _Asked(part, collections, earliest)

    def _in_groups_only(self, value: Expr) -> bool:
        partial = self.partial(value)
        return partial.nonempty or partial.placed

    def collections(self, value: Expr) -> tuple[Expr, ...]:
        """The collections of which it is a value that can be computed with others; none where it is something else."""
        match value:
            case Length(Var(), 0):
                return (value.tensor,)
            case Call(function, args, type_) if not isinstance(type_, TensorType):
                operator = self.driver.operators.get(function)
                if operator is not None and self.target in operator.partial:
                    return tuple(arg for arg in args if isinstance(type_of(arg), TensorType))
        return ()

    def _groups(self, asked: Sequence[_Asked]) -> list[list[_Asked]]:
        """What is computed in one pass, where that is more than one value; pairs come first."""
        groups: list[list[_Asked]] = []
        for each in sorted(asked, key=lambda one: (one.earliest, -len(one.collections))):
            for group in groups:
                first = group[0]
                if set(each.collections) <= set(first.collections) and first.earliest == each.earliest:
                    group.append(each)
                    break
            else:
                groups.append([each])
        return [group for group in groups if len(group) > 1]

    def _name(self, value: Expr, program: TargetProgram, taken: set[str]) -> Var:
        """The name of the intermediate that it is, or one that says what it is."""
        for let in program.lets:
            if let.value == value:
                return Var(fresh_name(let.var.name, taken - {let.var.name}), let.var.type)
        called = value.function.rpartition(".")[2].partition("_")[0] if isinstance(value, Call) else "n"
        return Var(fresh_name(called, taken), type_of(value))

    # Text

    def spelled(self, made: Pass, printer: Printer, taken: Names) -> ast.expr:
        """The pass as an expression that gives a tuple."""
        trees = [printer.spell(each).tree for each in as_pair(made.collections)]
        base = trees[0]
        if len(trees) == 2:
            base = fill_template(self.layout.pair, {"x": trees[0], "y": trees[1]})
        acc, element, left, right = (taken.take(each) for each in ("acc", "v", "a", "b"))
        members = tuple(re.sub(r"\bv\b", element, each) for each in self.layout.members[len(trees)])
        parts = [
            (self.partial(value), self.arguments(value, printer), self.elements(value, made, members))
            for value in made.members.values()
        ]
        if "{parts}" in self.layout.together:
            steps = [filled(part.step, given, elements) for part, given, elements in parts]
            return fill_template(self.layout.together, {"x": base, "parts": tuple_of(steps)})
        steps, merges = [], []
        for position, (part, given, elements) in enumerate(parts):
            at = f"[{position}]"
            steps.append(filled(part.step, given, {**elements, "acc": acc + at}))
            merges.append(filled(part.merge, {}, {"a": left + at, "b": right + at}))
        zero = tuple_of([fill_template(part.zero, given) for part, given, _ in parts])
        step, merge = function([acc, element], tuple_of(steps)), function([left, right], tuple_of(merges))
        return fill_template(self.layout.together, {"x": base, "zero": zero, "step": step, "merge": merge})

    def partial(self, value: Expr) -> Partial:
        """How the value is computed together with others."""
        if not isinstance(value, Call):
            return self.layout.count
        found, first = self.driver.operators[value.function].partial[self.target], value.args[0]
        every = found.always != "" and isinstance(first, Lambda) and first.body == TRUE
        return replace(found, step=found.always) if every else found

    def arguments(self, value: Expr, printer: Printer) -> dict[str, ast.expr]:
        """The functions that its operator takes, and the numbers that its templates name, by the names of its parameters."""
        if not isinstance(value, Call):
            return {}
        return {called: printer.spell(arg).tree for called, arg in self.named(value)}

    def named(self, call: Call) -> Iterator[tuple[str, Expr]]:
        """The arguments of which a value is made in its templates."""
        partial = self.partial(call)
        for param, arg in zip(self.driver.operators[call.function].params, call.args, strict=True):
            if isinstance(type_of(arg), FunctionType) or f"{{{param.name}}}" in partial.step + partial.zero:
                yield param.name, arg

    def elements(self, value: Expr, made: Pass, members: tuple[str, ...]) -> dict[str, str]:
        """What an element of each of the value's collections is in the pass."""
        own = self.collections(value)
        return {plain: members[made.collections.index(each)] for plain, each in zip(_ELEMENTS, own, strict=False)}


def filled(template: str, functions: Mapping[str, ast.expr], words: Mapping[str, str]) -> ast.expr:
    """The template with other words for those that stand for elements and for values so far."""
    pattern = r"\b(" + "|".join(map(re.escape, words)) + r")\b(?!\()"
    return fill_template(re.sub(pattern, lambda found: words[found[1]], template) if words else template, functions)


def function(params: Sequence[str], body: ast.expr) -> ast.Lambda:
    """A function of the library that has so many parameters."""
    args = [ast.arg(arg=each) for each in params]
    return ast.Lambda(args=ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[]), body=body)


def outside_functions(value: Expr) -> Iterator[Expr]:
    """The parts of a value outside of functions and of the extents of views."""
    yield value
    if not isinstance(value, Lambda | Build | Length):
        for child in children(value):
            yield from outside_functions(child)


def _renamed(program: TargetProgram, known: Mapping[Expr, Var]) -> TargetProgram:
    """The program with names for the values; intermediates that are such a value are left out."""

    def replaced(expr: Expr) -> Expr:
        if alpha_key(expr) in known:
            return known[alpha_key(expr)]
        return expr if isinstance(expr, Lambda | Build | Length) else map_children(replaced, expr)

    return program.map(replaced)
