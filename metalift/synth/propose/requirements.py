"""What the operators of an answer require: which of it may be assumed, and inputs on which it does not hold.

A proposer adds no assumptions. Of an operator's requirements those become conditions of the program (listed, and checked by the
code) that only compare sizes, or say that a scalar is not zero, and that no input violates whose sizes are positive and on which
the function does something. So an operator that has no value where there are no elements may be used, as by the search. All
others are proved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from metalift.driver import Driver
from metalift.driver.expansion import side_conditions
from metalift.ir.expr.build import at_most, disj
from metalift.ir.expr.nodes import TRUE, Apply, Cast, Const, Expr, Forall, Length, Operator, Var, integer, type_of
from metalift.ir.expr.types import TensorType, is_integer
from metalift.ir.expr.walk import children, free_vars, substitute
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, Value, evaluate
from metalift.ir.program.summary import TargetProgram
from metalift.run.inputs.concrete import Grid, cells_of
from metalift.run.inputs.inputs import Run

LIMIT = 100_000  # steps of one evaluation


def required(program: TargetProgram, driver: Driver) -> Iterator[Expr]:
    """What the operators in the program require, over parameters and named intermediates replaced by their terms."""
    values: dict[Var, Expr] = {}
    parts = []
    for let in program.lets:
        values[let.var] = substitute(let.value, values)
        parts.append(values[let.var])
    parts += [substitute(write.value, values) for write in program.writes]
    parts += [] if program.result is None else [substitute(program.result, values)]
    known: dict[Expr, Expr] = {}
    found = dict.fromkeys(without_binders(cond) for part in parts for cond in side_conditions(part, driver, known))
    yield from (cond for cond in found if not is_true(cond))


def accepted(program: TargetProgram, driver: Driver, sample: Sequence[Run]) -> list[Expr]:
    """The requirements of the program's operators that become conditions of the program."""
    return assumable(required(program, driver), sample)


def assumable(conditions: Iterable[Expr], sample: Sequence[Run]) -> list[Expr]:
    """Those of the conditions that may be assumed."""
    ordinary = [run.input.env() for run in sample if is_natural(run) and does_something(run)]
    simple = dict.fromkeys(cond for cond in conditions if not is_true(cond) and is_simple(cond) and is_plain(cond))
    return [cond for cond in simple if all(holds(cond, env) is not False for env in ordinary)]


def does_something(run: Run) -> bool:
    """Whether the function returns a value, or leaves arrays as they were not before."""
    before = run.input.env()
    return run.outcome.result is not None or any(before.get(name) != after for name, after in run.final.items())


def is_natural(run: Run) -> bool:
    """Whether all integers of the input are positive, and all arrays have elements."""
    values = [value for _, value in run.input.values]
    arrays = all(cells_of(value) for value in values if isinstance(value, tuple | Grid))
    return arrays and all(value > 0 for value in values if isinstance(value, int))


def without_binders(cond: Expr) -> Expr:
    """The condition without quantifiers over what it does not depend on, apart from their ranges.

    `for all i with 0 <= i < n: b != 0` is `n <= 0 or b != 0`.
    """
    match cond:
        case Forall(binders, Apply(Operator.OR, (Apply(Operator.NOT, (domain,)), *rest))):
            bounds = _bounds(domain, binders)
            if bounds is not None and all(free_vars(part).isdisjoint(binders) for part in (*bounds, *rest)):
                return disj(*(at_most(bound, integer(0)) for bound in bounds), *rest)
    return cond


def is_true(cond: Expr) -> bool:
    """Whether it holds on its face: a comparison of numbers, or an alternative that does."""
    if isinstance(cond, Apply) and cond.op is Operator.OR:
        return any(map(is_true, cond.args))
    return cond == TRUE or (not free_vars(cond) and holds(cond, {}) is True)


def _bounds(domain: Expr, binders: tuple[Var, ...]) -> list[Expr] | None:
    """The upper bounds where the domain is 0 <= i < bound for each binder."""
    parts = domain.args if isinstance(domain, Apply) and domain.op is Operator.AND else ()
    bounds: list[Expr] = []
    for part in parts:
        match part:
            case Apply(Operator.LE, (Const(0), Var() as binder)) if binder in binders:
                pass
            case Apply(Operator.LT, (Var() as binder, bound)) if binder in binders:
                bounds.append(bound)
            case _:
                return None
    return bounds if len(bounds) == len(binders) and len(parts) == 2 * len(bounds) else None


def is_simple(cond: Expr) -> bool:
    """Whether it compares sizes, or says that a scalar is not zero."""
    match cond:
        case Apply(Operator.AND | Operator.OR, parts):
            return all(is_simple(part) for part in parts)
        case Apply(Operator.LE | Operator.LT, (left, _)):
            return is_integer(type_of(left))
        case Apply(Operator.NOT, (Apply(Operator.EQ, (_, Const(0))),)):
            return True
        case _:
            return False


def is_plain(cond: Expr) -> bool:
    """Whether it is about scalars and lengths only."""
    if isinstance(cond, Length):
        return isinstance(cond.tensor, Var)
    if isinstance(cond, Var):
        return not isinstance(cond.type, TensorType)
    return isinstance(cond, Const | Apply | Cast) and all(map(is_plain, children(cond)))


def holds(cond: Expr, env: Mapping[str, Value]) -> bool | None:
    """Whether it is true of an input; None where it has no value."""
    try:
        return bool(evaluate(cond, {var.name: env[var.name] for var in free_vars(cond)}, limit=LIMIT))
    except (SourceUndefined, LimitExceeded, KeyError):
        return None


def violated(program: TargetProgram, driver: Driver, sample: Sequence[Run]) -> tuple[Expr, Run] | None:
    """A requirement of an operator and an input on which it does not hold, though the conditions of the program do."""
    wanted = list(required(program, driver))
    for run in sorted(sample, key=lambda run: run.input.cells):
        env = run.input.env()
        if all(holds(cond, env) for cond in program.requires):
            for cond in wanted:
                if holds(cond, env) is False:
                    return cond, run
    return None
