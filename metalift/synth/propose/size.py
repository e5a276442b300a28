"""How large an answer is when its names and operators are written out: what it is tested and proved as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from metalift.driver import Driver
from metalift.ir.expr.nodes import Call, Expr, Length, Var, type_of
from metalift.ir.expr.walk import children
from metalift.synth.propose.answer import Rejected

LARGEST = 6_000  # nodes; the programs of the suites have at most a few hundred


def check_size(lets: Iterable[tuple[Var, Expr]], others: Iterable[Expr], driver: Driver) -> None:
    """Raises Rejected where names that are used again and again, or operators in operators, make the answer too large."""
    sizes: dict[Var, int] = {}
    for var, value in lets:
        sizes[var] = written_out(value, sizes, driver)
    for size in (*sizes.values(), *(written_out(value, sizes, driver) for value in others)):
        if size > LARGEST:
            raise Rejected("the answer is too large with names and operators written out; a few operators on slices should do")


def written_out(expr: Expr, sizes: Mapping[Var, int], driver: Driver) -> int:
    """About how many nodes the expression has with operators replaced by their meanings; of names, `sizes` says it."""
    match expr:
        case Var():
            return sizes.get(expr, 1)
        case Length():
            return 1
        case Call(function, args, type_) if function in driver.operators:
            given = [written_out(arg, sizes, driver) for arg in args]
            if sum(given) > LARGEST:
                return sum(given)
            instance = driver.operators[function].instantiate(tuple(type_of(arg) for arg in args), type_)
            return written_out(instance.body, dict(zip(instance.params, given, strict=True)), driver)
        case _:
            return 1 + sum(written_out(child, sizes, driver) for child in children(expr))
