"""Evaluation of expressions in a symbolic state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Cast,
    Const,
    Expr,
    Filter,
    Fold,
    Ite,
    Length,
    Operator,
    Select,
    Update,
    Var,
    is_number,
    type_of,
)
from metalift.ir.expr.walk import (
    alpha_equal,
    binders_of,
    children,
    free_vars,
    rebuild,
    scoped_children,
    with_binders_apart,
)
from metalift.synth.derive.better import better
from metalift.synth.derive.bounds import plain_index, sized
from metalift.synth.derive.choices_as_operators import zero
from metalift.synth.derive.normal_terms import Cell, apply, index, ite, negate, renew

Read: TypeAlias = Callable[[Var, Cell, Mapping[Var, Expr]], Expr]
"""The element of an array at indices that may speak of binders with the given extents."""


def evaluate(expr: Expr, values: Mapping[Var, Expr], read: Read, ranges: Mapping[Var, Expr] | None = None) -> Expr:
    """The expression with variables replaced by their values and reads of arrays by what they see, in normal form."""
    return _Evaluation(values, read).go(expr, ranges or {})


class _Evaluation:
    """One evaluation; remembers what was done per binder scope."""

    def __init__(self, values: Mapping[Var, Expr], read: Read) -> None:
        self.values = values
        self.read = read
        self.taken = frozenset(var.name for value in values.values() for var in free_vars(value))
        self.done: dict[tuple[int, tuple[Var, ...]], tuple[Expr, Expr]] = {}

    def go(self, expr: Expr, ranges: Mapping[Var, Expr]) -> Expr:
        if isinstance(expr, Const):
            return expr
        if isinstance(expr, Var):
            return self.values.get(expr, expr)
        key = (id(expr), tuple(ranges))
        if key not in self.done:
            self.done[key] = (expr, self.step(expr, ranges))  # the expression is kept, so that its id stays its own
        return self.done[key][1]

    def step(self, expr: Expr, ranges: Mapping[Var, Expr]) -> Expr:
        match expr:
            case Select(Var() as array, cell):
                return self.read(array, tuple(plain_index(self.go(each, ranges), ranges) for each in cell), ranges)
            case Length(Var(), _):
                return expr
            case Build() | Filter() | Fold() | Update():
                return self.binding(expr, ranges)
            case _:
                return renew(expr, tuple(self.go(child, ranges) for child in children(expr)))

    def binding(self, expr: Expr, ranges: Mapping[Var, Expr]) -> Expr:
        """A node with binders: they shadow values of the same name, and are renamed where they would capture."""
        old = binders_of(expr)
        expr = with_binders_apart(expr, self.taken)
        if binders_of(expr) != old:
            return self.binding(expr, ranges)
        scope = dict(ranges)
        parts: list[Expr] = []
        extents = iter(_extent_positions(expr))
        position = next(extents, None)
        for place, (child, bound) in enumerate(scoped_children(expr)):
            inside = self if not any(b in self.values for b in bound) else self.without(bound)
            part = inside.go(child, {**ranges, **{b: scope[b] for b in bound if b in scope}})
            if place == position:
                length = index(part)
                cut = len(length.terms) == 1 or not isinstance(expr, Build)  # the length of an array has terms that count
                part = (sized(length) if cut else length).to_expr()
                scope[_binder_of_extent(expr, place)] = part
                position = next(extents, None)
            parts.append(part)
        return finished(rebuild(expr, tuple(parts)))

    def without(self, bound: tuple[Var, ...]) -> _Evaluation:
        return _Evaluation({var: value for var, value in self.values.items() if var not in bound}, self.read)


def _extent_positions(expr: Expr) -> range:
    match expr:
        case Build(extents, _, _):
            return range(len(extents))
        case Filter() | Fold():
            return range(1)
        case Update(_, binders):
            return range(1, 1 + len(binders))
        case _:
            return range(0)


def _binder_of_extent(expr: Expr, place: int) -> Var:
    match expr:
        case Filter(_, counter, _, _) | Fold(_, _, _, counter, _):
            return counter
        case Update(_, binders):
            return binders[place - 1]
        case _:
            return binders_of(expr)[place]


def finished(expr: Expr) -> Expr:
    """A binding node in normal form: a fold of nothing is its start, a copy of a whole tensor is the tensor."""
    match expr:
        case Fold(extent, init, acc, _, body) if is_number(extent, 0) or body == acc:
            return init
        case Fold(extent, init, acc, counter, body):
            return Fold(extent, init, acc, counter, accumulation(acc, body))
        case _:
            return expr


def accumulation(acc: Var, body: Expr) -> Expr:
    """The step of a fold; `c ? acc + v : acc` becomes acc + (c ? v : 0), the accumulator comes first.

    `c && acc < v ? v : acc` becomes c ? max(acc, v) : acc.
    """
    match body:
        case Apply(Operator.ADD | Operator.MUL | Operator.MIN | Operator.MAX as op, (left, right)) if right == acc:
            if acc not in free_vars(left):
                return Apply(op, (acc, left))
        case Apply(Operator.ADD, (left, Ite() as chosen)) if left == acc:
            return Apply(Operator.ADD, (acc, _counted(chosen)))
        case Cast(Apply(Operator.ADD, (left, right)), type_) if right == Cast(acc, type_of(left)):
            return Cast(Apply(Operator.ADD, (right, left)), type_)
    if isinstance(body, Ite) and acc in free_vars(body):
        change = _change(acc, body)
        if change is not None:
            return apply(Operator.ADD, (acc, _counted(change)))
        extreme = better(acc, body)
        return body if extreme is None else extreme.step
    return body


def _counted(change: Expr) -> Expr:
    """Of 0 and 1, which is added where a condition holds, rather 1: also where the condition is said by its opposite."""
    match change:
        case Ite(cond, Const() as then, other) if is_number(then, 0) and is_number(other, 1):
            opposite = negate(cond)
            plain = isinstance(opposite, Apply) and opposite.op is Operator.NOT
            return change if plain else ite(opposite, other, then)
        case _:
            return change


def _change(acc: Var, body: Expr) -> Expr | None:
    """What is added to the accumulator, if that is all that happens to it."""
    if body == acc:
        return zero(acc.type)
    match body:
        case Apply(Operator.ADD, (left, right)) if acc in free_vars(left) and acc not in free_vars(right):
            inner = _change(acc, left)
            return None if inner is None else apply(Operator.ADD, (inner, right))
        case Apply(Operator.ADD, (left, right)) if acc in free_vars(right) and acc not in free_vars(left):
            return _change(acc, Apply(Operator.ADD, (right, left)))
        case Apply(Operator.SUB, (left, right)) if acc in free_vars(left) and acc not in free_vars(right):
            inner = _change(acc, left)
            if inner is None:
                return None
            return Apply(Operator.NEG, (right,)) if is_number(inner, 0) else Apply(Operator.SUB, (inner, right))
        case _:
            return _change_of_choice(acc, body)


def _change_of_choice(acc: Var, body: Expr) -> Expr | None:
    if isinstance(body, Ite) and acc not in free_vars(body.cond):
        then, other = _change(acc, body.then), _change(acc, body.other)
        if then is not None and other is not None:
            return ite(body.cond, then, other)
    return None


def replace_equal(expr: Expr, wanted: Expr, by: Expr) -> Expr:
    """The expression with each subterm that is equal to `wanted` up to binders' names replaced."""
    if type_of(expr) == type_of(wanted) and alpha_equal(expr, wanted):
        return by
    parts = children(expr)
    new = tuple(replace_equal(part, wanted, by) for part in parts)
    return expr if new == parts else rebuild(expr, new)
