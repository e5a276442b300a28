"""A fragment: one source function as a control-flow graph in SSA form with block arguments.

Scalars are SSA values. Arrays (what a pointer parameter points to, a vector, a local array) are mutable state with a name: a
`Var` of tensor type inside an expression means the array's contents at that statement; `Store` changes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import prod
from typing import assert_never

from metalift.ir.expr.hashed import Hashed, hash_once
from metalift.ir.expr.nodes import Expr, Var
from metalift.ir.expr.types import ScalarType, TensorType, TupleType, Type, show_type


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in the source, 1-based; column 0 where it is not known."""

    file: str
    line: int
    column: int = 0


class ParamKind(Enum):
    """How an argument is passed."""

    VALUE = "value"
    POINTER = "pointer"  # the elements it points to; its extent is not passed
    VECTOR = "vector"  # a std::vector or list by value or const reference: elements and length
    VECTOR_REF = "vector reference"  # a std::vector by non-const reference
    KEY = "key"  # no argument: any key of the dictionary or set that is the result, which is given by what it has there


ELEMENT = "[i]"  # of an array of structs, in the access to a field


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the source that outlives a call: its linker name, and its own with namespaces and classes.

    A `static` variable of a function is `local`: no other function can name it. One that another file defines is `external`.
    """

    symbol: str
    name: str
    local: bool = False
    external: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """Where in the source a parameter is found that is a field of a struct, or a global variable or a field of one.

    `parameter` is the source's parameter ("this" for the object of a member function) or variable, `c_type` its type as the
    source spells it, `access` the member access from it as C text (`->vals`, `.shape.rows`, `[i].x` for the field x of all
    elements), empty for the variable itself. A struct by value is `left` where what the function leaves in it is a result.
    `boxed`: a number of an object or module of Python that the function sets, as a list of one element.
    """

    parameter: str
    c_type: str
    access: str
    variable: Variable | None = None
    left: bool = False
    boxed: bool = False


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter: a scalar, or an array root of tensor type. `c_type` is the type as the source spells it.

    Of a KEY, `c_type` is "dict", and the result whether the key is there and the value, or "set", and it is whether it is there;
    of several results it names all, as `KeyedPart` has them.
    A struct of the source is one such parameter for each of its fields that the function uses. `layout` has the offsets in bytes
    of the parts of an array's elements that are structs in the source, and their size. `numpy`: an array or number of NumPy, not
    one of Python's own; `tensor`: such an array is a tensor of PyTorch. `default`: the number that it is where a call of a Python
    function does not give it. `into`: the array that a pointer of the source leads into, of which the number is the place.
    """

    var: Var
    kind: ParamKind
    c_type: str
    noalias: bool = False
    field: Field | None = None
    layout: tuple[int, ...] = ()
    numpy: bool = False
    tensor: bool = False
    default: bool | int | Fraction | None = None
    into: str = ""

    @property
    def embedded(self) -> bool:
        """Whether it is an array that lies in a struct of the source: no other argument can be made the same array."""
        if self.field is not None and self.field.boxed:
            return True
        inside = self.field is not None and ("*" not in self.c_type or ELEMENT in self.field.access)
        return inside and self.kind is ParamKind.POINTER and self.rank == 1

    @property
    def room(self) -> int | None:
        """How many elements there are where it is memory of a global variable itself; None elsewhere."""
        if self.field is None or self.field.variable is None or not self.embedded or "->" in self.field.access:
            return None
        if self.field.boxed:
            return 1
        return prod(int(count) for count in re.findall(r"\[(\d+)\]", self.c_type))

    @property
    def rank(self) -> int:
        """The number of axes, 0 of a scalar."""
        return self.var.type.rank if isinstance(self.var.type, TensorType) else 0


@hash_once
@dataclass(frozen=True, slots=True)
class Assign(Hashed):
    """An SSA definition; arrays in `value` are read as they are here."""

    target: Var
    value: Expr
    location: Location


@hash_once
@dataclass(frozen=True, slots=True)
class Store(Hashed):
    """A write of one element of an array."""

    array: Var
    indices: tuple[Expr, ...]
    value: Expr
    location: Location


class Ground(Enum):
    """Why a run goes on only where a condition holds."""

    PROMISE = "the source says that it holds, by an assert or a __builtin_assume, or refuses other arguments"
    DEFINED = "elsewhere the source throws, or its behaviour is undefined"
    RESTRICTION = "elsewhere the source is defined, and what it does there is not modelled"


@dataclass(frozen=True, slots=True)
class Assume:
    """A condition that is relied on from here on, `origin` in words. Execution goes on only where it holds."""

    cond: Expr
    origin: str
    location: Location
    ground: Ground = Ground.PROMISE


@dataclass(frozen=True, slots=True)
class Check:
    """What has to hold for the fragment to do what the source does: it is proved, never assumed."""

    cond: Expr
    message: str
    location: Location


@dataclass(frozen=True, slots=True)
class Undefined:
    """The value of a local variable that was not initialised; any value, and a result must not depend on it."""

    target: Var
    variable: str
    location: Location


Statement = Assign | Store | Assume | Check | Undefined


@hash_once
@dataclass(frozen=True, slots=True)
class Edge(Hashed):
    """Control passes to a block with values for its arguments."""

    block: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Jump:
    """Control always passes along one edge."""

    edge: Edge
    location: Location


@dataclass(frozen=True, slots=True)
class Branch:
    """Control passes along `then` where `cond` holds, otherwise along `other`."""

    cond: Expr
    then: Edge
    other: Edge
    location: Location


@dataclass(frozen=True, slots=True)
class Return:
    """The function returns; a vector result is a Build over the array's contents here."""

    value: Expr | None
    location: Location


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Control never comes here in a run without undefined behaviour."""

    location: Location


Terminator = Jump | Branch | Return | Unreachable


@hash_once
@dataclass(frozen=True, slots=True)
class Block(Hashed):
    """Straight-line code; `args` are its phi values."""

    label: str
    args: tuple[Var, ...]
    body: tuple[Statement, ...]
    end: Terminator

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges along which control can leave."""
        match self.end:
            case Jump(edge):
                return (edge,)
            case Branch(_, then, other):
                return (then, other)
            case Return() | Unreachable():
                return ()
            case _:
                assert_never(self.end)


def expressions(block: Block) -> Iterator[Expr]:
    """Every expression of a block."""
    for statement in block.body:
        match statement:
            case Assign(_, value):
                yield value
            case Store(_, indices, value):
                yield from (*indices, value)
            case Assume(cond=cond) | Check(cond=cond):
                yield cond
            case Undefined():
                pass
            case _:
                assert_never(statement)
    for edge in block.edges:
        yield from edge.args
    if isinstance(block.end, Branch):
        yield block.end.cond
    elif isinstance(block.end, Return) and block.end.value is not None:
        yield block.end.value


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something to tell a person: where, and in one sentence what was found, what is supported, what to do."""

    location: Location
    message: str


class PremiseKind(Enum):
    """What a premise of the front end is about."""

    MEMORY = "memory"  # which objects are apart from each other
    TYPES = "types"  # what types the parameters have that the source does not say
    VALUES = "values"  # which numbers occur
    CALLS = "calls"  # what calls that stay calls do
    NAMES = "names"  # what changes no name that the function uses
    RESULTS = "results"  # what counts as one
    OUTPUT = "output"  # what else than results it gives


@dataclass(frozen=True, slots=True)
class External:
    """A function whose calls stay calls: nothing is known of it but that its result depends on its arguments alone."""

    name: str  # as the source spells it
    params: tuple[ScalarType, ...]
    result: ScalarType

    @property
    def signature(self) -> str:
        """For people: activate(f32) -> f32."""
        return f"{self.name}({', '.join(map(show_type, self.params))}) -> {show_type(self.result)}"


@dataclass(frozen=True, slots=True)
class Premise:
    """Something that the front end relied on in making a fragment, in words."""

    text: str
    kind: PremiseKind


@dataclass(frozen=True, slots=True)
class KeyedPart:
    """One of the results where some are dictionaries or sets: "dict", "set", or "value", which is the same for every key.

    The items from `start` to before `stop` of the fragment's result say what it is at the key. As text, `dict:2` is a dictionary
    of which two items are the value at the key, and the one before them whether it has the key.
    """

    kind: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Form:
    """How the source's result is made of the values that its fragment gives, one after the other.

    Of a tuple `parts` are those of its items, of one value None. `optional`: it is None where the truth value in front does not
    hold, and then the values behind that are 0, "" and empty lists. `fields`: it is an object that has the parts by these names.
    """

    optional: bool = False
    parts: tuple[Form, ...] | None = None
    fields: tuple[str, ...] = ()

    def data(self) -> list[object]:
        """The form as JSON data, for the processes in which code runs."""
        return [self.optional, None if self.parts is None else [part.data() for part in self.parts], list(self.fields)]


@hash_once
@dataclass(frozen=True, slots=True)
class Fragment(Hashed):
    """One function; `blocks[0]` is the entry, has no arguments and no predecessors.

    `locals` are arrays that live only in the function (local vectors and arrays); they start empty. `source` is the text of
    the function as it stands in the file; `symbol` is its linker name. `premises` are what the front end relied on in
    making the fragment of the source, beyond the source's being free of undefined behaviour; `notes` tell what of the source
    has no meaning here. `form`: what the source returns, where that is not the result as its type says it. `gives`: the
    parameter that the source changes and returns, which is no result here. `unused`: the positions of the source's parameters
    that are none here, pointers of which it makes no use. `place`: the array into which a pointer leads that the source returns,
    and of which the result is the index, -1 of a null pointer. `layout`: where the items of the result begin in the struct that
    the source returns, in bytes, and how many it has. `definitions`: those in C of structs that the source's file only declares.
    """

    name: str
    params: tuple[Param, ...]
    result: Type | None
    locals: tuple[Var, ...]
    blocks: tuple[Block, ...]
    location: Location
    source: str
    symbol: str = ""
    premises: tuple[Premise, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    form: Form | None = None
    gives: str = ""
    unused: tuple[int, ...] = ()
    rooms: tuple[tuple[str, Expr], ...] = ()
    place: str = ""
    layout: tuple[int, ...] = ()
    definitions: tuple[str, ...] = ()

    @property
    def key(self) -> Param | None:
        """The parameter that is a key of the result, which is no argument; it is the last one."""
        last = self.params[-1] if self.params else None
        return last if last is not None and last.kind is ParamKind.KEY else None

    @property
    def arguments(self) -> tuple[Param, ...]:
        """The parameters that the source has."""
        return self.params if self.key is None else self.params[:-1]

    @property
    def keyed_parts(self) -> tuple[KeyedPart, ...]:
        """The results of a fragment that has a key."""
        assert self.key is not None
        count = len(self.result.items) if isinstance(self.result, TupleType) else 1
        if self.key.c_type in ("dict", "set"):
            return (KeyedPart(self.key.c_type, 0, count),)
        found: list[KeyedPart] = []
        for text in self.key.c_type.split():
            kind, _, values = text.partition(":")
            start = found[-1].stop if found else 0
            found.append(KeyedPart(kind, start, start + 1 + int(values or 0)))
        return tuple(found)

    def block(self, label: str) -> Block:
        """The block with that label."""
        return next(block for block in self.blocks if block.label == label)


class Unsupported(Exception):
    """The source uses something that is not modelled."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic
