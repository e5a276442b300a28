"""The public driver interface: what the operators of a target mean, and how they are spelled, side by side.

    dsl = Driver("my_dsl", targets=[Target("python")])

    @dsl.define(emit={"python": "fma({x}, {y}, {z})"})
    def fma(x: Int, y: Int, z: Int) -> Int:
        return x + y * z

The typed Python function is the meaning; it is read, not executed. A spelling is a Python expression in which `{x}` stands for
the argument of parameter x and `{dtype}` for the name of the result's element type in the target.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from metalift.ir.build import conj, equal, forall, implies, in_range
from metalift.ir.nodes import Build, Call, Expr, Length, Select, Var, type_of
from metalift.ir.types import INT, ScalarType, TensorType, TupleType, Type
from metalift.ir.walk import children, rebuild, subexpressions, substitute
from metalift.meaning.annotations import (
    Bool,
    Double,
    Elem,
    Float,
    Int,
    Int8,
    Int16,
    Int32,
    Int64,
    Integer,
    Matrix,
    Other,
    Real,
    Scalar,
    Size,
    Tensor3,
    To,
    TypePattern,
    TypeVariable,
    UInt8,
    Vec,
    convert,
    exact,
    size,
    trunc_div,
    trunc_rem,
)
from metalift.meaning.reader import Instance, Meaning, read_meaning
from metalift.meaning.reduce import apply_meaning, reduce_head
from metalift.meaning.source import DriverError

__all__ = [
    "Bool", "Double", "Driver", "DriverError", "Elem", "Float", "Instance", "Int", "Int8", "Int16", "Int32", "Int64", "Integer",
    "Layout", "Matrix", "Operator", "Other", "Parameter", "Real", "Scalar", "Size", "Target", "Tensor3", "To", "TypePattern",
    "TypeVariable", "UInt8", "Vec", "convert", "exact", "expand", "side_conditions", "size", "trunc_div", "trunc_rem",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])
Spellings = str | Mapping[str, str]  # one template, or one for each target
PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Layout:
    """How a Python tensor library spells what is not an operator: views of storage, copies, checks of arguments.

    Templates over {x} (a tensor), {shape} and {axes} ("(m, n)", "(1, 0)"), {axis}, {strides} and {offset} in elements, {value},
    {dtype}.
    """

    array_type: str  # the class of arrays: "np.ndarray"
    array: str  # nested lists {value} as an array of {dtype}
    reshape: str  # contiguous storage in another shape, a view
    permute: str
    flip: str  # reversal along {axis}
    expand: str  # broadcast to {shape}, no copy
    strided: str  # elements of {x} at {offset} + indices * {strides}, a view of {shape}
    clone: str
    full: str  # {shape} filled with {value} of {dtype}, where {x} is
    arange: str = ""  # 0, 1, ... below {value}, for indices, where {x} is
    scalar: str = ""  # a plain number {value} as a tensor without axes, of {dtype}
    cast: str = ""  # {x} with elements of {dtype}
    contiguous: str = ""  # whether {x} is contiguous, as `strided` needs it; without it, that is not checked
    bounds: str = ""  # the first address of {x} and the one behind its last, a pair; without it, overlap is not checked
    bounds_of_axes: str = ""  # the same for an {x} of several axes, where that is spelled in another way
    strides: str = ""  # the strides of {x}, a tuple, for overlap of arrays of several axes
    tracing: str = ""  # true while a compiler traces the function: there addresses are not known


@dataclass(frozen=True)
class Target:
    """One target language of a driver.

    `imports` maps a name that spellings may use ("np") to the statement that provides it; those that are used are emitted.
    `dtypes` names element types. `layout` is None where the target has no tensors. `preamble` is source text put before the
    function. `numbers` says whether its functions take plain Python numbers beside arrays; `stored` are element types that its
    arrays may have, but that it only copies and converts.
    """

    name: str
    imports: Mapping[str, str] = field(default_factory=dict)
    dtypes: Mapping[ScalarType, str] = field(default_factory=dict)
    layout: Layout | None = None
    preamble: str = ""
    numbers: bool = False
    stored: frozenset[ScalarType] = frozenset()
    language: str = "python"


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operator."""

    name: str
    pattern: TypePattern


@dataclass(frozen=True)
class Operator:
    """An operator: meaning and spellings.

    An elementwise operator has a meaning on scalars; it is applied to scalars, to tensors of equal shape, and to any mix of both.
    `scalars` spells it for arguments that are all plain Python numbers; `numbers` are the parameters that may be plain numbers
    beside arrays also in a target whose functions do not take them, `plain` those that have to be. A target without a spelling
    lacks the operator.
    """

    name: str
    params: tuple[Parameter, ...]
    result: TypePattern
    elementwise: bool
    cost: float
    spellings: Mapping[str, str]
    scalars: Mapping[str, str]
    numbers: frozenset[str]
    plain: frozenset[str]
    meaning: Meaning

    def instantiate(self, arg_types: tuple[Type, ...], result: Type | None = None) -> Instance:
        """The meaning at these argument types: parameters, body, and what it requires, over the parameters.

        `result` decides type variables that occur in the result only. Raises ValueError where the types do not fit.
        """
        elements = tuple(scalar_of(type_) for type_ in arg_types)
        element = None if result is None else scalar_of(result)
        if not self.elementwise:
            return self.meaning.instantiate(arg_types, element)
        return _lift(self.meaning.instantiate(elements, element), arg_types)

    def spelling(self, target: str, *, on_numbers: bool = False) -> str | None:
        """The template for the target, where all arguments are plain Python numbers or not; None where there is none."""
        return (self.scalars if on_numbers else self.spellings).get(target)

    def takes(self, target: Target, numbers: tuple[bool, ...]) -> bool:
        """Whether the target spells it for plain Python numbers where `numbers` says so, and arrays elsewhere."""
        if numbers and all(numbers) and self.spelling(target.name, on_numbers=True) is not None:
            return True
        template = self.spelling(target.name)
        pairs = list(zip(self.params, numbers, strict=True))
        if template is None or any(param.name in self.plain and not number for param, number in pairs):
            return False
        given = [param for param, number in pairs if number and not is_size(param)]
        if all(param.name in self.numbers | self.plain for param in given):
            return True
        return (target.numbers or is_infix(template)) and not all(numbers)


def scalar_of(type_: Type) -> ScalarType:
    """The type itself, or that of a tensor's elements. Raises ValueError for tuples."""
    element = type_.element if isinstance(type_, TensorType) else type_
    if isinstance(element, TupleType):
        raise ValueError("operators do not take tuples")
    return element


def _lift(scalar: Instance, arg_types: tuple[Type, ...]) -> Instance:
    """The elementwise application of a scalar meaning to tensors of equal shape and scalars."""
    params = tuple(Var(param.name, type_) for param, type_ in zip(scalar.params, arg_types, strict=True))
    tensors = [param for param in params if isinstance(param.type, TensorType)]
    if not tensors:
        return scalar
    first = tensors[0].type
    assert isinstance(first, TensorType)
    if any(isinstance(param.type, TensorType) and param.type.rank != first.rank for param in tensors):
        raise ValueError("the tensors of an elementwise operator have one rank")
    binders = tuple(Var(f"i{axis}", INT) for axis in range(first.rank))
    extents = tuple(Length(tensors[0], axis) for axis in range(first.rank))
    elements: dict[Var, Expr] = {
        old: Select(new, binders) if isinstance(new.type, TensorType) else new
        for old, new in zip(scalar.params, params, strict=True)
    }
    shapes = [equal(Length(tensor, axis), extents[axis]) for tensor in tensors[1:] for axis in range(first.rank)]
    inside = conj(*(in_range(binder, extent) for binder, extent in zip(binders, extents, strict=True)))
    pointwise = [forall(binders, implies(inside, substitute(each, elements))) for each in scalar.requires]
    return Instance(params, Build(extents, binders, substitute(scalar.body, elements)), (*shapes, *pointwise))


@dataclass
class Driver:
    """The operators and targets of one driver; a driver's file makes one and defines operators on it."""

    name: str
    targets: tuple[Target, ...] = (Target("python"),)
    operators: dict[str, Operator] = field(default_factory=dict)

    def target(self, name: str) -> Target:
        """The target of that name; raises KeyError with a message."""
        for target in self.targets:
            if target.name == name:
                return target
        raise KeyError(f"driver {self.name!r} has no target {name!r}; it has {', '.join(t.name for t in self.targets)}")

    @overload
    def define(self, function: F, /) -> F: ...

    @overload
    def define(
        self,
        /,
        *,
        emit: Spellings = "",
        scalars: Spellings = "",
        requires: Callable[..., bool] | None = None,
        cost: float = 1.0,
        numbers: tuple[str, ...] = (),
        plain: tuple[str, ...] = (),
        elementwise: bool = False,
        name: str = "",
    ) -> Callable[[F], F]: ...

    def define(
        self,
        function: F | None = None,
        /,
        *,
        emit: Spellings = "",
        scalars: Spellings = "",
        requires: Callable[..., bool] | None = None,
        cost: float = 1.0,
        numbers: tuple[str, ...] = (),
        plain: tuple[str, ...] = (),
        elementwise: bool = False,
        name: str = "",
    ) -> F | Callable[[F], F]:
        """Declares an operator by its meaning; used as a decorator.

        `emit` is a template, or one for each target; without it the operator is called by its name with its arguments in
        order. `scalars` spells it for plain Python numbers; by default it is the same where the template is made of Python's own
        operators. `numbers` names the parameters that may be plain numbers, `plain` those that have to be.
        `requires` is a lambda over the parameters, read like the meaning. `cost` is compared by the cover; parts add up.
        """

        def register(meaning: F) -> F:
            self._register(
                read_meaning(meaning), _Options(name, emit, scalars, cost, frozenset(numbers), frozenset(plain), elementwise)
            )
            return meaning

        return register if function is None else register(function)

    def elementwise(
        self,
        *,
        emit: Spellings = "",
        scalars: Spellings = "",
        requires: Callable[..., bool] | None = None,
        cost: float = 1.0,
        numbers: tuple[str, ...] = (),
        plain: tuple[str, ...] = (),
        name: str = "",
    ) -> Callable[[F], F]:
        """Declares an operator by its meaning on scalars; it applies to tensors element by element. See `define`."""
        return self.define(
            emit=emit, scalars=scalars, requires=requires, cost=cost, numbers=numbers, plain=plain, name=name, elementwise=True
        )

    def _register(self, meaning: Meaning, options: _Options) -> None:
        called = options.name or meaning.name
        name = f"{self.name}.{called}" if is_function(called) else called
        if name in self.operators:
            raise meaning.error(f"operator {called!r} is defined twice in driver {self.name!r}")
        params = tuple(Parameter(param, pattern) for param, pattern in meaning.params)
        call = f"{called}({', '.join('{' + param.name + '}' for param in params)})"
        spellings = self._per_target(meaning, options.emit or call)
        self._check_templates(meaning, spellings)
        scalar = not any(param.pattern.rank for param in params)
        infix = {target: template for target, template in spellings.items() if scalar and is_infix(template)}
        scalars = self._per_target(meaning, options.scalars) if options.scalars else infix
        if not options.emit:  # a function of the user's own preamble: it takes what it is given
            scalars = scalars or spellings
        self._check_templates(meaning, scalars)
        for number in (options.numbers | options.plain) - {param.name for param in params}:
            raise meaning.error(f"operator {called!r} has no parameter {number!r}, which 'numbers' or 'plain' names")
        if options.elementwise and any(pattern.rank for pattern in (*(p.pattern for p in params), meaning.result)):
            raise meaning.error(f"operator {called!r} is elementwise: its meaning is on scalars, not on Vec or Matrix")
        self.operators[name] = Operator(
            name,
            params,
            meaning.result,
            options.elementwise,
            options.cost,
            spellings,
            scalars,
            options.numbers,
            options.plain,
            meaning,
        )

    def _per_target(self, meaning: Meaning, given: Spellings) -> dict[str, str]:
        if isinstance(given, str):
            return {target.name: given for target in self.targets}
        known = [target.name for target in self.targets]
        for target in given:
            if target not in known:
                raise meaning.error(f"spelling for an unknown target {target!r}; the driver's targets are {', '.join(known)}")
        return dict(given)

    def _check_templates(self, meaning: Meaning, templates: Mapping[str, str]) -> None:
        allowed = {"dtype", *(param for param, _ in meaning.params)}
        for target, template in templates.items():
            for placeholder in PLACEHOLDER.findall(template):
                if placeholder not in allowed:
                    known = ", ".join("{" + each + "}" for each in sorted(allowed))
                    raise meaning.error(f"unknown placeholder {{{placeholder}}} in the spelling {template!r}; there are {known}")
            try:
                if self.target(target).language == "python":
                    is_infix(template)
            except SyntaxError as error:
                raise meaning.error(f"the spelling {template!r} is not a Python expression: {error.msg}") from error


@dataclass(frozen=True)
class _Options:
    """What `define` was given beside the meaning."""

    name: str
    emit: Spellings
    scalars: Spellings
    cost: float
    numbers: frozenset[str]
    plain: frozenset[str]
    elementwise: bool


def is_function(name: str) -> bool:
    """Whether a Call of that name means a mathematical function; such an operator has the driver's name in front."""
    return hasattr(math, name) or name in ("round", "rint", "tgamma")


def is_size(param: Parameter) -> bool:
    """Whether the parameter is an exact integer: a size or a place, which is a plain number in every target."""
    return param.pattern == TypePattern(INT)


def is_infix(template: str) -> bool:
    """Whether a spelling consists of Python's own operators, so that it works on plain numbers too."""
    tree = ast.parse(PLACEHOLDER.sub(r"_\1", template), mode="eval")
    return not any(isinstance(node, ast.Call | ast.Attribute | ast.Subscript) for node in ast.walk(tree))


def expand(expr: Expr, driver: Driver) -> Expr:
    """The expression with every operator of the driver replaced by its meaning; elements and lengths of Builds are reduced.

    Calls of other functions (sqrt, exp) stay. Raises ValueError where an operator is applied to what it does not take.
    """
    parts = tuple(expand(child, driver) for child in children(expr))
    changed = rebuild(expr, parts)
    if not isinstance(changed, Call) or changed.function not in driver.operators:
        return reduce_head(changed)
    instance = driver.operators[changed.function].instantiate(tuple(type_of(arg) for arg in parts), changed.type)
    return apply_meaning(instance.params, instance.body, parts)


def side_conditions(expr: Expr, driver: Driver) -> tuple[Expr, ...]:
    """What the operators in the expression require, each condition without driver operators; evaluation is eager.

    The binders of an enclosing Build or Fold stay free in a condition found below it: such trees are views and hold no operators.
    """
    found: list[Expr] = []
    for sub in subexpressions(expr):
        if isinstance(sub, Call) and sub.function in driver.operators:
            args = tuple(expand(arg, driver) for arg in sub.args)
            instance = driver.operators[sub.function].instantiate(tuple(type_of(arg) for arg in args), sub.type)
            found.extend(apply_meaning(instance.params, each, args) for each in instance.requires)
    return tuple(dict.fromkeys(found))
