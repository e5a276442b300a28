"""What the runs of a function show by not failing: the elements that it reads are there, divisors are not 0, shifts are in range.

Candidates only: the obligations of the summary that states them prove them, step by step.
"""

from __future__ import annotations

from collections.abc import Iterable

from metalift.ir.expr.build import at_most, conj, equal, forall, implies, in_range, less, neg
from metalift.ir.expr.nodes import TRUE, Expr, Length, Operator, Select, Var, integer
from metalift.ir.expr.walk import subexpressions
from metalift.ir.program.fragment import Fragment, Store
from metalift.synth.derive.bounds import certain, implied, not_negative
from metalift.synth.derive.effects import Access
from metalift.synth.derive.normal_terms import index


def shown(accesses: Iterable[Access], fragment: Fragment, unbounded: frozenset[str]) -> tuple[Expr, ...]:
    """A formula for each that is not clear from how far arrays are read, about what no statement writes.

    `unbounded` are arrays of which it is not known how far.
    """
    params = frozenset(param.var for param in fragment.params)
    written = frozenset(each.array for block in fragment.blocks for each in block.body if isinstance(each, Store))
    found: dict[Expr, None] = {}
    for access in accesses:
        condition = _condition(access, params, unbounded)
        if condition is None:
            continue
        ranges = (in_range(binder, extent) for binder, extent in access.ranges.items())
        formula = forall(access.binders, implies(conj(*ranges, implied(access.guard, access.ranges)), condition))
        if not any(isinstance(part, Select) and part.tensor in written for part in subexpressions(formula)):
            found[formula] = None
    return tuple(found)


def _condition(access: Access, params: frozenset[Var], unbounded: frozenset[str]) -> Expr | None:
    match access.array:
        case Var() as array if array in params and (array.name in unbounded or not _plain(access)):
            return conj(*(in_range(at, Length(array, axis)) for axis, at in enumerate(access.at)))
        case Operator.SHL | Operator.SHR:
            count, *width = access.at
            return conj(at_most(integer(0), count), *(less(count, bits) for bits in width))
        case Operator():
            return neg(equal(access.at[0], integer(0)))
        case _:
            return None


def _plain(access: Access) -> bool:
    """Whether the indices are sums and products of counters and sizes, and not negative. What is read once under a condition, as
    in `k < n ? a[k] : 0`, may be at any number.
    """
    indices = list(map(index, access.at))
    plain = all(isinstance(atom, Var) for at in indices for atom in at.atoms)
    sizes = bool(access.ranges) or access.guard == TRUE
    return plain and all(certain(at) or (sizes and not_negative(at, access.ranges)) for at in indices)
