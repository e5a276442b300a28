"""Going through expressions: children, free variables, substitution, renaming of binders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from typing import assert_never

from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Exists,
    Expr,
    Filter,
    Fold,
    Forall,
    Invoke,
    Ite,
    Item,
    Lambda,
    Length,
    MakeTuple,
    Select,
    Update,
    Var,
)


def scoped_children(expr: Expr) -> tuple[tuple[Expr, tuple[Var, ...]], ...]:  # noqa: C901 (one case for each node)
    """The immediate subexpressions, each with the binders of `expr` that are in scope in it."""
    match expr:
        case Var() | Const():
            return ()
        case Apply(_, args) | Call(_, args, _):
            return tuple((arg, ()) for arg in args)
        case Cast(arg, _):
            return ((arg, ()),)
        case Ite(cond, then, other):
            return ((cond, ()), (then, ()), (other, ()))
        case Select(tensor, indices):
            return ((tensor, ()), *((index, ()) for index in indices))
        case Length(tensor, _) | Item(tensor, _):
            return ((tensor, ()),)
        case MakeTuple(items):
            return tuple((item, ()) for item in items)
        case Build(extents, binders, body):
            return (*((extent, ()) for extent in extents), (body, binders))
        case Filter(extent, index, cond, body):
            return ((extent, ()), (cond, (index,)), (body, (index,)))
        case Fold(extent, init, acc, index, body):
            return ((extent, ()), (init, ()), (body, (acc, index)))
        case Update(base, binders, extents, indices, value, guard):
            scoped_extents = ((extent, binders[:position]) for position, extent in enumerate(extents))
            return ((base, ()), *scoped_extents, *((index, binders) for index in indices), (value, binders), (guard, binders))
        case Forall(binders, body) | Exists(binders, body) | Lambda(binders, body):
            return ((body, binders),)
        case Invoke(function, args):
            return ((function, ()), *((arg, ()) for arg in args))
        case _:
            assert_never(expr)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The immediate subexpressions, in the order that `rebuild` takes them."""
    return tuple(child for child, _ in scoped_children(expr))


def binders_of(expr: Expr) -> tuple[Var, ...]:
    """The variables that this node binds: Build, Update, Forall, Exists: its binders; Filter: index;
    Fold: accumulator, index; Lambda: its parameters.
    """
    match expr:
        case Build(_, binders, _) | Update(_, binders) | Forall(binders, _) | Exists(binders, _) | Lambda(binders, _):
            return binders
        case Filter(_, index, _, _):
            return (index,)
        case Fold(_, _, acc, index, _):
            return (acc, index)
        case _:
            return ()


def rebuild(expr: Expr, parts: tuple[Expr, ...], binders: tuple[Var, ...] | None = None) -> Expr:  # noqa: C901 (one case for each node)
    """The same node with other children (as `children` gives them) and, where given, other binders."""
    names = binders_of(expr) if binders is None else binders
    match expr:
        case Var() | Const():
            return expr
        case Apply(op, _):
            return Apply(op, parts)
        case Call(function, _, type_):
            return Call(function, parts, type_)
        case Cast(_, type_):
            return Cast(parts[0], type_)
        case Ite():
            return Ite(*parts)
        case Select():
            return Select(parts[0], parts[1:])
        case Length(_, axis):
            return Length(parts[0], axis)
        case MakeTuple():
            return MakeTuple(parts)
        case Item(_, position):
            return Item(parts[0], position)
        case Build():
            return Build(parts[:-1], names, parts[-1])
        case Filter():
            return Filter(parts[0], names[0], parts[1], parts[2])
        case Fold():
            return Fold(parts[0], parts[1], names[0], names[1], parts[2])
        case Update():
            rank = len(expr.extents)
            return Update(parts[0], names, parts[1 : 1 + rank], parts[1 + rank : -2], parts[-2], parts[-1])
        case Forall():
            return Forall(names, parts[0])
        case Exists():
            return Exists(names, parts[0])
        case Lambda():
            return Lambda(names, parts[0])
        case Invoke():
            return Invoke(parts[0], parts[1:])
        case _:
            assert_never(expr)


def map_children(function: Callable[[Expr], Expr], expr: Expr) -> Expr:
    """The node with `function` applied to each child; the node itself where nothing changed. Scopes are the caller's care."""
    old = children(expr)
    new = tuple(function(child) for child in old)
    return expr if all(a is b for a, b in zip(old, new, strict=True)) else rebuild(expr, new)


def transform(function: Callable[[Expr], Expr], expr: Expr) -> Expr:
    """Rewrites from the leaves upwards: `function` sees each node after its children were rewritten."""
    return function(map_children(lambda child: transform(function, child), expr))


def subexpressions(expr: Expr) -> Iterator[Expr]:
    """The expression and everything below it, parents first, left to right."""
    pending = [expr]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(children(current)))


def distinct_parts(expr: Expr) -> Iterator[Expr]:
    """The expression and everything below it, each once: a term that shares its parts is long when it is written out."""
    pending, seen = [expr], set[Expr]()
    while pending:
        current = pending.pop()
        if current not in seen:
            seen.add(current)
            yield current
            pending.extend(reversed(children(current)))


@lru_cache(maxsize=1 << 16)
def free_vars(expr: Expr) -> frozenset[Var]:
    """The variables that occur outside the scope of their binders."""
    if isinstance(expr, Var):
        return frozenset((expr,))
    found: frozenset[Var] = frozenset()
    for child, binders in scoped_children(expr):
        found |= free_vars(child).difference(binders)
    return found


def free_names(expr: Expr) -> frozenset[str]:
    """The names of the free variables."""
    return frozenset(var.name for var in free_vars(expr))


def read_by(expr: Expr) -> frozenset[Var]:
    """The variables whose values or contents the expression depends on; the length of a vector is no content."""
    if isinstance(expr, Length) and isinstance(expr.tensor, Var):
        return frozenset()
    if isinstance(expr, Var):
        return frozenset((expr,))
    return frozenset[Var]().union(*(read_by(child) for child in children(expr)))


def names(expr: Expr) -> frozenset[str]:
    """Every name of a variable or a binder anywhere in the expression."""
    found = {sub.name for sub in subexpressions(expr) if isinstance(sub, Var)}
    return frozenset(found.union(binder.name for sub in subexpressions(expr) for binder in binders_of(sub)))


def fresh_name(wanted: str, taken: Iterable[str]) -> str:
    """`wanted` if nobody has it, otherwise its stem with the first free number: i, i_1, i_2."""
    used = frozenset(taken)
    if wanted not in used:
        return wanted
    stem = re.sub(r"_\d+$", "", wanted) or wanted
    number = 1
    while f"{stem}_{number}" in used:
        number += 1
    return f"{stem}_{number}"


def fresh_var(wanted: Var, taken: Iterable[str]) -> Var:
    """A variable of the same type with a name that nobody has."""
    return Var(fresh_name(wanted.name, taken), wanted.type)


def substitute(expr: Expr, values: Mapping[Var, Expr], made: Callable[[Expr], Expr] | None = None) -> Expr:
    """Replaces free variables, all at once; binders are renamed where they would capture a variable of what is put in.

    `made` is applied to each node above a variable that is replaced, from the leaves upwards.
    """
    if isinstance(expr, Var):
        return values.get(expr, expr)
    free = free_vars(expr)
    live = {var: value for var, value in values.items() if var in free}
    if not live:
        return expr
    binders = binders_of(expr)
    if not binders:
        changed = map_children(lambda child: substitute(child, live, made), expr)
        return changed if made is None else made(changed)
    inserted = frozenset(name for value in live.values() for name in free_names(value))
    renamed = _rename_binders(binders, inserted, expr)
    parts = []
    for child, scope in scoped_children(expr):
        inner: dict[Var, Expr] = {var: value for var, value in live.items() if var not in scope}
        inner.update((old, new) for old, new in zip(binders, renamed, strict=True) if old in scope and old != new)
        parts.append(substitute(child, inner, made))
    changed = rebuild(expr, tuple(parts), renamed)
    return changed if made is None else made(changed)


def with_binders_apart(expr: Expr, taken: Set[str]) -> Expr:
    """The same term; its outermost binders have names that are not taken."""
    binders = binders_of(expr)
    if taken.isdisjoint(binder.name for binder in binders):
        return expr
    renamed = _rename_binders(binders, frozenset(taken), expr)
    new: dict[Var, Expr] = dict(zip(binders, renamed, strict=True))
    parts = tuple(substitute(child, {old: new[old] for old in scope}) for child, scope in scoped_children(expr))
    return rebuild(expr, parts, renamed)


def replaced(expr: Expr, parts: Mapping[Expr, Expr]) -> Expr:
    """The term with others in the places of closed parts."""
    return parts[expr] if expr in parts else map_children(lambda child: replaced(child, parts), expr)


def outer_folds(expr: Expr) -> list[Fold]:
    """The folds in an expression that are in no other one."""
    if isinstance(expr, Fold):
        return [expr]
    return [fold for child in children(expr) for fold in outer_folds(child)]


def with_extent(fold: Fold, extent: Expr) -> Fold:
    """The same fold over another number of elements."""
    return Fold(extent, fold.init, fold.acc, fold.index, fold.body)


def _rename_binders(binders: tuple[Var, ...], inserted: frozenset[str], expr: Expr) -> tuple[Var, ...]:
    """The binders, with new names for those that are among the inserted names."""
    taken = set(inserted)
    taken.update(name for child in children(expr) for name in free_names(child))
    taken.update(binder.name for binder in binders)
    result = []
    for binder in binders:
        new = fresh_var(binder, taken) if binder.name in inserted else binder
        taken.add(new.name)
        result.append(new)
    return tuple(result)


@lru_cache(maxsize=1 << 14)
def alpha_key(expr: Expr) -> Expr:
    """A term that is equal for two expressions exactly if they differ at most in the names of binders.

    Binders are called %0, %1, ... by depth; no other variable has such a name.
    """
    return _by_depth(expr, {}, 0, {})


def alpha_equal(left: Expr, right: Expr) -> bool:
    """Whether the expressions differ at most in the names of binders."""
    return left == right or alpha_key(left) == alpha_key(right)


def _by_depth(expr: Expr, renamed: Mapping[Var, Var], depth: int, made: dict[Expr, Expr]) -> Expr:
    """`made` is what parts became so far at this depth: they may occur often."""
    if isinstance(expr, Var):
        return renamed.get(expr, expr)
    if expr in made or (not _binds(expr) and free_vars(expr).isdisjoint(renamed)):
        return made.get(expr, expr)
    binders = binders_of(expr)
    if not binders:
        made[expr] = map_children(lambda child: _by_depth(child, renamed, depth, made), expr)
        return made[expr]
    new_names = tuple(Var(f"%{depth + position}", binder.type) for position, binder in enumerate(binders))
    new = dict(zip(binders, new_names, strict=True))
    parts = []
    for child, scope in scoped_children(expr):
        inner = {**renamed, **{binder: new[binder] for binder in scope}}
        parts.append(_by_depth(child, inner, depth + len(scope), {} if scope else made))
    made[expr] = rebuild(expr, tuple(parts), tuple(new[binder] for binder in binders))
    return made[expr]


@lru_cache(maxsize=1 << 16)
def _binds(expr: Expr) -> bool:
    """Whether there is a binder in it."""
    return bool(binders_of(expr)) or any(map(_binds, children(expr)))


def extents_of(expr: Expr) -> tuple[Expr, ...]:
    """The extents of the binders of a node that has any."""
    match expr:
        case Build(extents) | Update(_, _, extents):
            return extents
        case Filter(extent) | Fold(extent):
            return (extent,)
        case _:
            return ()
