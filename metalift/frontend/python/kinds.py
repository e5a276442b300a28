"""Numbers that are Python's on one path and NumPy's on another.

NumPy's integers wrap around in arithmetic with ints of Python, and ints of Python do not; of which kind a number is where paths
meet does not follow from its type. Such a number may be compared, converted, stored, returned, and computed with where the other
number is NumPy's for sure, or a float. An int that may not fit NumPy's type meets no number of NumPy: it would be another one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from metalift.frontend.python.numbers import wraps
from metalift.ir.expr.nodes import Const, Expr, type_of
from metalift.ir.expr.types import BoolType, IntType, MachineInt, RealType, Type

MEETS = "a number that is Python's on one way to here and NumPy's on another; convert NumPy's with int(...)"


class Meets(Exception):
    """An int of Python that may not fit meets a number of NumPy."""


def is_narrow(value: Expr) -> bool:
    """Whether it is an integer of NumPy that wraps around."""
    return wraps(type_of(value))


def is_of_python(value: Expr) -> bool:
    """Whether it is an int or a truth value."""
    type_ = type_of(value)
    return isinstance(type_, BoolType) or (isinstance(type_, IntType) and not type_.of)


def fits(value: Expr, type_: Type) -> bool:
    """Whether it is a number of the type for sure."""
    if isinstance(type_of(value), BoolType):
        return True
    return isinstance(value, Const) and isinstance(type_, MachineInt) and type_.low <= value.value <= type_.high


def meet(values: Iterable[Expr], type_: Type, is_either: Callable[[Expr], bool]) -> bool:
    """Whether what these values become in a type is of either kind. Raises Meets where an int may not fit it."""
    found = False
    for value in values:
        of_python = wraps(type_) and is_of_python(value)
        if of_python and not fits(value, type_):
            raise Meets(MEETS)
        found |= of_python or is_either(value)
    return found


def computes(operands: Collection[Expr], is_either: Callable[[Expr], bool]) -> bool:
    """Whether arithmetic on these numbers is what their types say: none is of either kind beside one of Python's or of either."""
    open_ones = [each for each in operands if is_either(each)]
    others = [each for each in operands if not is_either(each)]
    if not open_ones or any(isinstance(type_of(each), RealType) for each in others):
        return True
    return len(open_ones) == 1 and len(others) == 1 and isinstance(type_of(others[0]), MachineInt)
