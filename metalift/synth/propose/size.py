"""How large an answer is when its names and operators are written out: what it is tested and proved as."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence

from metalift.driver import Driver
from metalift.ir.expr.nodes import Call, Expr, Length, Var, type_of
from metalift.ir.expr.walk import children
from metalift.synth.propose.answer import Rejected

LARGEST = 6_000  # nodes; the programs of the suites have at most a few hundred
DEEPEST = 8  # loops and branches in each other


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


def check_growth(tree: ast.FunctionDef, at: Callable[[ast.AST], str]) -> None:
    """Raises Rejected where names that are used again and again make an ordinary function too large: before it is read. What a
    loop does is counted twice, so that it grows from one round to the next.
    """
    sizes: dict[str, int] = {}

    def of(node: ast.expr) -> int:
        names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
        return sum(1 for _ in ast.walk(node)) - len(names) + sum(sizes.get(name.id, 1) for name in names)

    def through(body: Sequence[ast.stmt], depth: int) -> None:
        for statement in body:
            match statement:
                case ast.Assign(targets=targets, value=value):
                    named = [each for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
                    made = of(value)
                case ast.AugAssign(target=target, value=value):
                    named = [each for each in ast.walk(target) if isinstance(each, ast.Name)]
                    made = of(value) + of(target)
                case ast.For() | ast.If() | ast.With():
                    if depth == DEEPEST:
                        raise Rejected(f"loops and branches are nested too deeply, {at(statement)}")
                    for _ in range(2):
                        through([*statement.body, *getattr(statement, "orelse", ())], depth + 1)
                    continue
                case _:
                    continue
            if made > LARGEST:
                raise Rejected(f"the answer is too large with names written out, {at(statement)}")
            sizes.update(dict.fromkeys((name.id for name in named), made))

    through(tree.body, 0)
