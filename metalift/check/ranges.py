"""Whether the integers that a target computes stay in the range of their types.

A target's sums and products wrap, which a result that fits does not notice; what reads more than the low bits of an operand
(a quotient, a comparison, a wider type) needs the operand itself to fit. Where intervals do not show that, it is an
assumption.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from functools import reduce
from typing import TypeAlias

from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.driver.meaning.reduce import reduce_head
from metalift.ir.arith.intervals import LONGEST, NO_RANGES, Interval, index_range, interval, refine, type_range, without
from metalift.ir.arith.polynomial import widens
from metalift.ir.expr.build import at_most, conj, forall, implies, in_range
from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Filter,
    Fold,
    MakeTuple,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import INT, INT64, MachineInt, RealType, TensorType, show_type
from metalift.ir.expr.walk import (
    binders_of,
    children,
    extents_of,
    free_vars,
    map_children,
    scoped_children,
    subexpressions,
    substitute,
)
from metalift.ir.program.summary import TargetProgram, sides
from metalift.ir.text import show
from metalift.vcgen.erasure import erased

Ranges: TypeAlias = tuple[tuple[Var, Expr | None], ...]
"""Counters in scope with their extents, and accumulators, which have none."""
Known: TypeAlias = Mapping[Expr, Interval]
AXES = 2  # counters over whose values inputs are asked for a condition
HELD_BITS = 64  # of the type that holds integers without bound
HELD = type_range(INT64)
MODULAR = frozenset({Operator.ADD, Operator.SUB, Operator.MUL, Operator.NEG, Operator.BITAND, Operator.BITOR, Operator.BITXOR})


def unproved_ranges(program: TargetProgram, driver: Driver) -> tuple[tuple[str, Expr | None], ...]:
    """For each operand that has to fit its type and is not shown to, a sentence, and a formula where there is one."""
    found: dict[str, Expr | None] = {}
    known = refine(NO_RANGES, conj(*program.requires), True)
    lets = meanings_of(program, driver)
    read = frozenset(var for var, meaning in lets.items() if reads_arrays(meaning))
    for value, here in (side for whole in values_of(program) for side in _sides(whole, known, driver)):
        meaning = expand(value, driver)
        for operand, there, ranges in operands(meaning, here):
            type_ = type_of(operand)
            if not interval(erased(operand, {}), there).within(type_range(type_)):
                told, whole = f"{show(operand)} fits {show_type(type_)}", inlined(operand, lets)
                asked = fits(whole, ranges, lets, type_range(type_)) if is_quick(whole, ranges) else None
                of_target = asked is not None and not free_vars(asked).isdisjoint(program.parameters)
                found[told] = None if of_target else asked
        for computed, ranges in exact_values(meaning, read):
            whole = inlined(computed, lets)
            outside = without(known, *(counter for counter, _ in ranges))
            known_in = (held_interval(computed), held_interval(whole), interval(whole, outside))
            if not any(each.within(HELD) for each in known_in):
                found[f"{in_words(computed)} fits {HELD_BITS} bits"] = fits(whole, ranges, lets, HELD)
    return tuple(found.items())


def _sides(value: Expr, known: Known, driver: Driver) -> Iterator[tuple[Expr, Known]]:
    """What is computed for a value, and what is known of integers there."""
    for part, held in sides(value):
        yield part, reduce(lambda here, each: refine(here, expand(each[0], driver), each[1]), held, known)


def meanings_of(program: TargetProgram, driver: Driver) -> dict[Var, Expr]:
    """What the program's intermediates are, in terms of the parameters."""
    lets: dict[Var, Expr] = {}
    for let in program.lets:
        lets[let.var] = expand(substitute(let.value, lets), driver)
    return lets


def inlined(expr: Expr, lets: Mapping[Var, Expr]) -> Expr:
    """The expression in terms of the parameters."""
    return substitute(expr, lets, reduce_head)


def is_quick(computed: Expr, ranges: Ranges) -> bool:
    """Whether inputs can be asked for a condition on it: there are few counters, and none in what is computed."""
    return len(ranges) <= AXES and not any(isinstance(sub, Build | Filter | Fold) for sub in subexpressions(computed))


def fits(number: Expr, ranges: Ranges, lets: Mapping[Var, Expr], limits: Interval) -> Expr | None:
    """That an integer, in terms of parameters, lies between limits, for all values of the counters; None where it is not about
    parameters alone.
    """
    assert limits.low is not None and limits.high is not None
    whole = erased(number, {})
    ranges = tuple((var, None if extent is None else inlined(extent, lets)) for var, extent in ranges)
    extents = dict(ranges)
    if any(extents.get(var, var) is None for var in free_vars(whole)):
        return None
    bounds = conj(at_most(integer(limits.low), whole), at_most(whole, integer(limits.high)))
    for binder, extent in reversed(ranges):
        if extent is not None and binder in free_vars(bounds):
            bounds = forall((binder,), implies(in_range(binder, extent), bounds))
    return bounds


def number_conditions(program: TargetProgram, driver: Driver) -> tuple[Expr, ...]:
    """That plain numbers which operators combine with tensors, or that fill one, fit its type; a library may refuse others."""
    found: dict[Expr, None] = {}
    lets = meanings_of(program, driver)
    for value in values_of(program):
        free = free_vars(inlined(expand(value, driver), lets))
        for arg, limit in beside_tensors(value, driver):
            whole = inlined(expand(arg, driver), lets)
            number = unrounded(erased(whole, {}))
            for each, type_ in ((number, limit), *((part, INT64) for part in made_int64(whole))):
                plain = all(not isinstance(var.type, TensorType) and var in free for var in free_vars(each))
                limits = (at_most(integer(type_.low), each), at_most(each, integer(type_.high)))
                if plain and not interval(each).within(type_range(type_)):
                    found.update(dict.fromkeys([conj(*limits)] if type_of(arg) == INT or each is not number else limits))
    return tuple(found)


def made_int64(number: Expr) -> Iterator[Expr]:
    """The integers without bound in a plain number that are converted to 64 bits, which they have to fit."""
    for part in subexpressions(number):
        if isinstance(part, Cast) and part.type == INT64 and type_of(part.arg) == INT:
            yield part.arg


def beside_tensors(value: Expr, driver: Driver) -> Iterator[tuple[Expr, MachineInt]]:
    """The values that may be plain numbers and become elements of tensors, with the type that they have to fit."""
    for part in subexpressions(value):
        args: tuple[Expr, ...] = ()
        elementwise = True
        if isinstance(part, Call) and not is_number(part, driver):
            operator = driver.operators.get(part.function)
            args, elementwise = part.args, operator is not None and operator.elementwise
        elif isinstance(part, Build) and free_vars(part.body).isdisjoint(part.binders) and is_number(part.body, driver):
            args = (part.body,)
        for arg in args:
            type_ = type_of(arg)
            if isinstance(type_, MachineInt) and not isinstance(arg, Var | Const | Select):
                yield arg, type_
            elif type_ == INT and not isinstance(arg, Select) and elementwise:
                result = type_of(part)
                element = result.element if isinstance(result, TensorType) else result
                yield arg, element if isinstance(element, MachineInt) else INT64


def is_number(value: Expr, driver: Driver) -> bool:
    """Whether a target computes it as a plain number: all operators in it are spelled for these."""
    if isinstance(type_of(value), TensorType):
        return False
    operator = driver.operators.get(value.function) if isinstance(value, Call) else None
    if operator is not None and not operator.scalars:
        return False
    return all(is_number(child, driver) for child in children(value)) or isinstance(value, Select)


def unrounded(number: Expr) -> Expr:
    """The number with floats made integers without bound, as Python does it: of any size, where the source has none."""
    match number:
        case Cast(Cast(arg, MachineInt()), target) if target == INT and isinstance(type_of(arg), RealType):
            return Cast(unrounded(arg), INT)
        case _:
            return map_children(unrounded, number)


def computes_wide(program: TargetProgram, driver: Driver) -> bool:
    """Whether it computes integers that may have more than the bits that hold them."""
    parts = (part for value in values_of(program) for part in subexpressions(expand(value, driver)))
    computed = (part for part in parts if isinstance(part, Apply | Fold) and type_of(part) in (INT, INT64))
    return any(_reads(part) and not held_interval(part).within(HELD) for part in computed)


def _reads(part: Expr) -> bool:
    """Whether it is computed from the elements of arrays."""
    return any(isinstance(sub, Select) for sub in subexpressions(part))


def values_of(program: TargetProgram) -> list[Expr]:
    """Everything that the program computes."""
    values = [let.value for let in program.lets] + [write.value for write in program.writes]
    if isinstance(program.result, MakeTuple):
        return [*values, *program.result.items]
    return values if program.result is None else [*values, program.result]


def exact_values(meaning: Expr, read: Set[Var]) -> Iterator[tuple[Expr, Ranges]]:
    """The integers without bound that are computed from arrays, with the counters that they may depend on.

    These are the result, and operands of which more than the low bits matter. `read` are intermediates that arrays are read for.
    """
    inner: Ranges = ()
    body = meaning
    while isinstance(body, Build | Filter):
        counters = zip(body.binders, body.extents, strict=True) if isinstance(body, Build) else ((body.index, body.extent),)
        inner, body = (*inner, *counters), body.body
    if is_exact(body, read):
        yield body, inner
    yield from exact_operands(meaning, read, ())


def exact_operands(expr: Expr, read: Set[Var], ranges: Ranges) -> Iterator[tuple[Expr, Ranges]]:
    """Those below the result."""
    yield from ((part, ranges) for part in used_in(expr) if is_exact(part, read))
    for child, scope in scoped_children(expr):
        bound: Ranges = ()
        if scope and isinstance(expr, Build):
            bound = tuple(zip(expr.binders, expr.extents, strict=True))
        elif scope and isinstance(expr, Filter):
            bound = ((expr.index, expr.extent),)
        elif scope and isinstance(expr, Fold):
            bound = ((expr.index, expr.extent), (expr.acc, None))
        yield from exact_operands(child, read, (*ranges, *bound))


def is_exact(part: Expr, read: Set[Var]) -> bool:
    """Whether it is an integer without bound that is computed from arrays."""
    return type_of(part) == INT and not isinstance(part, Select | Var) and reads_arrays(part, read)


def reads_arrays(expr: Expr, read: Set[Var] = frozenset()) -> bool:
    """Whether elements of arrays are used, or intermediates for which they are."""
    return any(isinstance(sub, Select | Fold) or (isinstance(sub, Var) and sub in read) for sub in subexpressions(expr))


def held_interval(expr: Expr) -> Interval:
    """Where an integer that is computed from arrays of 64-bit integers lies."""
    match reduced(expr):
        case (Operator.MIN | Operator.MAX, Fold(_, init), term):
            return held_interval(init).join(held_interval(term))
        case (Operator.ADD, Fold(_, Const(0, _)), term):
            small = held_interval(term).within(Interval(-1, 1))
            return Interval(-LONGEST, LONGEST) if small else Interval()
        case _:
            return interval(expr, held(expr))


def reduced(expr: Expr) -> tuple[Operator, Fold, Expr] | None:
    """The operator and the terms of a reduction."""
    match expr:
        case Fold(_, _, acc, _, Apply(op, (left, term))) if left == acc and acc not in free_vars(term):
            return op, expr, term
        case _:
            return None


def in_words(expr: Expr) -> str:
    """The expression as people read it."""
    match reduced(expr):
        case (Operator.ADD, Fold(extent, Const(0, _), _, index), term):
            return f"the sum of {show(term)} for {index.name} < {show(extent)}"
        case _:
            return show(expr)


def held(expr: Expr) -> dict[Expr, Interval]:
    """The ranges of what is read: elements of arrays of integers without bound have 64 bits in the target."""
    reads = (sub for sub in subexpressions(expr) if isinstance(sub, Select) and type_of(sub) == INT)
    return dict.fromkeys(reads, HELD)


def operands(expr: Expr, known: Known) -> Iterator[tuple[Expr, Known, Ranges]]:
    """The computed machine integers of which more than the low bits matter, with the ranges and extents of the counters there.

    Conditions are not used: a target may compute both of the values of which one is chosen.
    """
    seen: set[tuple[Expr, int]] = set()
    kept: list[Known] = []  # so that no other gets the identity of one

    def walk(part: Expr, known: Known, ranges: Ranges) -> Iterator[tuple[Expr, Known, Ranges]]:
        if (part, id(known)) in seen:
            return
        seen.add((part, id(known)))
        for used in used_in(part):
            if isinstance(type_of(used), MachineInt) and not isinstance(used, Var | Const | Select):
                yield used, known, ranges
        inner, counters = known, ranges
        if isinstance(part, Build | Filter | Fold):
            counted = tuple(zip(part.binders if isinstance(part, Build) else (part.index,), extents_of(part), strict=True))
            inner = {**without(known, *binders_of(part)), **{var: index_range(extent, known) for var, extent in counted}}
            counters = (*ranges, *counted, *(((part.acc, None),) if isinstance(part, Fold) else ()))
            kept.append(inner)
        for child, scope in scoped_children(part):
            yield from walk(child, inner if scope else known, counters if scope else ranges)

    return walk(expr, known, ())


def used_in(expr: Expr) -> tuple[Expr, ...]:
    """The operands of which more than the low bits matter."""
    match expr:
        case Apply(op, args) if op not in MODULAR:
            return args
        case Cast(arg, target) if isinstance(target, RealType) or not narrows(arg, target):
            return (arg,)
        case _:
            return ()


def narrows(arg: Expr, target: object) -> bool:
    """Whether a conversion keeps low bits only."""
    source = type_of(arg)
    return isinstance(source, MachineInt) and isinstance(target, MachineInt) and not (widens(source, target) and source != target)
