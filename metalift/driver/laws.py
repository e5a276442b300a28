"""What a function has to be so that it may combine elements in any order, however they are distributed: laws of operators that
take a reducer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.ir.expr.build import equal
from metalift.ir.expr.nodes import Call, Const, Expr, Forall, Lambda, Var, type_of
from metalift.ir.expr.types import BoolType, ScalarType, TensorType
from metalift.ir.expr.walk import children, free_vars, fresh_var, names, subexpressions, substitute
from metalift.ir.interp.interpret import SourceUndefined, Value, evaluate
from metalift.ir.text import show

ANY_ORDER = "reducers may combine in any order"  # the name of the obligation
_SMALL = (0, 1, -1, 2)
_LITERALS = 3  # of a function, that are tried too


def reducers(expr: Expr, driver: Driver) -> Iterator[tuple[Lambda, Expr]]:
    """The functions in the expression that operators combine elements with, and what these start from, operators replaced."""
    operator = driver.operators.get(expr.function) if isinstance(expr, Call) else None
    if isinstance(expr, Call) and operator is not None and operator.reducer is not None:
        args = dict(zip((param.name for param in operator.params), expr.args, strict=True))
        function, start = (expand(args[each], driver) for each in operator.reducer)
        assert isinstance(function, Lambda)
        yield function, start
    for child in children(expr):
        yield from reducers(child, driver)


def laws(function: Lambda, start: Expr) -> dict[str, Forall]:
    """That a function of two values of one type is commutative and associative, and its start neutral, each by its name."""
    type_ = function.params[0].type
    assert isinstance(type_, ScalarType)
    taken = names(function) | names(start)
    variables: list[Var] = []
    for each in "abc":
        variables.append(fresh_var(Var(each, type_), taken | {var.name for var in variables}))
    a, b, c = variables

    def f(left: Expr, right: Expr) -> Expr:
        return substitute(function.body, dict(zip(function.params, (left, right), strict=True)))

    return {
        "commutative": Forall((a, b), equal(f(a, b), f(b, a))),
        "associative": Forall((a, b, c), equal(f(f(a, b), c), f(a, f(b, c)))),
        "started from a neutral value": Forall((a,), equal(f(start, a), a)),
    }


def broken(function: Lambda, start: Expr) -> str | None:
    """The first law that small values break, for people; None where they break none."""
    if [param.type for param in function.params] != [type_of(function.body)] * 2 or type_of(start) != type_of(function.body):
        return f"{show(function)} combines values of different types"
    if any(isinstance(part, Call) for part in subexpressions(start)):
        return f"{show(function)} starts from what is computed"
    for name, law in laws(function, start).items():
        free = sorted(free_vars(law), key=lambda var: var.name)
        if any(isinstance(var.type, TensorType) for var in free):
            return f"{show(function)} reads a collection"
        numbers = (*_SMALL, *_literals(function))
        choices = [(False, True) if isinstance(var.type, BoolType) else numbers for var in (*law.binders, *free)]
        for values in product(*choices):
            env: dict[str, Value] = {var.name: value for var, value in zip((*law.binders, *free), values, strict=True)}
            if _fails(law.body, env):
                where = ", ".join(f"{var} = {value}" for var, value in env.items())
                return f"{show(function)} is not {name} ({where}), so its parts cannot be combined in any order"
    return None


def _literals(function: Lambda) -> list[int]:
    """Integers of the function: where it may behave in another way."""
    found = {part.value for part in subexpressions(function.body) if isinstance(part, Const)}
    return sorted(int(value) for value in found if value == int(value) and value not in _SMALL)[:_LITERALS]


def _fails(body: Expr, env: dict[str, Value]) -> bool:
    try:
        return not evaluate(body, env)
    except (SourceUndefined, ValueError, KeyError):  # a function that is not known breaks nothing
        return False
