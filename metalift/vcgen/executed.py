"""What is known once an expression of the source was computed, in a run that is defined: elements that it reads exist, divisors
are not 0, and, where its value is used, numbers of bits by which it shifts are in range.

This says in formulas what the interpreter does: what it ends a run for at once is known of every expression that is computed; a
shift without a meaning only matters where its value comes to an index, a stored value, a branch or a result.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from metalift.ir.expr.build import at_most, conj, equal, implies, in_range, less, neg
from metalift.ir.expr.nodes import Apply, Const, Expr, Ite, Length, Operator, Select, Var, type_of
from metalift.ir.expr.types import MachineInt, TensorType
from metalift.ir.expr.walk import binders_of, children
from metalift.vcgen.path_state import PathState

DIVISIONS = frozenset({Operator.TDIV, Operator.TREM, Operator.FDIV, Operator.FMOD})
SHIFTS = frozenset({Operator.SHL, Operator.SHR})


def shown_by(values: Sequence[Expr], state: PathState, params: Container[Var]) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """What is known once these values of the source are computed in a state, and what else where they are used."""
    known = tuple(state.evaluate(each) for value in values for each in computed(value, params))
    needed = [state.evaluate(each) for value in values for each in shifted(value)]
    for value in values:
        for part, conditions in parts(value):
            if isinstance(part, Var) and part.name in state.needs:
                where = state.evaluate(conj(*conditions))
                needed += [implies(where, each) for each in state.needs[part.name]]
    return known, tuple(needed)


def computed(expr: Expr, params: Container[Var]) -> Iterator[Expr]:
    """What holds where an expression of the source is computed: the elements of parameters are there, its divisors not 0.

    Of how long local arrays are nothing is said.
    """
    for part, conditions in parts(expr):
        match part:
            case Select(Var(_, TensorType()) as array, indices) if array in params:
                inside = (in_range(at, Length(array, axis)) for axis, at in enumerate(indices))
                yield implies(conj(*conditions), conj(*inside))
            case Apply(op, (_, divisor)) if op in DIVISIONS and not isinstance(divisor, Const):
                yield implies(conj(*conditions), neg(equal(divisor, Const(0, type_of(divisor)))))


def shifted(expr: Expr) -> Iterator[Expr]:
    """What holds where the value of an expression of the source is used, beside what its names need."""
    for part, conditions in parts(expr):
        if isinstance(part, Apply) and part.op in SHIFTS and not isinstance(part.args[1], Const):
            yield implies(conj(*conditions), shift_in_range(part))


def shift_in_range(shift: Apply) -> Expr:
    """That the number of bits is not negative and, of a machine type, less than it has."""
    value, count = shift.args
    low = at_most(Const(0, type_of(count)), count)
    type_ = type_of(value)
    return conj(low, less(count, Const(type_.bits, type_of(count)))) if isinstance(type_, MachineInt) else low


def parts(expr: Expr, conditions: tuple[Expr, ...] = ()) -> Iterator[tuple[Expr, tuple[Expr, ...]]]:
    """The parts that are evaluated, each with the conditions for that; not those for all indices of something."""
    yield expr, conditions
    if binders_of(expr):
        return
    before: tuple[Expr, ...] = ()
    for place, child in enumerate(children(expr)):
        match expr:
            case Ite(cond, _, _) if place > 0:
                before = (cond if place == 1 else neg(cond),)
            case Apply(Operator.AND | Operator.OR as op, args):
                before = tuple(arg if op is Operator.AND else neg(arg) for arg in args[:place])
        yield from parts(child, (*conditions, *before))
