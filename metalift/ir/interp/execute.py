"""Runs a fragment on concrete arguments: the oracle for what the source does, and whether it does anything defined at all.

An operation whose result has no meaning (an overflow, a shift by too much, an uninitialised variable) makes an `Undef`, which
ends the run with SourceUndefined only where it reaches a branch, an index, a stored value, an assumption or the result. Integer
division by zero and an access outside an array end the run at once, used or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias, assert_never, final

from metalift.ir.expr.types import TensorType, Type
from metalift.ir.interp.context import NO_FUNCTIONS, Code, Context, Functions, Scope, enter, leave
from metalift.ir.interp.evaluate import code_of
from metalift.ir.interp.reals import EXACT, Reals
from metalift.ir.interp.values import (
    Array,
    AssumeViolated,
    Cell,
    CheckViolated,
    Memory,
    SourceUndefined,
    Tensor,
    Touched,
    Undef,
    Value,
    all_indices,
    tensor_of,
    touched_of,
)
from metalift.ir.program.fragment import (
    Assign,
    Assume,
    Block,
    Branch,
    Check,
    Edge,
    Fragment,
    Jump,
    Location,
    Return,
    Statement,
    Store,
    Undefined,
    Unreachable,
)


@dataclass(frozen=True, slots=True)
class Unbounded:
    """An argument for an array parameter: an array without ends, whose cells come from `fill` when they are first read.

    A cell is an index, or for an array of several axes a tuple of indices.
    """

    fill: Callable[[Cell], Value]


@dataclass(frozen=True, slots=True)
class Made:
    """An argument for an array parameter: an array of that shape, whose cells come from `fill` when they are first read.

    A cell is written as for `Unbounded`.
    """

    shape: tuple[int, ...]
    fill: Callable[[Cell], Value]


@dataclass(frozen=True, slots=True)
class Shared:
    """An argument for an array parameter: element 0 is element `offset` of the array of another parameter."""

    parameter: str
    offset: int = 0


Argument: TypeAlias = "Value | Unbounded | Made | Shared"
Contents: TypeAlias = "list[Value] | Tensor | dict[Cell, Value]"
Observer: TypeAlias = Callable[[str, Mapping[str, Value], Mapping[str, Array]], None]
Leap: TypeAlias = Callable[[str, Mapping[str, Value], Mapping[str, Array]], "Mapping[str, Value] | None"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did.

    `arrays` has the final contents of each array parameter: a list, a Tensor if it has several axes, or a dict of the cells that
    were seen if it was unbounded or made up. `trace` are the labels of the blocks in the order in which they were entered;
    `touched` tells which indices were accessed; `lost` the definitions and arguments of blocks that could not be computed, of
    which nothing made use.
    """

    result: Value | None
    arrays: dict[str, Contents]
    trace: tuple[str, ...]
    touched: dict[str, Touched]
    steps: int
    lost: frozenset[str] = frozenset()

    @property
    def blocks(self) -> Counter[str]:
        """How often each block was entered."""
        return Counter(self.trace)

    @property
    def edges(self) -> Counter[tuple[str, str]]:
        """How often control passed from one block to another."""
        return Counter(zip(self.trace, self.trace[1:], strict=False))


def run(
    fragment: Fragment,
    args: Mapping[str, Argument],
    functions: Functions = NO_FUNCTIONS,
    reals: Reals = EXACT,
    max_steps: int = 1_000_000,
    observer: Observer | None = None,
    leap: Leap | None = None,
) -> Outcome:
    """Executes the fragment; `args` has a value for each parameter, by name. Lists are copied.

    `observer` is called on entry to each block, after its arguments are set, with the values by name and the arrays as they are
    at that moment (to keep one, copy it); what it reads does not count as an access. `leap` is asked then for another state in
    which the run is to enter the block, given as what changes (see `metalift.vcgen.jumps`). Raises SourceUndefined,
    AssumeViolated, CheckViolated, or LimitExceeded after `max_steps` statements and loop steps.
    """
    arrays = _arrays(fragment, args, reals)
    values: dict[str, Value] = {
        param.var.name: enter(_scalar(args[param.var.name]), param.var.type, reals)
        for param in fragment.params
        if not isinstance(param.var.type, TensorType)
    }
    values.update(arrays)
    scope = Scope(values, Context(reals, functions, None, max_steps))
    for name, room in fragment.rooms:
        most = code_of(room)(scope)
        arrays[name].memory.most = most if isinstance(most, int) else None
    machine = _Machine(scope, arrays, observer, leap)
    try:
        result = machine.run(_program(fragment), fragment.blocks[0].label)
    except SourceUndefined as problem:
        problem.steps = max_steps - scope.context.steps
        raise
    contents = {param.var.name: _contents(arrays[param.var.name]) for param in fragment.params if param.var.name in arrays}
    touched = {name: array.touched for name, array in arrays.items()}
    return Outcome(result, contents, tuple(machine.trace), touched, max_steps - scope.context.steps, frozenset(machine.lost))


def _scalar(argument: Argument) -> Value:
    assert not isinstance(argument, Unbounded | Made | Shared), "only arrays can be unbounded, made up or shared"
    return argument


def _arrays(fragment: Fragment, args: Mapping[str, Argument], reals: Reals) -> dict[str, Array]:
    """The run's arrays, those that share an object included."""
    arrays = {var.name: Array(var.name, Memory({}), touched=touched_of(_rank(var.type))) for var in fragment.locals}
    shared: list[tuple[str, Shared]] = []
    for param in fragment.params:
        name = param.var.name
        argument = args[name]
        if isinstance(argument, Shared):
            shared.append((name, argument))
        elif isinstance(param.var.type, TensorType):
            touched = touched_of(_rank(param.var.type))
            arrays[name] = Array(name, _memory(param.var.type, argument, reals), touched=touched)
    for name, target in shared:
        owner = arrays[target.parameter]
        touched = touched_of(1 + len(owner.touched.inner))
        arrays[name] = Array(name, owner.memory, owner.origin + target.offset, touched)
    return arrays


def _rank(type_: Type) -> int:
    assert isinstance(type_, TensorType), "arrays are tensors"
    return type_.rank


def _memory(type_: TensorType, argument: Value | Unbounded | Made, reals: Reals) -> Memory:
    element = type_.element
    if isinstance(argument, Unbounded | Made):
        fill, shape = argument.fill, argument.shape if isinstance(argument, Made) else (None,)
        return Memory({}, shape[0], lambda cell: enter(fill(cell), element, reals), inner=shape[1:])
    tensor = tensor_of(list(argument), type_.rank) if isinstance(argument, list | tuple) else argument
    assert isinstance(tensor, Tensor)
    numbered = enumerate(tensor.cells) if type_.rank == 1 else zip(all_indices(tensor.shape), tensor.cells, strict=True)
    cells: dict[Cell, Value] = {cell: enter(value, element, reals) for cell, value in numbered}
    return Memory(cells, tensor.shape[0], inner=tensor.shape[1:])


def _contents(array: Array) -> Contents:
    memory = array.memory
    if memory.fill is not None or memory.length is None:
        return {_moved(cell, -array.origin): value for cell, value in memory.cells.items()}
    first = max(0, array.origin)
    if not memory.inner:
        return [memory.cells[cell] for cell in range(first, memory.length)]
    shape = (max(0, memory.length - first), *memory.inner)
    return Tensor(shape, [memory.cells[_moved(cell, first)] for cell in all_indices(shape)])


def _moved(cell: Cell, by: int) -> Cell:
    return (cell[0] + by, *cell[1:]) if isinstance(cell, tuple) else cell + by


@final
@dataclass(slots=True)
class _Returned:
    value: Value | None


_Step: TypeAlias = Callable[["_Machine"], None]
_End: TypeAlias = Callable[["_Machine"], "str | _Returned"]


@dataclass(frozen=True, slots=True)
class _Code:
    """A block as closures, and how many steps it counts for."""

    steps: tuple[_Step, ...]
    end: _End
    cost: int


@dataclass(slots=True)
class _Machine:
    """The state of a run."""

    scope: Scope
    arrays: dict[str, Array]
    observer: Observer | None
    leap: Leap | None
    trace: list[str] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)

    def run(self, program: Mapping[str, _Code], entry: str) -> Value | None:
        """Executes blocks until one returns."""
        label = entry
        spend = self.scope.context.spend
        enter_block = self.trace.append if self.observer is None and self.leap is None else self.enter_block
        while True:
            enter_block(label)
            code = program[label]
            spend(code.cost)
            for step in code.steps:
                step(self)
            went = code.end(self)
            if type(went) is _Returned:
                return went.value
            label = went

    def unused(self, name: str, error: SourceUndefined, location: Location) -> Undef:
        """The value of an SSA definition that has no meaning; where computing it is undefined in itself, the run ends."""
        if error.immediate:
            raise _located(error, location) from None
        if error.location is None:  # it was lost here, and not where something that it needs was computed
            self.lost.add(name)
        return Undef(error.reason, error.location or location, error.too_large)

    def enter_block(self, label: str) -> None:
        """Notes the block and shows the state to the observer; again where the run is to go on in another state."""
        self.trace.append(label)
        for array in self.arrays.values():
            array.memory.recording = False
        try:
            if self.observer is not None:
                self.observer(label, self.scope.values, self.arrays)
            changed = None if self.leap is None else self.leap(label, self.scope.values, self.arrays)
        finally:
            for array in self.arrays.values():
                array.memory.recording = True
        if changed is not None:
            self.scope.values.update(changed)
            self.arrays.update((name, value) for name, value in changed.items() if isinstance(value, Array))
            self.enter_block(label)


@lru_cache(maxsize=64)
def _program(fragment: Fragment) -> dict[str, _Code]:
    args = {block.label: tuple(arg.name for arg in block.args) for block in fragment.blocks}
    return {block.label: _code(block, args) for block in fragment.blocks}


def _code(block: Block, args: Mapping[str, tuple[str, ...]]) -> _Code:
    return _Code(tuple(_statement(statement) for statement in block.body), _end(block, args), 1 + len(block.body))


def _used(code: Code, location: Location) -> Code:
    """The value of a place where it is used: without a meaning, the run ends."""

    def checked(scope: Scope) -> Value:
        try:
            value: Value = code(scope)
            return value
        except SourceUndefined as error:
            raise _located(error, location) from None

    return checked


def _located(error: SourceUndefined, location: Location) -> SourceUndefined:
    """The error with the place where the meaning was lost, or else where it was missed."""
    return SourceUndefined(error.reason, error.location or location, error.immediate, too_large=error.too_large)


def _statement(statement: Statement) -> _Step:
    match statement:
        case Assign(target, value, location):
            return _assign(target.name, code_of(value), location)
        case Undefined(target, variable, location):
            missing = Undef(f"the variable '{variable}' is not initialised", location)
            return _assign(target.name, lambda scope: missing, location)
        case Store():
            return _store(statement)
        case Assume():
            return _assume(statement)
        case Check():
            return _check(statement)
        case _:
            assert_never(statement)


def _assign(name: str, code: Code, location: Location) -> _Step:
    def step(machine: _Machine) -> None:
        scope = machine.scope
        try:
            scope.values[name] = code(scope)
        except SourceUndefined as error:
            scope.values[name] = machine.unused(name, error, location)

    return step


def _store(store: Store) -> _Step:
    name = store.array.name
    indices = tuple(_used(code_of(index), store.location) for index in store.indices)
    code = _used(code_of(store.value), store.location)

    def step(machine: _Machine) -> None:
        place = tuple(index(machine.scope) for index in indices)
        value = code(machine.scope)
        try:
            machine.arrays[name].store(place, value)
        except SourceUndefined as error:
            raise _located(error, store.location) from None

    return step


def _assume(assume: Assume) -> _Step:
    code = _used(code_of(assume.cond), assume.location)

    def step(machine: _Machine) -> None:
        if not code(machine.scope):
            raise AssumeViolated(assume.origin, assume.location)

    return step


def _check(check: Check) -> _Step:
    code = _used(code_of(check.cond), check.location)

    def step(machine: _Machine) -> None:
        if not code(machine.scope):
            raise CheckViolated(check.message, check.location)

    return step


def _end(block: Block, args: Mapping[str, tuple[str, ...]]) -> _End:
    match block.end:
        case Jump(edge, location):
            return _edge(edge, args, location)
        case Branch(cond, then, other, location):
            test = _used(code_of(cond), location)
            yes, no = _edge(then, args, location), _edge(other, args, location)
            return lambda machine: yes(machine) if test(machine.scope) else no(machine)
        case Return(None, _):
            return lambda machine: _Returned(None)
        case Return(value, location):
            assert value is not None
            result = _used(_whole(code_of(value)), location)
            return lambda machine: _Returned(result(machine.scope))
        case Unreachable(location):
            return _unreachable(location)
        case _:
            assert_never(block.end)


def _whole(code: Code) -> Code:
    return lambda scope: leave(code(scope))


def _unreachable(location: Location) -> _End:
    def end(machine: _Machine) -> str:
        raise SourceUndefined("control reaches a place that the source says is never reached", location, True)

    return end


def _edge(edge: Edge, args: Mapping[str, tuple[str, ...]], location: Location) -> _End:
    names, label = args[edge.block], edge.block
    codes = tuple(code_of(arg) for arg in edge.args)
    assert len(names) == len(codes), "an edge has a value for each argument of its block"

    def value(name: str, code: Code, machine: _Machine) -> Value:
        try:
            found: Value = code(machine.scope)
            return found
        except SourceUndefined as error:
            return machine.unused(name, error, location)

    def follow(machine: _Machine) -> str:
        scope = machine.scope
        try:
            values = [code(scope) for code in codes]
        except SourceUndefined:  # one of them
            values = [value(name, code, machine) for name, code in zip(names, codes, strict=True)]
        scope.values.update(zip(names, values, strict=True))
        return label

    return follow
