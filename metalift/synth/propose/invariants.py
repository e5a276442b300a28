"""Loops that do not count, as a model sees them, and reading the invariants that it gives for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from metalift.driver import Driver, Operator
from metalift.driver.expansion import expand
from metalift.driver.meaning.source import DriverError
from metalift.driver.meaning.typing_rules import TypeClash, Value, settle, truth, typed
from metalift.ir.expr.build import exists, forall, implies, in_range
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Expr, Fold, Var, type_of
from metalift.ir.expr.nodes import Operator as Op
from metalift.ir.expr.types import BOOL, INT, TensorType
from metalift.ir.expr.walk import fresh_name, transform
from metalift.ir.program.fragment import Assign, Fragment, Store
from metalift.ir.program.summary import LoopInvariant, entry_name
from metalift.synth.propose.answer import Code, Rejected
from metalift.synth.propose.expressions import AnswerSource, ExpressionReader, exactly_typed, never_called
from metalift.synth.propose.size import check_size
from metalift.synth.propose.vocabulary import Names, parameter_names, python_names
from metalift.vcgen.natural_loops import dominator_sets, loop_blocks

COUNTER = "steps"  # the ghost counter of a loop's complete iterations


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop as a model sees it: where it is, and what its invariant may speak of, by the names in an answer."""

    header: str
    line: int
    key: str  # what its functions' names end in
    names: Names
    index: Var


@dataclass(frozen=True, slots=True)
class Given:
    """An invariant that was given for a loop; `texts` are its parts as they are written."""

    loop: Loop
    invariant: LoopInvariant
    texts: tuple[str, ...]

    def only(self, parts: Sequence[int]) -> Given:
        """With these of its parts only."""
        holds = tuple(self.invariant.holds[at] for at in parts)
        return replace(self, invariant=replace(self.invariant, holds=holds), texts=tuple(self.texts[at] for at in parts))


def named(kind: str, loop: Loop) -> str:
    """What a function about a loop is called."""
    return f"{kind}_{loop.key}"


def loops_of(fragment: Fragment, operators: Mapping[str, Operator]) -> tuple[Loop, ...]:
    """The loops in the order of the source."""
    blocks = {block.label: block for block in fragment.blocks}
    found: list[Loop] = []
    keys: list[str] = []
    for header in [block.label for block in fragment.blocks if block.label in loop_blocks(fragment)]:
        line = blocks[header].end.location.line
        key = fresh_name(str(line), keys)
        keys.append(key)
        index = Var(f"{COUNTER}.{header}", INT)
        found.append(Loop(header, line, key, visible(fragment, header, index, operators), index))
    return tuple(found)


def visible(fragment: Fragment, header: str, index: Var, operators: Mapping[str, Operator]) -> Names:
    """Parameters under their names, variables of the source at the header, written arrays as they were, the counter."""
    params = parameter_names(fragment, operators)
    taken = {*operators, *params.by_name}
    extra: dict[str, Var] = {}
    for stem, var in variables(fragment, header).items():
        wanted = f"{stem}_now" if stem in {param.var.name for param in fragment.params} else stem
        extra[wanted] = var
    written = {s.array for block in fragment.blocks for s in block.body if isinstance(s, Store)}
    for array in sorted(written, key=lambda var: var.name):
        extra[f"{array.name}_old"] = Var(entry_name(array.name), array.type)
    extra[COUNTER] = index
    named = python_names([Var(name, var.type) for name, var in extra.items()], taken)
    by_extra = dict(zip(named.by_name, extra.values(), strict=True))
    return Names({**params.by_name, **by_extra})


def variables(fragment: Fragment, header: str) -> dict[str, Var]:
    """The value of each scalar variable of the source at a loop's header: its block arguments, and what dominates it."""
    dominators = dominator_sets(fragment)
    above = sorted((b for b in fragment.blocks if b.label in dominators[header]), key=lambda b: len(dominators[b.label]))
    found: dict[str, Var] = {}
    for block in above:
        values = [*block.args]
        if block.label != header:
            values += [statement.target for statement in block.body if isinstance(statement, Assign)]
        for var in values:
            if not isinstance(var.type, TensorType) and re.match(r"[A-Za-z_]\w*(\.\d+)*$", var.name):
                found[var.name.partition(".")[0]] = var
    return found


def read_invariants(
    code: Code, loops: tuple[Loop, ...], driver: Driver, operators: Mapping[str, Operator], closed: Collection[str] = ()
) -> tuple[Given, ...]:
    """The invariants in an answer, one for each loop; those with these headers need none. Raises Rejected."""
    found = []
    for loop in loops:
        if loop.header in closed and not {named(kind, loop) for kind in ("invariant", "decreases")} & code.functions.keys():
            continue
        texts, parts = conjuncts(code, loop, driver, operators)
        measure = value_of(code, loop, "decreases", driver, operators)
        check_size((), (*parts, measure), driver)
        holds = tuple(quantified(expand(part, driver)) for part in parts)
        found.append(Given(loop, LoopInvariant(loop.header, loop.index, holds, expand(measure, driver)), texts))
    return tuple(found)


def conjuncts(
    code: Code, loop: Loop, driver: Driver, operators: Mapping[str, Operator]
) -> tuple[tuple[str, ...], tuple[Expr, ...]]:
    """The parts of an invariant: as they are written, and as formulas."""
    tree = function(code, loop, "invariant")
    match tree.body[-1]:
        case ast.Return(value=ast.BoolOp(op=ast.And(), values=values)):
            pass
        case ast.Return(value=ast.expr() as value):
            values = [value]
        case _:
            raise Rejected(f"an invariant ends in `return` and a condition, {code.at(tree)}")
    reader, env = opened(tree, code, loop, driver, operators)
    try:
        for statement in tree.body[:-1]:
            reader._statement(statement, env)
        parts = tuple(truth(reader.value(value, env)) for value in values)
    except DriverError as problem:
        raise Rejected(problem.reason) from problem
    except (TypeClash, RecursionError) as problem:
        raise Rejected(f"{problem}, {code.at(tree)}") from problem
    return tuple(ast.unparse(value)[:200] for value in values), parts


def value_of(code: Code, loop: Loop, kind: str, driver: Driver, operators: Mapping[str, Operator]) -> Expr:
    """What a function without loops and branches returns, an exact integer."""
    tree = function(code, loop, kind)
    reader, env = opened(tree, code, loop, driver, operators)
    try:
        value = reader._returned(tree.body, env)
        if value is None:
            raise Rejected(f"`{tree.name}` returns nothing, {code.at(tree)}")
        return typed(settle(value), INT)
    except DriverError as problem:
        raise Rejected(problem.reason) from problem
    except (TypeClash, RecursionError) as problem:
        raise Rejected(f"{problem}, {code.at(tree)}") from problem


def function(code: Code, loop: Loop, kind: str) -> ast.FunctionDef:
    """The function of that kind for a loop."""
    name = named(kind, loop)
    tree = code.functions.get(name)
    if tree is None:
        raise Rejected(f"the answer has no function `{name}` for the loop at line {loop.line}")
    return tree


def opened(
    tree: ast.FunctionDef, code: Code, loop: Loop, driver: Driver, operators: Mapping[str, Operator]
) -> tuple[ExpressionReader, dict[str, Value]]:
    """A reader of the function, and what its parameters stand for: all names that there are, in order, or some of them by name;
    integers are exact.
    """
    given, known = [arg.arg for arg in tree.args.args], loop.names.by_name
    some = set(given) <= known.keys()
    if len(set(given)) != len(given) or not (some or len(given) == len(known)):
        raise Rejected(f"`{tree.name}` takes these, or some of them by name: ({', '.join(known)}), {code.at(tree)}")
    pairs = [(name, known[name]) for name in given] if some else zip(given, known.values(), strict=True)
    env: dict[str, Value] = {name: exactly_typed(var) for name, var in pairs}
    taken = {*given, *(var.name for var in loop.names.by_name.values())}
    reader = ExpressionReader(AnswerSource(never_called, tree, "answer", code), INT, taken, operators=operators, driver=driver)
    return reader, env


def quantified(formula: Expr) -> Expr:
    """The formula with folds of `and` and `or` as quantifiers."""

    def changed(expr: Expr) -> Expr:
        match expr:
            case Fold(extent, init, acc, index, Apply(Op.AND, (first, body))) if init == TRUE and first == acc:
                return forall((index,), implies(in_range(index, extent), body))
            case Fold(extent, init, acc, index, Apply(Op.OR, (first, body))) if init == FALSE and first == acc:
                return exists((index,), Apply(Op.AND, (in_range(index, extent), body)))
            case _:
                return expr

    return transform(changed, formula) if type_of(formula) == BOOL else formula
