"""What a program returns before it computes anything: the source asks for sizes first (`if (v.empty()) return 0;`).

Operators on collections may require what only holds after that, such as elements. A program says so by what it requires: that
the source returns early, or the condition. The generated code asks for the sizes, returns, and checks what is left to be checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.ir.arith.bounds import follows, learned
from metalift.ir.arith.intervals import interval, type_range
from metalift.ir.expr.build import conj, disj, less, neg, tuple_items
from metalift.ir.expr.nodes import (
    FALSE,
    TRUE,
    Apply,
    Call,
    Cast,
    Const,
    Expr,
    Fold,
    Ite,
    Length,
    MakeTuple,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import BOOL, INT, MachineInt, TensorType, is_integer
from metalift.ir.expr.walk import free_vars, map_children, subexpressions
from metalift.ir.program.summary import TargetProgram


@dataclass(frozen=True, slots=True)
class Early:
    """The value that is returned where the condition on sizes and numbers holds, and none of those before it does."""

    condition: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Returns:
    """What is returned early, and the result where that is not so."""

    early: tuple[Early, ...]
    rest: Expr | None

    @property
    def condition(self) -> Expr:
        """Whether anything is returned early."""
        return disj(*(each.condition for each in self.early))

    @property
    def otherwise(self) -> Expr:
        """What holds where nothing is."""
        return conj(*(_opposite(each.condition) for each in self.early))

    def unless(self, required: Expr) -> Expr:
        """The condition, or that something is returned early; the condition alone where it holds then, too."""
        holds_early = self.early and all(follows(required, learned(each.condition)) for each in self.early)
        return disj(self.condition, required) if self.early and not holds_early else required

    def needed(self, required: Expr) -> Expr | None:
        """The condition of which `unless` was made, None for others."""
        parts, own = _alternatives(required), _alternatives(self.condition)
        return disj(*parts[len(own) :]) if self.early and parts[: len(own)] == own and len(parts) > len(own) else None

    def ensures(self, required: Expr) -> bool:
        """Whether it is made of a condition that holds wherever nothing is returned early."""
        needed = self.needed(required)
        return needed is not None and follows(needed, learned(self.otherwise))


def possible(program: TargetProgram, driver: Driver) -> Returns:
    """Everything that a function of collections could return before it computes anything."""
    early: list[Early] = []
    rest = program.result
    collections = all(target.layout is not None and target.layout.part for target in driver.targets)
    functions = all(target.layout is not None and target.write is None and target.kernels is None for target in driver.targets)
    computed = frozenset(let.var for let in program.lets)
    while functions and not program.writes and rest is not None:
        items = tuple_items(rest)
        asked = (each[0] for item in items for each in _choices(item, driver) if _is_of_sizes(each[0], computed))
        condition = next((each for each in asked if collections or isinstance(rest, Ite) or _is_of_lengths(each)), None)
        if condition is None:
            break
        then, other = zip(*(_sides(item, condition, driver) for item in items), strict=True)
        if all(_is_known(each, computed) for each in then):
            early, rest = [*early, Early(condition, _whole(then, rest))], _whole(other, rest)
        elif all(_is_known(each, computed) for each in other):
            early, rest = [*early, Early(_opposite(condition), _whole(other, rest))], _whole(then, rest)
        else:
            break
    return Returns(tuple(early), rest)


def _whole(items: tuple[Expr, ...], like: Expr) -> Expr:
    return MakeTuple(items) if isinstance(like, MakeTuple) else items[0]


def _sides(item: Expr, condition: Expr, driver: Driver) -> tuple[Expr, Expr]:
    """What an item of the result is where the condition holds, and elsewhere."""
    for asked, then, other in _choices(item, driver):
        if asked == condition:
            return then, other
    if type_of(item) == BOOL and (meant := _exact(expand(item, driver))) in (condition, neg(condition)):
        return (TRUE, FALSE) if meant == condition else (FALSE, TRUE)
    return item, item


def _is_of_lengths(condition: Expr) -> bool:
    """Whether it speaks of nothing but how many elements there are, which is known before anything is traced."""
    parts = subexpressions(condition)
    return all(isinstance(part, Length | Const | Apply) or isinstance(type_of(part), TensorType) for part in parts)


def returns(program: TargetProgram, driver: Driver) -> Returns:
    """What a program returns early: nothing, where it requires nothing that holds only after that."""
    found = possible(program, driver)
    if any(found.needed(each) is not None for each in program.requires):
        return found
    return Returns((), program.result)


def _choices(expr: Expr, driver: Driver) -> Iterator[tuple[Expr, Expr, Expr]]:
    """The condition and both values of a choice, of an operator that chooses, or that says whether two conditions hold."""
    if isinstance(expr, Ite):
        yield _exact(expand(expr.cond, driver)), expr.then, expr.other
    if not isinstance(expr, Call) or expr.function not in driver.operators:
        return
    instance = driver.operators[expr.function].instantiate(tuple(type_of(arg) for arg in expr.args), expr.type)
    if len(expr.args) == 3 and instance.body == Ite(*instance.params):
        condition, then, other = expr.args
        yield _exact(expand(condition, driver)), then, other
    if len(expr.args) == 2 and instance.body in (Apply(Operator.AND, instance.params), Apply(Operator.OR, instance.params)):
        both = instance.body == Apply(Operator.AND, instance.params)
        for condition, other in (expr.args, expr.args[::-1]):
            asked = _exact(expand(condition, driver))
            yield (asked, other, FALSE) if both else (asked, TRUE, other)


def _is_known(value: Expr, computed: frozenset[Var]) -> bool:
    """Whether it is a number that nothing has to be computed for."""
    return isinstance(value, Const) or (isinstance(value, Var) and value not in computed)


def _is_of_sizes(condition: Expr, computed: frozenset[Var]) -> bool:
    """Whether it compares lengths and parameters only."""
    if any(isinstance(part, Select | Fold | Call) for part in subexpressions(condition)):
        return False
    used = free_vars(condition)
    lengths = {part.tensor for part in subexpressions(condition) if isinstance(part, Length)}
    return all(isinstance(each, Var) for each in lengths) and used.isdisjoint(computed) and _is_comparison(condition)


def _is_comparison(condition: Expr) -> bool:
    match condition:
        case Apply(Operator.NOT, (arg,)):
            return _is_comparison(arg)
        case Apply(Operator.LT | Operator.LE | Operator.EQ, (left, _)):
            return type_of(left) == INT
        case _:
            return False


def _exact(expr: Expr) -> Expr:
    """The condition with integers compared as such, without conversions that change nothing."""
    match expr:
        case Apply(Operator.LT | Operator.LE | Operator.EQ as op, (left, right)) if is_integer(type_of(left)):
            return Apply(op, (_integer(left), _integer(right)))
        case Apply(Operator.NOT, (arg,)):
            return Apply(Operator.NOT, (_exact(arg),))
        case _:
            return expr


def _integer(value: Expr) -> Expr:
    """The same integer, exact."""
    match value:
        case Const(number, _):
            return integer(int(number))
        case Cast(arg, type_) if is_integer(type_of(arg)):
            exact = type_ == INT or (isinstance(type_, MachineInt) and interval(arg).within(type_range(type_)))
            return _integer(arg) if exact else Cast(value, INT)
        case _ if type_of(value) == INT:
            return map_children(_integer, value) if isinstance(value, Apply) else value
        case _:
            return Cast(value, INT)


def _opposite(condition: Expr) -> Expr:
    """That the condition does not hold; of a length that is not 0, that there are elements."""
    match condition:
        case Apply(Operator.EQ, (Length() as length, Const(0))) | Apply(Operator.EQ, (Const(0), Length() as length)):
            return less(integer(0), length)
        case _:
            return neg(condition)


def _alternatives(condition: Expr) -> tuple[Expr, ...]:
    if isinstance(condition, Apply) and condition.op is Operator.OR:
        return tuple(part for arg in condition.args for part in _alternatives(arg))
    return (condition,)
