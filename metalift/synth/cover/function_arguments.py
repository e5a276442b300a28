"""Matching calls of a parameter that is a function: which parts of a term are its arguments; the rest is its body.

In a meaning such as [f(x[i]) for i < len(x)] the parameter stands applied to elements of tensors. Against a term, those tensors
are what the term reads at i, or else its parts that depend on i, and the function is the term with its parameters for these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations

from metalift.ir.expr.nodes import Cast, Expr, Filter, Lambda, Select, Var, type_of
from metalift.ir.expr.types import FunctionType, TensorType, is_integer
from metalift.ir.expr.walk import binders_of, children, free_vars, fresh_var, map_children, names, scoped_children

NAMES = ("v", "w", "u")  # of the parameters that stand for elements
ACCUMULATOR = "acc"


def arguments(
    term: Expr, binders: frozenset[Var], count: int, around: Expr | None = None, known: Sequence[Expr] = ()
) -> Iterator[tuple[Expr, ...]]:
    """Ways to choose that many parts of the term which together have all that depends on the binders; plain reads come first.

    Where the term reads fewer, the others are those that are read `around` it. Arguments that are `known` are not chosen.
    """
    if isinstance(term, Select) and isinstance(term.tensor, Filter):
        yield from _kept(term, term.tensor, count)
        return
    reads = _unknown(_reads(term, binders), known)
    if len(reads) < count and around is not None:
        reads = _unknown((*reads, *_reads(around, binders)), known)
    if len(reads) == count:
        yield from permutations(reads)
        return
    parts = _waist(term, binders)
    if count == 1 and len(parts) > 1:
        joined = _join(term, binders)
        if joined != term:
            yield (joined,)
    elif count == len(parts) > 1:
        yield parts


def _unknown(reads: Iterable[Expr], known: Sequence[Expr]) -> tuple[Expr, ...]:
    """What is read, each once, but for arguments that are known."""
    plain = ((each, each.arg if isinstance(each, Cast) else each) for each in reads)
    return tuple(dict.fromkeys(each for each, inner in plain if inner not in known))


def _kept(term: Select, kept: Filter, count: int) -> Iterator[tuple[Expr, ...]]:
    """Parts of the elements for which a condition holds, as elements of filters themselves."""
    for parts in arguments(kept.body, frozenset((kept.index,)), count):
        if kept.body not in parts:
            yield tuple(replace(term, tensor=replace(kept, body=part)) for part in parts)


def abstracted(term: Expr, kind: FunctionType, parts: Sequence[Expr], accumulators: frozenset[Var]) -> Lambda | None:
    """The term as a function of the parts; None where their types are not those of the parameters."""
    if isinstance(term, Select) and isinstance(term.tensor, Filter):
        bodies = [_body(part, term.tensor) for part in parts]
        if bodies != list(parts):
            term, parts = term.tensor.body, bodies
    taken = set(names(term))
    params: dict[Expr, Var] = {}
    plain = iter(NAMES)
    for part, type_ in zip(parts, kind.params, strict=True):
        if type_of(part) != type_ or part in params:
            return None
        wanted = ACCUMULATOR if part in accumulators else next(plain, NAMES[-1])
        params[part] = fresh_var(Var(wanted, type_), taken)
        taken.add(params[part].name)
    return Lambda(tuple(params.values()), _replaced(term, params))


def _body(part: Expr, kept: Filter) -> Expr:
    """What a filter with that condition keeps, where the part is an element of one."""
    match part:
        case Select(Filter(_, _, _, body) as other) if replace(other, body=kept.body) == kept:
            return body
        case _:
            return part


def _replaced(term: Expr, params: dict[Expr, Var]) -> Expr:
    """The term with variables in the place of its parts, outermost first."""
    if term in params:
        return params[term]
    free = {part: var for part, var in params.items() if free_vars(part).isdisjoint(binders_of(term))}
    return map_children(lambda child: _replaced(child, free), term)


def _reads(term: Expr, binders: frozenset[Var]) -> Iterator[Expr]:
    """The elements of arrays at the binders, and the binders themselves where they are used as numbers."""
    if free_vars(term).isdisjoint(binders):
        return
    if isinstance(term, Select) and isinstance(term.tensor, Var):
        yield term
    elif isinstance(term, Var) or (isinstance(term, Cast) and term.arg in binders and is_integer(term.type)):
        yield term
    else:
        for child, scope in scoped_children(term):
            for read in _reads(child, binders.difference(scope)):
                if free_vars(read).isdisjoint(scope):
                    yield read


def _waist(term: Expr, binders: frozenset[Var]) -> tuple[Expr, ...]:
    """The parts of the smallest part with everything that depends on the binders, those that depend on them."""
    found = tuple(dict.fromkeys(part for part in children(_join(term, binders)) if not free_vars(part).isdisjoint(binders)))
    return found if all(_scalar(part) for part in found) else ()


def _join(term: Expr, binders: frozenset[Var]) -> Expr:
    """The smallest part with everything that depends on the binders."""
    if isinstance(term, Select) or binders_of(term):
        return term
    dependent = list(dict.fromkeys(part for part in children(term) if not free_vars(part).isdisjoint(binders)))
    return _join(dependent[0], binders) if len(dependent) == 1 and _scalar(dependent[0]) else term


def _scalar(expr: Expr) -> bool:
    return not isinstance(type_of(expr), TensorType | FunctionType)
