"""Operators: a meaning, and how each target spells it."""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from metalift.driver.layout import Partial, Target
from metalift.driver.meaning.language import TypePattern
from metalift.driver.meaning.lift import Axes, along_axes, pointwise
from metalift.driver.meaning.reader import Instance, Meaning
from metalift.driver.meaning.several import Part
from metalift.ir.expr.types import INT, FunctionType, ScalarType, TensorType, TupleType, Type

PLACEHOLDER = re.compile(r"\{(\w+)(\([^{}]+\))?\}")
_Types = tuple[tuple[Type, ...], ScalarType | None]


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operator. `element`: it may be an element of an array, also where it is an exact integer."""

    name: str
    pattern: TypePattern
    element: bool = False


@dataclass(frozen=True)
class Operator:
    """An operator: meaning and spellings.

    An elementwise operator has a meaning on scalars; it is applied to scalars, to tensors of equal shape, and to any mix of both.
    `cost` may be a function of parameters, of which it sees the extents.
    `scalars` spells it for arguments that are all plain Python numbers; `numbers` are the parameters that may be plain numbers
    beside arrays also in a target whose functions do not take them, `plain` those that have to be. A target without a spelling
    lacks the operator. With `axes` the meaning is on a vector, and the operator goes along these axes of a tensor.
    `holes`, where it is configured, are the parameters that do that: each is one of 0, 1, ... below the number given. `holds` are
    parameters that are cells of the target's storage: the operator keeps these, and replaces the first by its result.
    `partial` says for a target how it is computed together with others over the same collections. `reducer` names a parameter
    that is a function of two values, and one that is what it starts from: wherever it is used, it has to be commutative and
    associative, and the start neutral. `counted` are collections whose elements have to be counted from 0, which those of one
    that is computed need not be. `groups` are functions of an element: its key, whether the group with that key counts, and the
    group's value; the last parameter is then spelled as the collection of these values, or of the keys. `part` says which result
    it is of several that one call gives.
    """

    name: str
    params: tuple[Parameter, ...]
    result: TypePattern
    elementwise: bool
    cost: float | Callable[..., float]
    spellings: Mapping[str, str]
    scalars: Mapping[str, str]
    numbers: frozenset[str]
    plain: frozenset[str]
    meaning: Meaning
    axes: Axes | None = None
    holes: Mapping[str, int] | None = None
    holds: tuple[str, ...] = ()
    partial: Mapping[str, Partial] = field(default_factory=dict)
    reducer: tuple[str, str] | None = None
    counted: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    part: Part | None = None
    _along: dict[_Types, Instance] = field(default_factory=dict, compare=False, repr=False)
    patterns: dict[_Types, Any] = field(default_factory=dict, init=False, compare=False, repr=False)  # the search's, for reuse

    def instantiate(self, arg_types: tuple[Type, ...], result: Type | None = None) -> Instance:
        """The meaning at these argument types: parameters, body, and what it requires, over the parameters.

        `result` decides type variables that occur in the result only. Raises ValueError where the types do not fit.
        """
        element = None if result is None else scalar_of(result)
        if not self.elementwise and self.axes is None:
            return self.meaning.instantiate(arg_types, element)
        if (arg_types, element) in self._along:
            return self._along[arg_types, element]
        if self.elementwise:
            scalar = self.meaning.instantiate(tuple(map(scalar_of, arg_types)), element)
            self._along[arg_types, element] = pointwise(scalar, arg_types)
        elif self.axes is not None:
            first, *others = arg_types
            if not isinstance(first, TensorType) or first.rank != self.axes.rank:
                raise ValueError(f"{self.name} takes a tensor of {self.axes.rank} axes")
            vector = self.meaning.instantiate((TensorType(first.element), *others), element)
            self._along[arg_types, element] = along_axes(vector, self.axes)
        return self._along[arg_types, element]

    def cost_at(self, arguments: Sequence[tuple[int, ...] | int]) -> float:
        """What it costs on arguments of these extents, numbers that are sizes as they are. Raises DriverError for no cost."""
        if not callable(self.cost):
            return self.cost
        given = {param.name: _of_extents(each) for param, each in zip(self.params, arguments, strict=True)}
        try:
            found = self.cost(*(given[name] for name in inspect.signature(self.cost).parameters))
        except Exception as problem:  # noqa: BLE001 - a driver's own function may raise anything
            message = f"the cost of operator {self.name!r} raises {type(problem).__name__}: {problem}"
            raise self.meaning.error(message) from problem
        if not is_cost(found):
            raise self.meaning.error(f"the cost of operator {self.name!r} is {found!r}; it has to be a positive number")
        return float(found)

    @property
    def configured(self) -> bool:
        """Whether it is matched by finding its configuration."""
        return self.holes is not None or bool(self.holds)

    def spelling(self, target: str, *, on_numbers: bool = False) -> str | None:
        """The template for the target, where all arguments are plain Python numbers or not; None where there is none."""
        return (self.scalars if on_numbers else self.spellings).get(target)

    def alone(self, param: Parameter) -> bool:
        """Whether the parameter is a plain number wherever the others are arrays."""
        return is_size(param) or param.name in self.plain

    def takes(self, target: Target, numbers: tuple[bool, ...]) -> bool:
        """Whether the target spells it for plain Python numbers where `numbers` says so, and arrays elsewhere."""
        if numbers and all(numbers) and self.spelling(target.name, on_numbers=True) is not None:
            return True
        template = self.spelling(target.name)
        pairs = list(zip(self.params, numbers, strict=True))
        if template is None or any(param.name in self.plain and not number for param, number in pairs):
            return False
        if target.lists and not self.elementwise:  # what has no axes is a plain number there
            return True
        given = [param for param, number in pairs if number and not is_size(param)]
        if all(param.name in self.numbers | self.plain for param in given):
            return True
        return (target.numbers or is_infix(template)) and not all(numbers)


def is_cost(value: object) -> bool:
    """Whether it is a positive number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def _of_extents(argument: tuple[int, ...] | int) -> Any:  # noqa: ANN401 - nested lists, as `len` and `size` take them
    if isinstance(argument, int):
        return argument
    inner: Any = 0
    for extent in reversed(argument):
        inner = [inner] * extent
    return inner


def scalar_of(type_: Type) -> ScalarType:
    """The type itself, or that of a tensor's elements. Raises ValueError for tuples and functions."""
    element = type_.element if isinstance(type_, TensorType) else type_
    if isinstance(element, TupleType | FunctionType):
        raise ValueError("an operator has no elements of tuples or functions")
    return element


def is_function(name: str) -> bool:
    """Whether a Call of that name means a mathematical function; such an operator has the driver's name in front."""
    return hasattr(math, name) or name in ("round", "rint", "tgamma")


def is_size(param: Parameter) -> bool:
    """Whether the parameter is an exact integer: a size or a place, which is a plain number in every target."""
    return param.pattern == TypePattern(INT) and not param.element


@lru_cache(maxsize=4096)
def parsed(template: str) -> ast.Expression:
    """A spelling as an expression of Python. Raises SyntaxError."""
    return ast.parse(PLACEHOLDER.sub(r"_\1\2", template), mode="eval")


@lru_cache(maxsize=4096)
def is_infix(template: str) -> bool:
    """Whether a spelling consists of Python's own operators, so that it works on plain numbers too; one of C's does not."""
    try:
        tree = parsed(template)
    except SyntaxError:
        return False
    return not any(isinstance(node, ast.Call | ast.Attribute | ast.Subscript) for node in ast.walk(tree))
