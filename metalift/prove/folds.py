"""Folds as functions of their extent and of what their bodies capture, and the facts that are stated of them.

A fold is closed by replacing each maximal subterm of its body that mentions none of its binders by a parameter: the fold of
an inner loop in row `i` and that in row `i + 1` are then one function at two arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.arith.sums import zero
from metalift.ir.expr.build import at_most, conj, disj, equal, less, neg, plus, tuple_items
from metalift.ir.expr.nodes import (
    TRUE,
    Apply,
    Cast,
    Const,
    Expr,
    Fold,
    Ite,
    Item,
    MakeTuple,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import BOOL, INT, MachineInt, RealType, TensorType, TupleType, Type, is_integer
from metalift.ir.expr.walk import (
    alpha_key,
    binders_of,
    children,
    free_vars,
    map_children,
    rebuild,
    scoped_children,
    subexpressions,
    substitute,
)

RING = frozenset({Operator.ADD, Operator.SUB, Operator.MUL, Operator.NEG})
COMMUTATIVE = frozenset({Operator.ADD, Operator.MUL, Operator.MIN, Operator.MAX, Operator.EQ, Operator.AND, Operator.OR})


@dataclass(frozen=True, slots=True)
class ClosedFold:
    """`key` is the same for folds that are the same function; `captured` are the other arguments, the initial value first."""

    key: Expr
    extent: Expr
    captured: tuple[Expr, ...]
    type: Type

    def component(self, position: int) -> Type:
        """The type of one component of a tuple accumulator."""
        assert isinstance(self.type, TupleType)
        return self.type.items[position]


@lru_cache(maxsize=1 << 12)
def closed(fold: Fold) -> ClosedFold:
    """The fold as a function of its extent and its captured values."""
    captured: list[Expr] = []

    def parameter(term: Expr) -> Expr:
        captured.append(term)
        return Var(f"?{len(captured)}", type_of(term))

    init: Expr
    if isinstance(fold.init, MakeTuple):
        init = MakeTuple(tuple(parameter(item) for item in fold.init.items))
    else:
        init = parameter(fold.init)
    canonical = canonical_order(canonical_integers(fold.body, binders_of(fold)), binders_of(fold))
    body = abstracted(canonical, frozenset(binders_of(fold)), parameter)
    key = alpha_key(Fold(integer(0), init, fold.acc, fold.index, body))
    return ClosedFold(key, fold.extent, tuple(captured), type_of(fold))


def abstracted(expr: Expr, bound: frozenset[Var], parameter: Callable[[Expr], Expr]) -> Expr:
    """The expression with its maximal closed scalar subterms replaced by parameters."""
    if isinstance(expr, Const) or (isinstance(expr, Var) and isinstance(expr.type, TensorType)):
        return expr
    if free_vars(expr).isdisjoint(bound) and not isinstance(type_of(expr), TensorType | TupleType):
        return parameter(expr)
    parts = tuple(abstracted(child, bound | frozenset(scope), parameter) for child, scope in scoped_children(expr))
    return rebuild(expr, parts)


def canonical_order(expr: Expr, bound: tuple[Var, ...]) -> Expr:
    """Operands of commutative operators in an order that depends neither on names of binders nor on what is captured."""
    inner = (*bound, *binders_of(expr))
    parts = tuple(canonical_order(child, inner if scope else bound) for child, scope in scoped_children(expr))
    if isinstance(expr, Apply) and expr.op in COMMUTATIVE:
        parts = tuple(sorted(parts, key=lambda part: skeleton(part, bound)))
    return rebuild(expr, parts) if parts else expr


def skeleton(expr: Expr, bound: tuple[Var, ...]) -> str:
    """The shape of a term: bound variables by depth, captured subterms left out."""
    if isinstance(expr, Var):
        if expr in bound:
            return f"%{bound.index(expr)}"
        return expr.name if isinstance(expr.type, TensorType) else "?"
    if isinstance(expr, Const):
        return repr(expr.value)
    if free_vars(expr).isdisjoint(bound) and not isinstance(type_of(expr), TensorType | TupleType):
        return "?"
    inner = (*bound, *binders_of(expr))
    head = expr.op.value if isinstance(expr, Apply) else getattr(expr, "function", type(expr).__name__)
    parts = (skeleton(child, inner if scope else bound) for child, scope in scoped_children(expr))
    return f"{head}({', '.join(parts)})"


def canonical_integers(expr: Expr, bound: tuple[Var, ...]) -> Expr:
    """Integer arithmetic as sums over the monomials of bound variables, each with a closed coefficient."""
    inner = (*bound, *binders_of(expr))
    parts = tuple(canonical_integers(child, inner if scope else bound) for child, scope in scoped_children(expr))
    if not parts:
        return expr
    if isinstance(expr, Select):
        parts = (parts[0], *(canonical_integer(part, bound) for part in parts[1:]))
    changed = rebuild(expr, parts)
    return canonical_integer(changed, bound) if isinstance(expr, Apply) and expr.op in RING else changed


def canonical_integer(index: Expr, bound: tuple[Var, ...]) -> Expr:
    """One sum or product; bound variables are ordered by depth, not by name. What is no integer stays."""
    if not is_integer(type_of(index)):
        return index
    depth = {var: position for position, var in enumerate(bound)}
    groups: dict[tuple[tuple[int, str], ...], list[tuple[tuple[Expr, ...], int]]] = {}
    heads: dict[tuple[tuple[int, str], ...], tuple[Expr, ...]] = {}
    for monomial, factor in Polynomial.of(index).terms:
        head = tuple(sorted((a for a in monomial if not free_vars(a).isdisjoint(bound)), key=lambda a: rank(a, depth)))
        key = tuple(rank(atom, depth) for atom in head)
        heads[key] = head
        groups.setdefault(key, []).append((tuple(a for a in monomial if free_vars(a).isdisjoint(bound)), factor))
    result: Expr | None = None
    for key in sorted(groups):
        coefficient = Polynomial.make(groups[key])
        term = coefficient.to_expr()
        for atom in heads[key]:
            wide = Polynomial.atom(atom).to_expr()
            term = wide if term == integer(1) else Apply(Operator.MUL, (term, wide))
        result = term if result is None else Apply(Operator.ADD, (result, term))
    return integer(0) if result is None else result


def rank(atom: Expr, depth: dict[Var, int]) -> tuple[int, str]:
    """An order of atoms that does not depend on the names of bound variables."""
    if isinstance(atom, Var):
        return (depth[atom], "")
    order = {var: Var(f"?{position}", var.type) for var, position in depth.items()}  # %0, ... are binders inside the atom
    return (len(depth), repr(alpha_key(substitute(atom, dict(order)))))


def shorter(fold: Fold) -> Fold:
    """The fold over one element less."""
    return Fold((Polynomial.of(fold.extent) - 1).to_expr(), fold.init, fold.acc, fold.index, fold.body)


def empty(fold: Fold) -> list[Expr]:
    """The part of the definition for no elements: the initial value."""
    none = at_most(fold.extent, integer(0))
    return [disj(neg(none), equal(whole, first)) for whole, first in zip(components(fold), components(fold.init), strict=True)]


def unfolded(fold: Fold) -> list[Expr]:
    """The definition at this extent: the initial value for none, otherwise the step from the fold over one element less."""
    before = shorter(fold)
    step = substitute(fold.body, {fold.acc: before, fold.index: before.extent})
    none = at_most(fold.extent, integer(0))
    last = [disj(none, equal(whole, after)) for whole, after in zip(components(fold), components(step), strict=True)]
    return [conj(first, following) for first, following in zip(empty(fold), last, strict=True)]


def components(expr: Expr) -> list[Expr]:
    """The scalars an expression is made of: itself, or the items of a tuple."""
    type_ = type_of(expr)
    if not isinstance(type_, TupleType):
        return [expr]
    return [component(expr, position) for position in range(len(type_.items))]


def component(expr: Expr, position: int) -> Expr:
    """An item, of a tuple that is written out the item itself."""
    if isinstance(expr, MakeTuple):
        return expr.items[position]
    if isinstance(expr, Ite):
        return Ite(expr.cond, component(expr.then, position), component(expr.other, position))
    return Item(expr, position)


def extensionality(left: Fold, right: Fold, name: str) -> Expr:
    """If the steps agree from every accumulator at every index below the extent, equal starts give equal folds.

    As a ground formula: the folds are equal, or the extents or starts differ, or there are an index below the extent and an
    accumulator (the fresh constants called after `name`) at which the steps differ. Lemma `fold extensionality`.
    """
    index = Var(f"{name}.k", INT)
    acc = accumulator(left, name)
    one = substitute(left.body, {left.acc: acc, left.index: index})
    two = substitute(right.body, {right.acc: acc, right.index: index})
    differ = conj(at_most(integer(0), index), less(index, left.extent), neg(all_equal(one, two)))
    same_start = conj(equal(left.extent, right.extent), all_equal(left.init, right.init))
    return disj(neg(same_start), differ, all_equal(left, right))


def shift(left: Fold, right: Fold, name: str) -> Expr:
    """If the steps keep a distance d between accumulators, folds that start with that distance end with it.

    d is the difference of the initial values. Ground as in `extensionality`. Lemma `fold shift`.
    """
    index = Var(f"{name}.k", INT)
    acc = accumulator(left, name)
    distance = Apply(Operator.SUB, (left.init, right.init))
    moved = Apply(Operator.ADD, (acc, distance))
    one = substitute(left.body, {left.acc: moved, left.index: index})
    two = Apply(Operator.ADD, (substitute(right.body, {right.acc: acc, right.index: index}), distance))
    differ = conj(at_most(integer(0), index), less(index, left.extent), neg(equal(one, two)))
    moved_result = equal(left, Apply(Operator.ADD, (right, distance)))
    return disj(neg(equal(left.extent, right.extent)), differ, moved_result)


def is_number(type_: Type) -> bool:
    """Whether values of the type can be added."""
    return is_integer(type_) or isinstance(type_, RealType)


def peeling(left: Fold, right: Fold, name: str) -> Expr:
    """If `right` starts with the first step of `left` and its steps are those of `left` one later, then left over n+1 is
    right over n.

    Ground as in `extensionality`. Lemma `fold peeling`.
    """
    index = Var(f"{name}.k", INT)
    acc = accumulator(left, name)
    following = Apply(Operator.ADD, (index, integer(1)))
    one = substitute(left.body, {left.acc: acc, left.index: following})
    two = substitute(right.body, {right.acc: acc, right.index: index})
    differ = conj(at_most(integer(0), index), less(index, right.extent), neg(all_equal(one, two)))
    first = substitute(left.body, {left.acc: left.init, left.index: integer(0)})
    longer = equal(left.extent, Apply(Operator.ADD, (right.extent, integer(1))))
    start = conj(at_most(integer(0), right.extent), longer, all_equal(first, right.init))
    return disj(neg(start), differ, all_equal(left, right))


def continues(rest: Fold, whole: Fold) -> bool:
    """Whether `rest` starts from the result of the same fold as `whole`, over fewer elements it may be."""
    starts = tuple_items(rest.init)
    found = {start.tuple if isinstance(start, Item) else start for start in starts}
    first = found.pop()
    return not found and isinstance(first, Fold) and first.init == whole.init and closed(first).key == closed(whole).key


def splitting(whole: Fold, rest: Fold, name: str) -> Expr:
    """If `rest` starts with the first steps of `whole` and its steps are those that follow, it ends with the whole.

    Ground as in `extensionality`. Lemma `fold splitting`.
    """
    index = Var(f"{name}.k", INT)
    acc = accumulator(whole, name)
    before = (Polynomial.of(whole.extent) - Polynomial.of(rest.extent)).to_expr()
    first = Fold(before, whole.init, whole.acc, whole.index, whole.body)
    one = substitute(whole.body, {whole.acc: acc, whole.index: plus(before, index)})
    two = substitute(rest.body, {rest.acc: acc, rest.index: index})
    differ = conj(at_most(integer(0), index), less(index, rest.extent), neg(all_equal(one, two)))
    start = conj(at_most(integer(0), before), at_most(integer(0), rest.extent), all_equal(first, rest.init))
    return disj(neg(start), differ, all_equal(whole, rest))


def counts(fold: Fold) -> bool:
    """Whether each step adds 0 or 1."""
    match fold.body:
        case Apply(Operator.ADD, (left, right)) if type_of(fold) == INT and fold.acc in (left, right):
            return interval(right if left == fold.acc else left).within(Interval(0, 1))
        case _:
            return False


def count_bounds(fold: Fold, name: str) -> Expr:
    """If each step adds 0 or 1, the fold is at least its start, and greater by the extent at most.

    Ground as in `extensionality`. Lemma `fold count`.
    """
    index, acc = Var(f"{name}.k", INT), Var(f"{name}.a", INT)
    step = substitute(fold.body, {fold.acc: acc, fold.index: index})
    one_more = conj(at_most(acc, step), at_most(step, plus(acc, integer(1))))
    differ = conj(at_most(integer(0), index), less(index, fold.extent), neg(one_more))
    bounds = conj(at_most(fold.init, fold), at_most(fold, plus(fold.init, fold.extent)))
    return disj(less(fold.extent, integer(0)), differ, bounds)


def chosen(fold: Fold) -> tuple[Expr, ...]:
    """The values of which each step takes one, or else leaves the accumulator as it is; none where it does otherwise."""
    leaves = _leaves(fold.body)
    others = tuple(leaf for leaf in leaves if leaf != fold.acc)
    plain = len(others) < len(leaves) and all(fold.acc not in free_vars(leaf) for leaf in others)
    return others if plain else ()


def _leaves(expr: Expr) -> tuple[Expr, ...]:
    return (*_leaves(expr.then), *_leaves(expr.other)) if isinstance(expr, Ite) else (expr,)


def wraps(fold: Fold) -> MachineInt | None:
    """The type to which each step brings an integer back, unless it leaves the accumulator as it is; None where it does not."""
    others = (leaf for leaf in _leaves(fold.body) if leaf != fold.acc)
    types = {_wraps(leaf) for leaf in others} if type_of(fold) == INT else set()
    return types.pop() if len(types) == 1 else None


def _wraps(leaf: Expr) -> MachineInt | None:
    match leaf:
        case Cast(Cast(arg, MachineInt() as type_), type_of_leaf) if type_of_leaf == INT and type_of(arg) == INT:
            return type_
        case _:
            return None


def wrapped(value: Expr, type_: MachineInt) -> Expr:
    """An exact integer brought back to a type."""
    return Cast(Cast(value, type_), INT)


def one_of(fold: Fold, name: str) -> Expr:
    """The fold is its start, or what some step may take: at a fresh index called after `name`. Lemma `fold choice`."""
    index = Var(f"{name}.c", INT)
    taken = [equal(fold, substitute(value, {fold.index: index})) for value in chosen(fold)]
    return disj(equal(fold, fold.init), conj(at_most(integer(0), index), less(index, fold.extent), disj(*taken)))


def holds_throughout(fold: Fold, name: str) -> Expr:
    """If the start holds, and each step where what was before it does, the fold holds; a number holds that is not negative.

    Ground as in `extensionality`. Lemma `fold holds`.
    """
    index = Var(f"{name}.k", INT)
    before: Expr = TRUE if type_of(fold) == BOOL else accumulator(fold, name)
    step = substitute(fold.body, {fold.acc: before, fold.index: index})
    fails = conj(at_most(integer(0), index), less(index, fold.extent), _holds(before), neg(_holds(step)))
    return disj(neg(_holds(fold.init)), fails, _holds(fold))


def _holds(value: Expr) -> Expr:
    return value if type_of(value) == BOOL else at_most(integer(0), value)


def sum_of_positives(fold: Fold, term: Expr, name: str) -> Expr:
    """If each number that a sum from 0 on adds is positive, the sum is where it adds one.

    Ground as in `extensionality`. Lemma `sum of positives`.
    """
    index = Var(f"{name}.k", INT)
    nothing = zero(type_of(fold))
    added = substitute(term, {fold.index: index})
    fails = conj(at_most(integer(0), index), less(index, fold.extent), at_most(added, nothing))
    return disj(at_most(fold.extent, integer(0)), fails, less(nothing, fold))


def reversal(forward: Fold, backward: Fold, name: str) -> list[Expr]:
    """If a step of `backward` may be done before those of `forward` that follow it, in the opposite order, the folds are equal.

    Once with elements at the index, and once where only what is read is: the rest of a step then depends on how many were before.
    Ground as in `extensionality`, with two steps that cannot be exchanged. Lemma `fold reversal`.
    """
    found = [_reversed(forward, backward, f"{name}.0", apart=False)]
    return [*found, _reversed(forward, backward, f"{name}.1", apart=True)] if _outside(forward.body, forward.index) else found


def _reversed(forward: Fold, backward: Fold, name: str, *, apart: bool) -> Expr:
    one, two, acc = Var(f"{name}.i", INT), Var(f"{name}.j", INT), accumulator(forward, name)
    gap = (Polynomial.of(two) - Polynomial.of(one)).to_expr()

    def onwards(before: Expr, at: Expr, position: Expr) -> Expr:
        body = _at_position(forward.body, forward.index, position) if apart else forward.body
        return substitute(body, {forward.acc: before, forward.index: at})

    def back(before: Expr, at: Expr) -> Expr:
        mirrored = (Polynomial.of(backward.extent) - 1 - Polynomial.of(at)).to_expr()
        return substitute(backward.body, {backward.acc: before, backward.index: mirrored})

    ways = back(onwards(acc, two, plus(gap, integer(-1))), one), onwards(back(acc, one), two, gap)
    first = neg(all_equal(back(backward.init, one), onwards(forward.init, one, integer(0))))
    order = at_most(integer(0), one), less(one, two), less(two, forward.extent)
    differ = disj(conj(order[0], less(one, forward.extent), first), conj(*order, neg(all_equal(*ways))))
    same_start = conj(equal(forward.extent, backward.extent), all_equal(forward.init, backward.init))
    return disj(neg(same_start), differ, all_equal(forward, backward))


def _outside(expr: Expr, index: Var) -> bool:
    """Whether a step uses its index for more than to read, and has no other binder of that name."""
    parts = list(subexpressions(expr))
    return _used(expr, index) and all(index not in binders_of(part) for part in parts)


def _used(expr: Expr, index: Var) -> bool:
    return expr == index or (not isinstance(expr, Select) and any(_used(child, index) for child in children(expr)))


def _at_position(expr: Expr, index: Var, position: Expr) -> Expr:
    """The step with `position` in the place of its index, but for what is read."""
    if isinstance(expr, Select):
        return expr
    if expr == index:
        return position
    return map_children(lambda child: _at_position(child, index, position), expr)


def fusion(fold: Fold, inner: Fold, around: Callable[[Expr], Expr], name: str) -> list[Expr]:
    """If `around` takes the start and each step of `inner` to those of `fold`, it takes the one to the other.

    Also where `fold` makes one step more, at its start. Ground as in `extensionality`. Lemma `fold fusion`.
    """
    first = substitute(fold.body, {fold.acc: fold.init, fold.index: integer(0)})
    return [_fused(fold, inner, around, start, more, f"{name}.{more}") for more, start in enumerate((fold.init, first))]


def _fused(fold: Fold, inner: Fold, around: Callable[[Expr], Expr], start: Expr, more: int, name: str) -> Expr:
    """The part of the lemma for a `fold` that makes so many steps more, and has come to `start` by them."""
    index = Var(f"{name}.k", INT)
    acc = accumulator(inner, name)
    same_start = conj(
        equal(fold.extent, plus(inner.extent, integer(more))),
        at_most(integer(0), inner.extent),
        equal(around(inner.init), start),
    )
    following = around(substitute(inner.body, {inner.acc: acc, inner.index: index}))
    step = substitute(fold.body, {fold.acc: around(acc), fold.index: plus(index, integer(more))})
    differ = conj(at_most(integer(0), index), less(index, inner.extent), neg(equal(following, step)))
    return disj(neg(same_start), differ, equal(around(inner), fold))


def accumulator(fold: Fold, name: str) -> Expr:
    """A fresh value of the accumulator's type."""
    type_ = type_of(fold)
    if isinstance(type_, TupleType):
        return MakeTuple(tuple(Var(f"{name}.a{position}", unbounded(item)) for position, item in enumerate(type_.items)))
    return Var(f"{name}.a", unbounded(type_))


def unbounded(type_: Type) -> Type:
    """The type without a machine range: a fold's value is not known to be in it."""
    return INT if isinstance(type_, MachineInt) else type_


def all_equal(left: Expr, right: Expr) -> Expr:
    """Equal in every component."""
    return conj(*(equal(a, b) for a, b in zip(components(left), components(right), strict=True)))
