"""`math.inf` and `-math.inf` as the value that a search for an extremum starts from, in a function's blocks.

The largest finite number stands for them, which is exact where all that it is compared with is less, and where it is in no
result: both are a premise. What may still be the first value must only be compared and chosen, in the loop that starts from it;
after the loop it may also be added. A test such as `if x < low: low = x` says of its sides which of them are finite.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from metalift.frontend.lower.infinities import INFINITY, MINUS_INFINITY, PREMISE, loop_of
from metalift.frontend.lower.shape import placed_expressions
from metalift.frontend.python.naming.module import PythonModule
from metalift.ir.expr.nodes import Apply, Build, Call, Const, Expr, Ite, MakeTuple, Operator, Select, Var
from metalift.ir.expr.walk import children, subexpressions
from metalift.ir.program.fragment import (
    Assign,
    Block,
    Branch,
    Diagnostic,
    Edge,
    Location,
    Premise,
    PremiseKind,
    Store,
    Unsupported,
)

if TYPE_CHECKING:
    from metalift.frontend.python.reader.context import Context

_INFINITE = {"inf": 1, "infinity": 1, "-inf": -1, "-infinity": -1}
_COMPARISONS = (Operator.LT, Operator.LE, Operator.EQ)
_SUMS = (Operator.ADD, Operator.SUB, Operator.NEG)
_USE = "supported is the start of a loop that searches a minimum or maximum, with comparisons, min and max"
Finite = frozenset[Var]  # what is known not to be the infinity


def without_infinities(blocks: Sequence[Block]) -> Iterator[Premise]:
    """What is relied on for the infinities in the blocks; refuses those that are more than starts."""
    read = {part for block in blocks for expr, _ in placed_expressions(block) for part in subexpressions(expr)}
    found = [(start, sign) for start, sign in ((INFINITY, 1), (MINUS_INFINITY, -1)) if start in read]
    for start, sign in found:
        _Starts(blocks, start, sign).check()
    if found:
        yield Premise(PREMISE, PremiseKind.VALUES)


def infinite(module: PythonModule, node: ast.expr) -> int:
    """1 and -1 for infinities, 0 for anything else."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -infinite(module, inner)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str() as text)], keywords=[]):
            return _INFINITE.get(text.strip().lower().removeprefix("+"), 0)
        case ast.Attribute() | ast.Name() if module.full_name(node) in ("math.inf", "numpy.inf"):
            return 1
    return 0


def is_nan(context: Context, node: ast.expr | None) -> bool:
    """Whether it is written as what is no number."""
    match node:
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str() as text)], keywords=[]):
            own = context.is_bound("float") or context.module.bound["float"]
            return not own and text.strip().lower().lstrip("+-") == "nan"
        case ast.Attribute() | ast.Name():
            return context.library_name(node) in ("math.nan", "numpy.nan", "torch.nan")
    return False


@dataclass(slots=True)
class _Starts:
    """Follows one of the infinities through the blocks: `infinite` are the names that may still be it, and lists that have it."""

    blocks: Sequence[Block]
    start: Const
    sign: int
    infinite: set[Var] = field(default_factory=set)
    finite: Mapping[str, Finite] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse what is more than a start."""
        by_label = {block.label: block for block in self.blocks}
        following = {block.label: [edge.block for edge in block.edges] for block in self.blocks}
        loops = {block.label: loop_of(block.label, following) for block in self.blocks}
        for edge in (edge for block in self.blocks for edge in block.edges if loops[edge.block]):
            pairs = zip(by_label[edge.block].args, edge.args, strict=True)
            self.infinite |= {arg for arg, given in pairs if given == self.start}
        inside = {label for label, body in loops.items() if self.infinite & set(by_label[label].args) for label in body}
        known = -1
        while known < len(self.infinite):
            known = len(self.infinite)
            self.finite = self._finite()
            for block in self.blocks:
                self._spread(block, by_label)
        for block in self.blocks:
            for expr, place in placed_expressions(block):
                if expr != self.start or not any(expr in edge.args and loops[edge.block] for edge in block.edges):
                    self._only_compared(expr, self.finite[block.label], place, sums=block.label not in inside)

    def _spread(self, block: Block, by_label: Mapping[str, Block]) -> None:
        for statement in block.body:
            if isinstance(statement, Assign) and self._may_be(statement.value, self.finite[block.label]):
                self.infinite.add(statement.target)
            if isinstance(statement, Store) and self._may_be(statement.value, self.finite[block.label]):
                self.infinite.add(statement.array)
        for edge, finite in self._edges(block):
            pairs = zip(by_label[edge.block].args, edge.args, strict=True)
            self.infinite |= {arg for arg, given in pairs if self._may_be(given, finite)}

    # What is finite

    def _finite(self) -> dict[str, Finite]:
        """For each block the names that are no infinity wherever control comes to it."""
        entry = self.blocks[0].label
        found: dict[str, Finite | None] = {block.label: None for block in self.blocks}
        found[entry] = frozenset()
        changed = True
        while changed:
            changed = False
            for block in self.blocks:
                if found[block.label] is None:
                    continue
                for edge, finite in self._edges(block, found[block.label]):
                    before = found[edge.block]
                    now = finite if before is None else before & finite
                    changed |= now != before
                    found[edge.block] = now
        return {label: finite or frozenset() for label, finite in found.items()}

    def _edges(self, block: Block, finite: Finite | None = None) -> Iterator[tuple[Edge, Finite]]:
        """The edges of a block, with what is finite where control passes along them."""
        finite = self.finite[block.label] if finite is None else finite
        if not isinstance(block.end, Branch):
            yield from ((edge, finite) for edge in block.edges)
            return
        yield block.end.then, finite | self._learned(block.end.cond, True, finite)
        yield block.end.other, finite | self._learned(block.end.cond, False, finite)

    def _learned(self, cond: Expr, holds: bool, finite: Finite) -> Finite:
        match cond:
            case Apply(Operator.NOT, (arg,)):
                return self._learned(arg, not holds, finite)
            case Apply(Operator.AND | Operator.OR as op, args) if holds == (op is Operator.AND):
                return frozenset().union(*(self._learned(arg, holds, finite) for arg in args))
            case Apply(Operator.LT | Operator.LE as op, (left, right)):
                strict = (op is Operator.LT) == holds
                less, more = (left, right) if holds else (right, left)
                near, far = (less, more) if self.sign > 0 else (more, less)
                if isinstance(near, Var) and (strict or not self._may_be(far, finite)):
                    return frozenset({near})
            case Apply(Operator.EQ, (Var() as var, other)) if not holds and other == self.start:
                return frozenset({var})
            case _:
                pass
        return frozenset()

    def _may_be(self, expr: Expr, finite: Finite) -> bool:
        """Whether the value may be the infinity."""
        match expr:
            case Var():
                return expr in self.infinite and expr not in finite
            case Select(tensor, _):
                return tensor in self.infinite
            case Const():
                return expr == self.start
            case Ite(cond, then, other):
                sides = ((then, True), (other, False))
                return any(self._may_be(side, finite | self._learned(cond, holds, finite)) for side, holds in sides)
            case Apply(Operator.MIN | Operator.MAX as op, args):
                may = [self._may_be(arg, finite) for arg in args]
                return all(may) if (op is Operator.MIN) == (self.sign > 0) else any(may)
            case Apply(op, args) if op in _SUMS:
                return any(self._may_be(arg, finite) for arg in args)
            case _:
                return False

    # What is done with them

    def _only_compared(self, expr: Expr, finite: Finite, place: Location, *, sums: bool) -> None:  # noqa: C901 (a case for each)
        """Refuse what is computed with a value that may be the infinity."""
        if expr == self.start:
            _refuse(place, "an infinity")
        match expr:
            case Ite(cond, then, other):
                self._only_compared(cond, finite, place, sums=sums)
                for side, holds in ((then, True), (other, False)):
                    self._only_compared(side, finite | self._learned(cond, holds, finite), place, sums=sums)
                return
            case Apply(op, args):
                compares = op in (*_COMPARISONS, Operator.MIN, Operator.MAX, Operator.AND, Operator.OR, Operator.NOT)
                fine = compares or (sums and op in _SUMS)
                for arg in args:
                    if not fine and self._may_be(arg, finite):
                        _refuse(place, "arithmetic on a value that is an infinity at first")
                    if not (compares and arg == self.start):
                        self._only_compared(arg, finite, place, sums=sums)
            case MakeTuple() | Build() | Select():
                for part in children(expr):
                    self._only_compared(part, finite, place, sums=sums)
            case Call("sqrt", (arg,)) if sums:
                self._only_compared(arg, finite, place, sums=sums)
            case _:
                for part in children(expr):
                    if self._may_be(part, finite):
                        _refuse(place, "something computed of a value that is an infinity at first")
                    self._only_compared(part, finite, place, sums=sums)


def _refuse(place: Location, found: str) -> None:
    raise Unsupported(Diagnostic(place, f"{found}; {_USE}; otherwise begin with the first element"))
