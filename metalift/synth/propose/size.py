"""How large an answer is when its names and operators are written out: what it is tested and proved as."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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
    _Growth(at).through(tree.body, 0)


@dataclass
class _Growth:
    """How large the values of names are when the names in them are written out."""

    at: Callable[[ast.AST], str]
    sizes: dict[str, int] = field(default_factory=dict)

    def through(self, body: Sequence[ast.stmt], depth: int) -> None:
        """The statements, `depth` loops and branches deep."""
        for statement in body:
            match statement:
                case ast.Assign(targets=targets, value=value):
                    self.grown(statement, [name for target in targets for name in changed(target)], self.of(value))
                case ast.AugAssign(target=target, value=value):
                    names = changed(target)
                    self.grown(statement, names, self.of(value) + max((self.sizes.get(name, 1) for name in names), default=1))
                case ast.For() | ast.If() | ast.With():
                    if depth == DEEPEST:
                        raise Rejected(f"loops and branches are nested too deeply, {self.at(statement)}")
                    for _ in range(2):
                        self.through([*statement.body, *getattr(statement, "orelse", ())], depth + 1)

    def grown(self, statement: ast.stmt, names: Sequence[str], size: int) -> None:
        """A statement gives names a value of this size."""
        if size > LARGEST:
            raise Rejected(f"the answer is too large with names written out, {self.at(statement)}")
        self.sizes.update(dict.fromkeys(names, size))

    def of(self, node: ast.expr) -> int:
        """The size of an expression."""
        names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
        return sum(1 for _ in ast.walk(node)) - len(names) + sum(self.sizes.get(name.id, 1) for name in names)


def changed(target: ast.expr) -> list[str]:
    """The names of values and arrays that an assignment changes."""
    match target:
        case ast.Name(id=name):
            return [name]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [name for part in parts for name in changed(part)]
        case ast.Subscript(value=array) | ast.Starred(value=array):
            return changed(array)
        case _:
            return []
