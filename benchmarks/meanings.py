"""Mutates the meanings of the drivers' operators by one symbol and prints which mutants nothing tells from the original.

Usage, from the root of the project: python -m benchmarks.meanings [--mutants N] [--seed S] [--share I/N] [DRIVER ...]

A mutant is the meaning with one operator, comparison, constant, index, bound, argument or name changed; spelling and requirement
stay. It is "refused" where it is no meaning (not accepted, not defined everywhere), "differs" where the executed spelling, or the
text of a sample program, computes something else, "equivalent" where the prover shows that it means the same. Exit status 1 where
one is none of these.
"""

from __future__ import annotations

import argparse
import ast
import copy
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from metalift.app.conformance.chosen import Chosen, chosen_in
from metalift.app.conformance.engines import Started, in_engine, started
from metalift.app.conformance.samples import samples
from metalift.app.conformance.texts import in_runner
from metalift.driver import Driver, DriverError, Operator, Target
from metalift.driver.files import load, own
from metalift.driver.meaning.language import Kind, TypeVariable
from metalift.driver.meaning.reader import Meaning
from metalift.driver.meaning.reduce import reduce, reduce_head
from metalift.driver.meaning.source import FunctionSource
from metalift.ir.expr.build import at_most, conj, equal, forall, implies, in_range, minus, plus
from metalift.ir.expr.nodes import Expr, Fold, Ite, Length, Select, Var, integer, type_of
from metalift.ir.expr.types import BOOL, INT, REAL, ScalarType, TensorType, Type
from metalift.ir.expr.walk import alpha_equal, substitute
from metalift.ir.rewrite.simplify import simplify
from metalift.prove.encode import NotEncodable
from metalift.prove.prover import prove
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict

MANY = 120  # applications of an operator in a library in which each takes long, where fewer tell nothing
SECONDS = 3.0  # for the proof that a mutant means the same
OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mod,),
    ast.Mod: (ast.FloorDiv,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitXor,),
    ast.BitXor: (ast.BitAnd,),
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "sum": "max", "trunc_div": "trunc_rem", "trunc_rem": "trunc_div"}
FUNCTIONS = {"sin": "cos", "cos": "sin", "exp": "log", "log": "exp", "floor": "ceil", "ceil": "floor", "sqrt": "exp"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """An operator with another meaning, and the line that was changed, before and after."""

    original: Operator
    operator: Operator
    before: str
    after: str


def mutants(driver: Driver) -> list[Mutant]:
    """All mutants of all meanings that run by themselves; a meaning that several operators have is mutated once.

    An operator on groups is spelled of the groups that codegen makes: functions that use it are run, it is not.
    """
    seen: set[str] = set()
    found: list[Mutant] = []
    for operator in driver.operators.values():
        tree = operator.meaning.source.tree
        place = f"{operator.meaning.source.file}:{tree.lineno}:{ast.unparse(tree)}"  # results of one function differ
        alone = operator.meaning.external is None and not operator.groups
        if place not in seen and alone and isinstance(tree, ast.FunctionDef):
            seen.add(place)
            found += _mutants(operator, tree)
    return found


def _mutants(operator: Operator, tree: ast.FunctionDef) -> Iterator[Mutant]:
    texts = {ast.unparse(tree.body)}  # type: ignore[arg-type]
    for place, node in enumerate(_nodes(tree)):
        for choice in range(_choices(node)):
            changed = copy.deepcopy(tree)
            changed.decorator_list = []
            _change(_nodes(changed)[place], choice)
            text = ast.unparse(changed.body)  # type: ignore[arg-type]
            if text not in texts:
                texts.add(text)
                before = ast.unparse(tree.body)  # type: ignore[arg-type]
                yield Mutant(operator, _with(operator, changed), before, text)


def _nodes(tree: ast.FunctionDef) -> list[ast.AST]:
    return [node for statement in tree.body for node in ast.walk(statement)]


def _choices(node: ast.AST) -> int:  # noqa: C901 (one case for each node)
    """How many ways there are to change a node."""
    match node:
        case ast.BinOp(op=op):
            return len(OPERATORS.get(type(op), ())) + isinstance(op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod)
        case ast.Compare(ops=[op]):
            return len(COMPARISONS.get(type(op), ()))
        case ast.BoolOp() | ast.IfExp():
            return 1
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            return 1
        case ast.Constant(value=bool()):
            return 1
        case ast.Constant(value=int() | float()):
            return 2
        case ast.Call(func=ast.Name(id="range")):
            return 1
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            return 1
        case ast.Call(func=ast.Attribute(attr=name)) if name in FUNCTIONS:
            return 1
        case ast.Subscript(slice=ast.Name()):
            return 1
        case _:
            return 0


def _change(node: ast.AST, choice: int) -> None:  # noqa: C901 (one case for each node)
    """Change the node in that way."""
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            others = OPERATORS.get(type(op), ())
            if choice < len(others):
                node.op = others[choice]()
            else:
                node.left, node.right = right, left
        case ast.Compare(ops=[op]):
            node.ops = [COMPARISONS[type(op)][choice]()]
        case ast.BoolOp(op=connective):
            node.op = ast.Or() if isinstance(connective, ast.And) else ast.And()
        case ast.IfExp(body=body, orelse=other):
            node.body, node.orelse = other, body
        case ast.UnaryOp():
            node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Not()
            if isinstance(node.op, ast.Not):
                node.operand = ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant(value=bool() as value):
            node.value = not value
        case ast.Constant(value=int() | float() as number):
            node.value = number + 1 if choice == 0 else number - 1
        case ast.Call(func=ast.Name(id="range"), args=args):
            node.args = [*args[:-1], ast.BinOp(args[-1], ast.Sub(), ast.Constant(1))]
        case ast.Call(func=ast.Name() as called):
            called.id = NAMES[called.id]
        case ast.Call(func=ast.Attribute() as called):
            called.attr = FUNCTIONS[called.attr]
        case ast.Subscript(slice=index):
            node.slice = ast.BinOp(index, ast.Add(), ast.Constant(1))


def _with(operator: Operator, tree: ast.FunctionDef) -> Operator:
    """The operator with that meaning."""
    source, meaning = operator.meaning.source, operator.meaning
    ast.fix_missing_locations(tree)
    space: dict[str, Any] = dict(source.globals)
    exec(compile(ast.Module([tree], []), source.file, "exec"), space)
    changed = FunctionSource(space[tree.name], tree, source.file)
    return replace(operator, meaning=Meaning(changed, meaning.params, meaning.result, meaning.requires), _along={})


@cache
def library(driver: str, target: str) -> Started | str:
    """The library of a target, started once."""
    return started(load(driver).driver.target(target))


@cache
def written(driver: str, operator: str) -> tuple[tuple[Target, Chosen], ...]:
    """The sample programs of an operator that targets have a text of and run."""
    loaded = load(driver).driver
    original = loaded.operators[operator]
    found = list(samples(original))
    kept: list[tuple[Target, Chosen]] = []
    for target in loaded.targets:
        if target.language == "python" or not target.executable or target.find is not None:
            continue

        def runs(chosen: Chosen, target: Target = target) -> bool:
            ran = in_runner(chosen.sample, chosen.program, loaded, target, found)
            kept.extend([(target, chosen)] * (not ran.refused))
            return not ran.refused

        chosen_in(original, loaded, target, found, runs)
    return tuple(kept)


def fate(driver: str, mutant: Mutant, pool: SolverPool) -> str:
    """What becomes of a mutant: refused, differs, equivalent, survives; or that nothing here runs the operator."""
    operator, loaded = mutant.operator, load(driver).driver
    python = {target.name for target in loaded.targets if target.language == "python"}
    spelled = (library(driver, name) for name in {**operator.spellings, **operator.scalars} if name in python)
    usable = next((each for each in spelled if isinstance(each, Started)), None)
    texts = () if usable is not None else written(driver, operator.name)
    if usable is None and not texts:
        return "not run"
    try:
        tried = list(samples(operator))
    except (DriverError, ValueError):
        return "refused"
    if usable is not None and in_engine(operator, usable, tried).failure:
        return "differs"
    for target, chosen in texts:
        if in_runner(replace(chosen.sample, operator=operator), chosen.program, loaded, target, tried).failure:
            return "differs"
    if is_equivalent(mutant, pool):
        return "equivalent"
    slow = usable is not None and usable.target.engine.inputs is not None  # of which few are tried at first
    return "differs" if usable is not None and slow and in_engine(operator, usable, tried, MANY).failure else "survives"


def is_equivalent(mutant: Mutant, pool: SolverPool) -> bool:
    """Whether the mutant means the same on numbers of each kind that it takes: it is the same term, or the prover shows it."""
    proved = 0
    for number in (INT, REAL, BOOL):
        types = _types(mutant.operator, number)
        if types is None:
            continue
        args, result = types
        try:
            one, two = (each.meaning.instantiate(args, result) for each in (mutant.original, mutant.operator))
        except ValueError:
            return False
        added = [each for each in two.requires if each not in one.requires]
        if not added and alpha_equal(one.body, two.body):
            proved += 1
            continue
        if not any(_proved(one.requires, conj(same(one.body, body), *added), pool) for body in (two.body, peeled(two.body))):
            return False
        proved += 1
    return proved > 0


def _proved(requires: Sequence[Expr], goal: Expr, pool: SolverPool) -> bool:
    try:
        return prove(requires, goal, pool, SECONDS).verdict is ObligationVerdict.PROVED
    except (ValueError, NotEncodable):
        return False


def peeled(body: Expr) -> Expr:
    """The body with the first step of its fold, where it is one, by itself: after none at all, it is as it was."""
    if not isinstance(body, Fold):
        return body
    first = substitute(body.body, {body.index: integer(0), body.acc: body.init})
    following = substitute(body.body, {body.index: plus(body.index, integer(1))})
    rest = Fold(minus(body.extent, integer(1)), simplify(reduce(first)), body.acc, body.index, following)
    return Ite(at_most(integer(1), body.extent), rest, body.init)


def _types(operator: Operator, number: ScalarType) -> tuple[tuple[Type, ...], ScalarType] | None:
    """Types of arguments and result whose variables stand for that type; None where they may not."""
    patterns = (*(pattern for _, pattern in operator.meaning.params), operator.meaning.result)
    fits = all(each.kind.admits(number) or each.kind is Kind.SCALAR for pattern in patterns for each in pattern.variables)
    if not fits or any(pattern.takes for pattern in patterns):
        return None
    scalars = [number if isinstance(pattern.element, TypeVariable) else pattern.element for pattern in patterns]
    pairs = zip(scalars, patterns, strict=True)
    *args, _ = [TensorType(one, pattern.rank) if pattern.rank else one for one, pattern in pairs]
    return tuple(args), scalars[-1]


def same(one: Expr, two: Expr) -> Expr:
    """That two results are equal, lists in all their elements."""
    kind = type_of(one)
    if not isinstance(kind, TensorType):
        return equal(one, two)
    at = tuple(Var(f"at{axis}!", INT) for axis in range(kind.rank))
    lengths = [tuple(reduce_head(Length(each, axis)) for axis in range(kind.rank)) for each in (one, two)]
    inside = conj(*(in_range(index, extent) for index, extent in zip(at, lengths[0], strict=True)))
    elements = equal(reduce_head(Select(one, at)), reduce_head(Select(two, at)))
    return conj(*(equal(a, b) for a, b in zip(*lengths, strict=True)), forall(at, implies(inside, elements)))


def drawn(names: Sequence[str], count: int, seed: int) -> list[tuple[str, Mutant]]:
    """So many mutants of the drivers' meanings, from all of them alike."""
    every = [(name, mutant) for name in names for mutant in mutants(load(name).driver)]
    return random.Random(seed).sample(every, min(count, len(every)))


def _share(text: str) -> tuple[int, int]:
    """The numbers of I/N. Raises ValueError, of which argparse makes a message."""
    first, _, shares = text.partition("/")
    found = int(first), int(shares)
    if not 1 <= found[0] <= found[1]:
        raise ValueError(text)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Make the mutants, print what becomes of each that is not told from the original, and how many there are of each kind."""
    parser = argparse.ArgumentParser(description="Mutate meanings; none that means something else may conform.")
    parser.add_argument("drivers", nargs="*", metavar="DRIVER")
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", metavar="I/N", type=_share, default=(1, 1), help="the I-th of N shares of these mutants")
    options = parser.parse_args(argv)
    first, shares = options.share
    names = options.drivers or own()
    found: Counter[str] = Counter()
    with SolverPool() as pool:
        for name, mutant in drawn(names, options.mutants, options.seed)[first - 1 :: shares]:
            kind = fate(name, mutant, pool)
            found[kind] += 1
            if kind == "survives":
                sys.stdout.write(f"SURVIVES {name}.{mutant.operator.name}:\n    {mutant.before}\n    {mutant.after}\n")
                sys.stdout.flush()
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(found.items()))
    sys.stdout.write(f"{sum(found.values())} mutants: {counts}\n")
    return 1 if found["survives"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
