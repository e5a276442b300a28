"""What names stand for while a function is read: scalars are expressions, everything else is known when it is read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from metalift.frontend.python.sharing import Sharing
from metalift.ir.expr.nodes import FALSE, Const, Expr, Var, type_of
from metalift.ir.expr.types import BoolType, IntType, RealType, ScalarType, TensorType
from metalift.ir.interp.identities import of_parts, of_text, part_of

Scopes: TypeAlias = "tuple[tuple[str, frozenset[str]], ...]"
Indices: TypeAlias = "tuple[Expr, ...]"
PARAMETER = "parameter "  # begins the sites of lists that are parameters


@dataclass(eq=False, slots=True)
class ListObject:
    """A list or an array: one object of the running program, however many names it has.

    A local one has its length in the variable `length`, a parameter its own. `columns` has the extents of the axes below the
    first, where rows were added; `asked`: they were asked for before. A `numpy` array keeps its length. `site` tells it from
    others in each pass over the function. `in_order`: it was made in order, so one asks for the first so many, of which there
    may be fewer. `kind` is the type that Python has for it, empty where that
    is not known. `characters`: its elements are code points of characters.
    """

    site: str
    var: Var
    local: bool
    numpy: bool
    length: str = ""
    columns: Indices | None = None
    born: int = 0
    in_order: bool = False
    kind: str = "list"
    characters: bool = False
    asked: bool = False

    @property
    def name(self) -> str:
        """The name that it was made for, as the source has it."""
        return self.length.rpartition("#len_")[2] or self.var.name

    @property
    def element(self) -> ScalarType:
        """The type of its elements."""
        assert isinstance(self.var.type, TensorType)
        return self.var.type.element

    @property
    def rank(self) -> int:
        """The number of axes."""
        assert isinstance(self.var.type, TensorType)
        return self.var.type.rank


@dataclass(frozen=True, slots=True)
class View:
    """A list, or with `prefix` the row of it that these indices lead to."""

    object: ListObject
    prefix: Indices = ()

    @property
    def rank(self) -> int:
        """The axes that are left."""
        return self.object.rank - len(self.prefix)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a section: the index k is start + k * step along the axis `place` of the array; `extent` indices."""

    place: int
    start: Expr
    step: Expr
    extent: Expr


@dataclass(frozen=True, slots=True)
class Section:
    """A part of an array of NumPy that shares its elements, as slices, transposition and new axes make it.

    `fixed` has an index for each axis of the array that is no axis of the section; an axis that is None was put in, and has
    length 1.
    """

    object: ListObject
    fixed: tuple[Expr | None, ...]
    axes: tuple[Axis | None, ...]

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.axes)


@dataclass(frozen=True, slots=True)
class Lies:
    """Where the elements of an array are that strides make of a vector: `place` is the index in it; none is there twice where
    `apart` holds.
    """

    section: Section
    place: Callable[[Indices], Expr]
    apart: Expr


@dataclass(frozen=True, slots=True)
class Whole:
    """The array that an expression makes, not yet computed: `at` gives the element at indices, without any statement.

    `extents` are its lengths, `element` its dtype, `reads` the sections whose elements it is computed from, index by index where
    they have its shape. `chosen`: it has the elements at which that holds only, in one axis. `shares`: the array that has the
    same elements in another shape, which NumPy shares where it can; `in_order`: an array of which it has the elements in order;
    `lies`: where they are, of one that can be stored into.
    """

    extents: tuple[Expr, ...]
    element: ScalarType
    at: Callable[[Indices], Expr]
    reads: tuple[Section, ...] = ()
    chosen: Callable[[Indices], Expr] | None = None
    shares: ListObject | None = None
    in_order: Whole | None = None
    lies: Lies | None = None

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.extents)


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple whose items are known one by one."""

    items: tuple[Value, ...]


def items_of(value: Expr) -> Items | None:
    """The items of a tuple that is an element of a list, or a key; None of what is none."""
    type_ = type_of(value)
    if not isinstance(type_, IntType) or type_.of != "tuple":
        return None
    return Items(tuple(part_of(value, position) for position in range(len(type_.fields))))


NO_NONE = "supported is None in place of a number, a string or a tuple of these; use an empty list, or a second name"


@dataclass(frozen=True, slots=True)
class NoneValue:
    """None."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value where `present`, a truth value, holds, and None elsewhere, where `value` is what `nothing` gives."""

    present: Expr
    value: Value


def nothing(like: Value) -> Value:
    """What stands for the value of a `Maybe` that is None: 0, False, the empty string, or a tuple of these."""
    match like:
        case Items(items):
            return Items(tuple(map(nothing, items)))
        case Maybe(_, value):
            return Maybe(FALSE, nothing(value))
        case _ if isinstance(like, Expr) and isinstance(type_ := type_of(like), ScalarType):
            return Const(_none(type_), type_)
        case _:
            return like


def _none(type_: ScalarType) -> bool | int | Fraction:
    match type_:
        case BoolType():
            return False
        case RealType():
            return Fraction(0)
        case IntType("str"):
            return of_text("")
        case IntType(fields=fields) if fields:
            return of_parts([_none(part) for _, part in fields])
        case _:
            return 0


@dataclass(frozen=True, slots=True)
class Iteration:
    """A counter that runs from `start` by `step` as long as it is below `stop` (above, for negative steps).

    `item` gives the value at a counter; `view` is the list whose elements these are, as far as they are read late. `once`: an
    iterator, which is at its end after it was run over.
    """

    start: Expr
    stop: Expr
    step: int
    item: Callable[[Expr], Value]
    views: tuple[View, ...] = ()
    once: bool = False


@dataclass(frozen=True, slots=True)
class Char:
    """A character of a string, as its code point."""

    code: Expr


@dataclass(frozen=True, slots=True)
class Function:
    """A function that is a value: a lambda, one that is defined in another, or one of the file.

    `outer`: where its free names are looked up, as the prefixes of names in functions around it, with the names that these bind.
    """

    definition: ast.FunctionDef
    outer: Scopes = ()


@dataclass(frozen=True, slots=True)
class Partial:
    """A name that is not bound on every path to here: `key` says where the paths meet."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Clash:
    """A name that is bound to one list or another here; `none`: or to None, or something else.

    `key` says where the paths meet, `why` what keeps it from having a list of its own there.
    """

    name: str
    none: bool = False
    key: str = ""
    why: str = ""

    @property
    def text(self) -> str:
        """What is wrong with that, for people."""
        if self.none:
            return f"is None on one path and something else on another; {NO_NONE}"
        why = f", {self.why}" if self.why else ""
        return (
            f"stands for different lists here, depending on the path or the round of the loop{why}; "
            "supported are whole lists of one type, whose rows have one length; fill one list, or copy elements in a loop"
        )


Value: TypeAlias = (
    "Expr | View | Section | Whole | Items | NoneValue | Maybe | Iteration | Function | Char | Partial | Clash"
)
Array: TypeAlias = "View | Section | Whole"
Env: TypeAlias = "dict[str, Value]"


class Again(Exception):
    """The function has to be read again with what has been found out."""


@dataclass(slots=True)
class Known:
    """What earlier passes found out: types of values where paths meet and of lists, names used where they may be unbound, ..."""

    types: dict[str, ScalarType] = field(default_factory=dict)
    needed: set[str] = field(default_factory=set)
    clashes: set[str] = field(default_factory=set)
    merged: dict[str, str] = field(default_factory=dict)  # names that get lists of their own, or why they cannot
    sharing: dict[str, Sharing] = field(default_factory=dict)  # of loops, what is so in some round
    unbounded: set[str] = field(default_factory=set)
    ranks: dict[str, int] = field(default_factory=dict)
    carried: set[str] = field(default_factory=set)  # names that a loop sets although its text does not show it
    keys: dict[str, ScalarType] = field(default_factory=dict)  # the key of dictionaries, where no annotation gives its type
    characters: set[str] = field(default_factory=set)  # parameters that are one character, and sites of lists of characters
    maybe: set[str] = field(default_factory=set)  # names that are None in some round of a loop, and something else in another
    mixed: set[str] = field(default_factory=set)  # sites of lists that are not of one type of Python
    widths: dict[str, int] = field(default_factory=dict)  # of tuples that a name stands for where it is not None
    naturals: set[str] = field(default_factory=set)  # int parameters that have to be 0 or more
    either_lists: set[Expr] = field(default_factory=set)  # lists that hold numbers of Python and of NumPy
    either_names: set[str] = field(default_factory=set)  # names that loops give numbers of both
    turns: dict[str, int] = field(default_factory=dict)  # of loops that exchange lists, rounds after which all are back


def plain(name: str) -> str:
    """The name as it stands in the source, for names of values: without what marks hidden names and parts."""
    return name.split("\0")[0].split(":")[-1].lstrip("# ") or "t"


def names_in(target: ast.expr) -> Iterator[str]:
    """The names that an assignment to a target binds."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
