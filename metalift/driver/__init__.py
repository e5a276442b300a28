"""The public driver interface: what the operators of a target mean, and how they are spelled, side by side.

    dsl = Driver("my_dsl", targets=[Target("python")])

    @dsl.define(emit={"python": "fma({x}, {y}, {z})"})
    def fma(x: Int, y: Int, z: Int) -> Int:
        return x + y * z

The typed Python function is the meaning; it is read, not executed. A spelling is a Python expression in which `{x}` stands for
the argument of parameter x and `{dtype}` for the name of the result's element type in the target. A parameter of the type
`Fn[[Elem], Other]` is a function of scalars: `{f}` stands for it, `{f(v)}` for its value at v: `[{f(v)} for v in {x}]`.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping
from collections.abc import Callable as Fn  # of scalars, which an operator such as map is given: Fn[[Elem], Other]
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, overload

from metalift.driver.layout import (
    LISTS,
    CannotWrite,
    Engine,
    Groups,
    Kernels,
    Layout,
    Lookup,
    Partial,
    Placed,
    Prices,
    Read,
    Records,
    Request,
    Tables,
    Target,
    Written,
)
from metalift.driver.meaning.language import (
    Beside,
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
    Item,
    Key,
    Matrix,
    Other,
    Real,
    Scalar,
    Size,
    Tensor3,
    Tensor4,
    To,
    TypePattern,
    TypeVariable,
    UInt8,
    UInt16,
    UInt32,
    Vec,
    convert,
    exact,
    round_half_away,
    size,
    trunc_div,
    trunc_rem,
    word,
)
from metalift.driver.meaning.lift import axes_of
from metalift.driver.meaning.reader import Instance, Meaning, read_uninterpreted
from metalift.driver.meaning.several import Part
from metalift.driver.meaning.source import DriverError
from metalift.driver.operators import PLACEHOLDER, Operator, Parameter, is_cost, is_function, is_infix, parsed
from metalift.driver.options import Cost, Options, Spellings, check_configuration, parts, signature, with_axes
from metalift.ir.interp.functions import EXTERNAL
from metalift.ir.program.fragment import External
from metalift.ir.program.kernel import Cut, Idiom, Kernel, Step

__all__ = [
    "Read",
    "Beside", "Bool", "CannotWrite", "Cut", "Double", "Driver", "DriverError", "Elem", "Engine", "Float", "Fn", "Groups", "Idiom",
    "Instance", "Int", "Int16", "Int32", "Int64", "Int8", "Integer", "Item", "Kernel", "Kernels", "Key", "LISTS", "Layout",
    "Lookup", "Matrix", "Operator", "Other", "Parameter", "Partial", "Placed", "Prices", "Real", "Records", "Request", "Scalar",
    "Size", "Step", "Tables", "Target", "Tensor3", "Tensor4", "To", "TypePattern", "TypeVariable", "UInt16", "UInt32", "UInt8",
    "Vec", "Written", "convert", "exact", "word", "size", "round_half_away", "trunc_div", "trunc_rem",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])
AXIS_ARGUMENT = re.compile(r", *\w+={axis}")
AXISWISE = (2, 3, 4, 5)  # the ranks of tensors that axiswise operators take beside vectors


@dataclass
class Driver:
    """The operators and targets of one driver; a driver's file makes one and defines operators on it.

    With `leaves`, what a C or C++ function leaves in the structs that it takes by value is among its results, as in programs for
    packets; that is listed.
    """

    name: str
    targets: tuple[Target, ...] = (Target("python"),)
    operators: dict[str, Operator] = field(default_factory=dict)
    leaves: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.targets, tuple) or not all(isinstance(each, Target) for each in self.targets):
            raise TypeError(f"the targets of the driver {self.name} have to be a tuple of Target: targets=(Target(...),)")

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
        cost: Cost = 1.0,
        numbers: tuple[str, ...] = (),
        plain: tuple[str, ...] = (),
        elementwise: bool = False,
        holes: Mapping[str, int] | None = None,
        holds: tuple[str, ...] = (),
        partial: Mapping[str, Partial] | None = None,
        reducer: tuple[str, str] | None = None,
        counted: tuple[str, ...] = (),
        groups: tuple[str, ...] = (),
        results: tuple[str, ...] = (),
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
        cost: Cost = 1.0,
        numbers: tuple[str, ...] = (),
        plain: tuple[str, ...] = (),
        elementwise: bool = False,
        holes: Mapping[str, int] | None = None,
        holds: tuple[str, ...] = (),
        partial: Mapping[str, Partial] | None = None,
        reducer: tuple[str, str] | None = None,
        counted: tuple[str, ...] = (),
        groups: tuple[str, ...] = (),
        results: tuple[str, ...] = (),
        name: str = "",
    ) -> F | Callable[[F], F]:
        """Declares an operator by its meaning; used as a decorator.

        `emit` is a template, or one for each target; without it the operator is called by its name with its arguments in
        order. `scalars` spells it for plain Python numbers; by default it is the same where the template is made of Python's own
        operators. `numbers` names the parameters that may be plain numbers, `plain` those that have to be.
        `requires` is a lambda over the parameters, read like the meaning. `cost` is compared by the cover; parts add up.
        It may be a function of parameters: `lambda x: len(x) / 16`.
        `holes` are parameters of the type Size that configure the operator, each with the number of its choices: the meaning
        compares them with 0, 1, ..., and which choice computes a source is found. `holds` are parameters that are cells of the
        target's storage: the operator keeps them, and its result replaces the first. Both are for operators on scalars, and
        `holes={}` for one that has none and is matched in the same way: choices by any condition of the source.
        `partial` says for a target how one pass over a collection computes the operator's value and others.
        `reducer` names a parameter that is a function and one that is what it starts from; the target applies the function in any
        order, so wherever the operator is used it is proved commutative and associative, and the start neutral to it.
        `counted` names collections whose spelling relies on a count of their elements that only arguments have for certain.
        `groups` names functions of an element: its key, whether the group with that key counts, and the value of the group. The
        last parameter, a collection, stands in the spelling for these values, or for the keys where no value is named.
        `results` names the results of one that has several, whose meaning returns a tuple: each is an operator, called
        `name.result` and spelled as that item of what `emit` gives; where a program needs several, they are of one call.
        """

        def register(meaning: F) -> F:
            roles = (frozenset(numbers), frozenset(plain), elementwise, None, holes, holds, partial or {}, reducer, counted)
            options = Options(name, emit, scalars, cost, *roles, groups)
            for read, part in parts(meaning, results):
                if requires is not None and not (read.requires and read.requires.is_of(requires)):
                    raise read.error(f"'requires' of {read.name!r} has to be a lambda that stands in the decorator: it is read")
                self._register(read, options.of_part(name or read.name, part, results))
            return meaning

        return register if function is None else register(function)

    def elementwise(
        self,
        *,
        emit: Spellings = "",
        scalars: Spellings = "",
        requires: Callable[..., bool] | None = None,
        cost: Cost = 1.0,
        numbers: tuple[str, ...] = (),
        plain: tuple[str, ...] = (),
        name: str = "",
    ) -> Callable[[F], F]:
        """Declares an operator by its meaning on scalars; it applies to tensors element by element. See `define`."""
        return self.define(
            emit=emit, scalars=scalars, requires=requires, cost=cost, numbers=numbers, plain=plain, name=name, elementwise=True
        )

    def axiswise(
        self,
        *,
        emit: Spellings,
        whole: Spellings = "",
        requires: Callable[..., bool] | None = None,
        cost: Cost = 1.0,
        several: bool = False,
        results: tuple[str, ...] = (),
    ) -> Callable[[F], F]:
        """Declares an operator by its meaning on a vector, its first parameter; the others are scalars.

        It applies to vectors, and to tensors of two and three axes along each axis, `several`: along some or all at once, and
        along two of four or five axes, where the meaning of the meanings along each is what the spelling computes. There is an
        operator for each choice of axes.
        `emit` says the axes by {axis}, a number or a tuple of numbers. For vectors, and for all axes, an argument such as
        `axis={axis}` is left out; `whole` is the spelling for that where it is another. For `results` see `define`.
        """

        def register(function: F) -> F:
            for meaning, part in parts(function, results):
                along(meaning, part)
            return function

        def along(meaning: Meaning, part: int | None) -> None:
            if [pattern.rank for _, pattern in meaning.params] != [1, *(0 for _ in meaning.params[1:])]:
                raise meaning.error(f"operator {meaning.name!r} is axiswise: its meaning takes a Vec, then scalars")
            spelled = self._per_target(meaning, emit)
            alone = {target: AXIS_ARGUMENT.sub("", template) for target, template in spelled.items()}
            alone.update(self._per_target(meaning, whole) if whole else {})
            self._register(meaning, Options(meaning.name, with_axes(alone, 0), cost=cost).of_part(meaning.name, part, results))
            for axes in (each for rank in AXISWISE for each in axes_of(rank, several=several)):
                at = axes.along if len(axes.along) > 1 else axes.along[0]
                chosen = with_axes(alone if len(axes.along) == axes.rank else spelled, at)
                called = meaning.name + axes.suffix
                self._register(meaning, Options(called, chosen, cost=cost, axes=axes).of_part(called, part, results))

        return register

    def uninterpreted(
        self,
        *,
        emit: Spellings = "",
        scalars: Spellings = "",
        cost: Cost = 1.0,
        numbers: tuple[str, ...] = (),
        plain: tuple[str, ...] = (),
    ) -> Callable[[F], F]:
        """Declares an operator without a meaning: it stands for the source's function of the same name, whose calls stay calls.

        The decorated function has scalar parameters of fixed types and the body `...`. Proofs know of it only that equal
        arguments give equal results; that the source's function has no effects, and that the target's computes the same, is
        listed among the assumptions. It applies to tensors element by element. For the parameters see `define`.
        """

        def register(function: F) -> F:
            options = Options("", emit, scalars, cost, frozenset(numbers), frozenset(plain), elementwise=True)
            self._register(read_uninterpreted(function), options)
            return function

        return register

    @property
    def externals(self) -> tuple[External, ...]:
        """The functions of a source whose calls stay calls: those that the uninterpreted operators stand for."""
        return tuple(each.meaning.external for each in self.operators.values() if each.meaning.external is not None)

    def _register(self, meaning: Meaning, options: Options) -> None:
        called = options.name or meaning.name
        name = f"{self.name}.{called}" if is_function(called) else called
        if meaning.external is not None:
            if is_function(called):
                raise meaning.error(f"{called!r} has a meaning: give it as a call of math.{called}, with define or elementwise")
            name = EXTERNAL + called
        if name in self.operators:
            raise meaning.error(f"operator {called!r} is defined twice in driver {self.name!r}")
        params, result = signature(meaning, options.axes)
        if callable(options.cost):
            known = {param.name for param in params}
            if strange := [each for each in inspect.signature(options.cost).parameters if each not in known]:
                raise meaning.error(f"the cost of operator {called!r} is of {strange[0]!r}, which is no parameter of it")
        elif not is_cost(options.cost):
            raise meaning.error(f"the cost of operator {called!r} is {options.cost!r}; it has to be a positive number")
        function = called if options.part is None else options.part.whole
        call = f"{function}({', '.join('{' + param.name + '}' for param in params)})"
        spellings = self._of_part(self._per_target(meaning, options.emit or call), options.part)
        self._check_templates(meaning, spellings)
        scalar = not any(param.pattern.rank for param in params)
        alike = {at: self.target(at).lists and not options.elementwise for at in spellings}  # of lists, it takes elements
        infix = {at: template for at, template in spellings.items() if scalar and (alike[at] or is_infix(template))}
        scalars = self._of_part(self._per_target(meaning, options.scalars), options.part) if options.scalars else infix
        if not options.emit:  # a function of the user's own preamble: it takes what it is given
            scalars = scalars or spellings
        self._check_templates(meaning, scalars)
        self._check_templates(meaning, {target: part.step for target, part in options.partial.items()})
        self._check_templates(meaning, {target: part.zero for target, part in options.partial.items() if part.zero})
        for named in options.numbers.union(options.plain, options.counted, options.groups) - {param.name for param in params}:
            raise meaning.error(f"operator {called!r} has no parameter {named!r}, which an option of it names")
        patterns = (*(param.pattern for param in params), meaning.result)
        check_configuration(meaning, params, options)
        if options.elementwise and any(pattern.rank or pattern.takes for pattern in patterns):
            raise meaning.error(f"operator {called!r} is elementwise: its meaning is on scalars, not on Vec, Matrix or Fn")
        self.operators[name] = Operator(
            name,
            params,
            result,
            options.elementwise,
            options.cost,
            spellings,
            scalars,
            options.numbers,
            options.plain,
            meaning,
            options.axes,
            options.holes,
            options.holds,
            options.partial,
            options.reducer,
            options.counted,
            options.groups,
            options.part,
        )

    def _of_part(self, templates: Mapping[str, str], part: Part | None) -> dict[str, str]:
        """The spellings of one of several results: in Python an item of what the call gives."""
        if part is None:
            return dict(templates)
        python = {target.name for target in self.targets if target.language == "python"}
        return {at: f"({template})[{part.at}]" if at in python else template for at, template in templates.items()}

    def spell(self, target: Target, emit: Mapping[str, str], scalars: Mapping[str, str] | None = None) -> None:
        """Adds a target after the operators were defined: a template for each operator that it has, by the operator's name.

        `scalars` are templates for plain Python numbers, as in `define`. Raises DriverError at the line of the call.
        """
        frame = sys._getframe(1)

        def error(message: str) -> DriverError:
            return DriverError(frame.f_code.co_filename, frame.f_lineno, message)

        if any(known.name == target.name for known in self.targets):
            raise error(f"driver {self.name!r} has two targets {target.name!r}")
        self.targets = (*self.targets, target)
        for name, template in (*emit.items(), *(scalars or {}).items()):
            if name not in self.operators:
                known = ", ".join(self.operators)
                raise error(f"a spelling for {name!r}, which is no operator of driver {self.name!r}; there are {known}")
            self._check_templates(self.operators[name].meaning, {target.name: template}, error)
        for name, operator in self.operators.items():
            spelled = {target.name: emit[name]} if name in emit else {}
            scalar = not any(param.pattern.rank for param in operator.params)
            numbers = {target.name: scalars[name]} if name in (scalars or {}) and scalars else {}
            if not numbers and scalar and spelled and is_infix(emit[name]):
                numbers = spelled
            spellings, on_numbers = {**operator.spellings, **spelled}, {**operator.scalars, **numbers}
            self.operators[name] = replace(operator, spellings=spellings, scalars=on_numbers)

    def _per_target(self, meaning: Meaning, given: Spellings) -> dict[str, str]:
        if isinstance(given, str):
            return {target.name: given for target in self.targets}
        if not isinstance(given, Mapping) or not all(isinstance(part, str) for pair in given.items() for part in pair):
            raise meaning.error(f"the spelling of {meaning.name!r} is {given!r}; it has to be a template, or one for each target")
        known = [target.name for target in self.targets]
        for target in given:
            if target not in known:
                raise meaning.error(f"spelling for an unknown target {target!r}; the driver's targets are {', '.join(known)}")
        return dict(given)

    def _check_templates(
        self, meaning: Meaning, templates: Mapping[str, str], error_at: Callable[[str], DriverError] | None = None
    ) -> None:
        report = error_at or meaning.error
        allowed = {"dtype": 0, "near": 0, **{param: len(pattern.takes) for param, pattern in meaning.params}}
        for target, template in templates.items():
            for placeholder, args in PLACEHOLDER.findall(template):
                if placeholder not in allowed:
                    known = ", ".join("{" + each + "}" for each in sorted(allowed))
                    raise report(f"unknown placeholder {{{placeholder}}} in the spelling {template!r}; there are {known}")
                if args and len(args.split(",")) != allowed[placeholder]:
                    wanted = f"takes {allowed[placeholder]} argument(s)" if allowed[placeholder] else "is no function"
                    raise report(f"{{{placeholder}{args}}} in the spelling {template!r}: {placeholder} {wanted}")
            try:
                if self.target(target).language == "python":
                    parsed(template)
            except SyntaxError as error:
                raise report(f"the spelling {template!r} is not a Python expression: {error.msg}") from error
