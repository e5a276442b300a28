"""Targets of a driver: how a library or a language spells arrays, and what runs its code."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from metalift.driver.moves import Optimiser
from metalift.ir.arith.polynomial import widens
from metalift.ir.expr.nodes import Const, Expr, Lambda
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, REAL, MachineInt, RealType, ScalarType, Type
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.kernel import Kernel, Machine
from metalift.ir.program.summary import Summary, TargetProgram


@dataclass(frozen=True)
class Partial:
    """How one value of a collection is made of values of its parts, so that one pass over it makes several.

    Templates over the parameters of the operator that are no collections, in which `v` stands for an element, of a pair of
    collections `v` and `w`. Either `step` is an aggregate of the library, or it says what becomes of `acc`, which starts as
    `zero`, with one element more, and `merge` what becomes of the values `a` and `b` of two parts. `neutral` is what the
    operator's function gives for an element that might as well not be there; where that is not None, the value is one of a
    group, too. `nonempty`: it is only the operator's value if some element counts. `always` is the step where the operator's
    first function, which says which elements count, is true for all. `placed`: `place` in the step stands for the place of
    the element in its collection; `shown` is the value {x} of a group, where that is only part of what is kept. `joined` is
    "+", "and" or "or", where an element for which the operator's first function gives what this makes of two values might as
    well be two elements with one of the values each, for which other functions give the same.
    """

    step: str
    zero: str = ""
    merge: str = ""
    neutral: bool | int | None = None
    nonempty: bool = False
    always: str = ""
    placed: bool = False
    shown: str = ""
    joined: str = ""


@dataclass(frozen=True)
class Placed:
    """A collection {x}, or the pair of it and {y}, whose elements go with their places: `members` of them, and the `place`."""

    whole: str
    members: tuple[str, ...]
    place: str


@dataclass(frozen=True)
class Lookup:
    """How a library looks up, for each element of a collection, values of the groups of another one: templates.

    `whole` is the collection {x}, each element with what {groups} have at the key that the function {key} gives, or {absent}
    where they have nothing, in the order of {x}. Of such an {v}, `element` is the element alone, `found` what it goes with,
    called {name}, and `several` one of several values of that, at {at}; `elements` are the elements alone of such a collection
    {x}. `fixed` are the keys {x}, or groups {x} with columns, with a {value} that is the same for all, called {name}.
    """

    whole: str
    element: str
    found: str
    several: str
    elements: str
    fixed: str


@dataclass(frozen=True)
class Groups:
    """How a library groups the elements of a collection by a key, and what its dictionaries and sets are: templates over {x}.

    `by` computes values of each group, of those with {key}: by {parts} or by {zero}, {step} and {merge}, as `Layout.together`.
    `one` is such a value, of several the one at {at} or called {name}; `named` gives an aggregate its {name}. `having` keeps the
    groups for which {p} holds, `values` gives each the value {f}. `where` keeps elements, and `keys` has the keys of those left,
    `chosen` those of groups. `items` are Python's pairs of keys and values of a dictionary, `members` Python's list of a set's.
    `placed` is what is grouped where places count, by the number of collections. `both`, `either` and `without` are sets that are
    made of the sets {x} and {y}. `rows` are several rows for each element of {x}, with a key and values each, as {f} gives
    them; `by_rows` computes values of the groups of such rows, as `by`, and `distinct` is each row {x} once.
    `each` is the collection of a dictionary's values. `lookup` joins values of groups to the elements
    of another collection.
    """

    by: str
    several: str
    having: str
    values: str
    where: str
    keys: str
    chosen: str
    items: str
    members: str
    both: str
    either: str
    without: str
    rows: str
    by_rows: str
    distinct: str
    each: str
    named: str = ""
    placed: Mapping[int, Placed] = field(default_factory=dict)
    lookup: Lookup | None = None


@dataclass(frozen=True)
class Records:
    """How a library spells parts of records and of tuples, and tuples.

    `part` is the part {name} of the record {x}, `item` the part at {at}, called {name}, of a tuple; `whole` is the tuple of
    {parts}, each of which is a `member` {x}, called {name}; `made` is the record of {parts}, each of which is a `field`. `type`
    is the element type, as `Target.dtypes` has it, of records {of} something with {fields}, a list of pairs of a name and an
    element type. Where rows, which are dictionaries, are no records like others, `entry` is the part of one, and `row` the row
    of {parts}, each of which is a `pair`; {name} is a literal there.
    """

    part: str
    item: str
    whole: str
    member: str
    type: str
    made: str
    field: str
    entry: str = ""
    row: str = ""
    pair: str = ""


@dataclass(frozen=True)
class Tables:
    """Where arrays are tables, with their elements in the column `value`, and in `i` what orders these.

    `rows` is a function of the preamble, of an argument's name, the table that a caller has, and the element type: it makes such
    a table of it; with `ordered=True` it asks the caller for an order. The functions `ordered` of the preamble do more with the
    order than to hand it on. `renamed` is the table {x} whose columns have other {names}, a dictionary; `fields` the table that a
    caller gets for the records {x}.
    """

    rows: str
    ordered: tuple[str, ...]
    renamed: str
    fields: str


@dataclass(frozen=True)
class Layout:
    """How a Python tensor library spells what is not an operator: views of storage, copies, checks of arguments.

    Templates over {x} (a tensor), {shape} and {axes} ("(m, n)", "(1, 0)"), {axis}, {strides} and {offset} in elements, {value},
    {dtype}, {index} (an index, slice or tensor for each axis).
    """

    array_type: str  # the class of arrays: "np.ndarray"
    array: str  # nested lists {value} as an array of {dtype}
    clone: str
    reshape: str = ""  # contiguous storage in another shape, a view
    permute: str = ""
    stack: str = ""  # tensors {parts} of one shape along a new axis {axis}
    flip: str = ""  # reversal along {axis}; without it, by a slice with step -1
    expand: str = ""  # broadcast to {shape}, no copy
    strided: str = ""  # elements of {x} at {offset} + indices * {strides}, a view of {shape}
    full: str = ""  # {shape} filled with {value} of {dtype}, where {x} is
    longer: str = ""  # a vector with {size} more elements, 0, behind its own
    arange: str = ""  # 0, 1, ... below {value}, for indices, where {x} is
    scalar: str = ""  # a plain number {value} as a tensor without axes, of {dtype}
    narrow: str = ""  # a plain number {a} as one that is computed with as a float of 32 bits; without it, as one of Python's
    cast: str = ""  # {x} with elements of {dtype}
    to_real: str = ""  # integers {x} as reals of {dtype}, where there is no cast to integers that wraps as it should
    low_bits: str = ""  # the last {bits} of the integers {x}, fewer than they have, as a number that is not negative
    transpose: str = "{x}.T"  # of two axes
    flatten: str = "{x}.reshape(-1)"
    gather: str = "{x}[{index}]"  # the elements at index tensors that broadcast
    # {x} with {value} at {index}, where arrays cannot be changed: the generated function returns new ones. Of collections, which
    # have no indices, with the elements of {value} from {start} to before {stop}
    update: str = ""
    update_front: str = ""  # the same for the first {size} elements of a vector, where that is spelled in another way
    scatters_into_none: bool = True  # whether arrays without elements may be written at index tensors without any
    by_tensors: bool = False  # `gather` and `update` take one index tensor of the result's shape for each axis, no slices
    plain: str = "{x}.tolist()"  # nested lists of Python's numbers; a number of what has no axes
    size: str = "int({x})"  # an integer without axes as a plain number, as sizes have to be
    contiguous: str = ""  # whether {x} is contiguous, as `strided` needs it; without it, that is not checked
    shared: bool = True  # whether two arrays may lie in one memory: slices are views
    # The lowest address of elements of {x}, which has some, and the one behind the highest, a pair, whatever its strides; without
    # it, overlap is not checked
    bounds: str = ""
    address: str = ""  # that of the first element of {x}, for overlap
    strides: str = ""  # the strides of {x}, a tuple, for overlap
    step: str = "1"  # the stride of an {x} whose elements lie side by side
    tracing: str = ""  # true while a compiler traces the function: there addresses are not known
    immutable: bool = False  # whether nothing can change an array
    arranged: bool = False  # the code makes arrays of its own from those of which it does not know how many elements they have
    length: str = "len({x})"  # the number of elements
    part: str = ""  # elements from {start} to before {stop}, where arrays are collections that have no slices
    spaced: str = ""  # every {step}th of these
    at: str = ""  # the element at {place} of such a collection, None where there is none
    members: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # an element of a collection, those of a pair of them
    pair: str = ""  # the pair of the collections {x} and {y}, which ends where the shorter one does; operators on two are so too
    together: str = ""  # several values of {x} in one pass: by {parts}, which are aggregates, or by {zero}, {step} and {merge}
    groups: Groups | None = None  # dictionaries and sets
    records: Records | None = None  # tuples and records as elements and keys; strings are then elements and keys too
    count: Partial = Partial("")  # the number of elements as one of these values
    range: str = ""  # what is assumed where integers of 64 bits and more are computed, if the library has a limit
    columns: bool = False  # the parameters of functions that are passed on stand for columns of the library, not for numbers
    tables: Tables | None = None
    literal: str = ""  # a literal {value} as a column
    axes: int = 6  # that an array has at most
    lists: bool = False  # arrays are Python's lists, of lists where there are several axes, and their elements plain numbers
    wide: str = ""  # true where there are element types of 64 bits, if that is a setting; checked where they are used


@dataclass(frozen=True)
class Engine:
    """What runs a target's code in the tests: settings of a process that the generated file has none of.

    `version` is an expression over the target's imports that says the library and its version, `setup` are statements that come
    before anything else runs. `environment` are variables of the process, `memory` is the limit of its address space in bytes.
    `seconds` of CPU time are for one function, twice as much wall time. `shapes` is how many different shapes of arguments are
    tried, where the library compiles for each of them, `inputs` how many inputs, where each takes long. `served`: the library is
    started once, in a process that runs the code for all functions, but no sources, and has none of these limits. One of
    `overflow` is in the error that the library raises where an integer leaves its range: such inputs do not count. Nor do those
    with a huge number for which there is no memory for an array: then one of `no_memory` is in the error.
    `flushes`: it may give 0 for numbers below the least normal one. `reciprocals`: it divides by products with reciprocals, so
    that a quotient is rounded twice.
    `compiled` is a function {f} compiled by the library, if it does that; {numbers} are the names of parameters that are numbers.
    `wait` is what waits for an array {x} that is still being computed. `optional` are modules that the code uses where they are
    installed: code that names one is run with it and without.
    """

    version: str = "'Python ' + sys.version.partition(' ')[0]"
    setup: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    memory: int = 2 << 30
    seconds: int = 20
    shapes: int | None = None
    inputs: int | None = None
    served: bool = False
    overflow: tuple[str, ...] = ()
    no_memory: tuple[str, ...] = ("MemoryError",)
    flushes: bool = False
    reciprocals: bool = False
    compiled: str = ""
    wait: str = ""
    optional: tuple[str, ...] = ()

    def without(self, modules: Sequence[str]) -> Engine:
        """The same where these modules are not installed."""
        hidden = "".join(f"sys.modules[{each!r}] = None\n" for each in modules)
        return replace(self, setup=f"{hidden}{self.setup}", optional=())


class CannotWrite(Exception):
    """A target has no text for a program, or the program is beyond its limits; the message says which part, and why."""


class DriverFails(CannotWrite):
    """A driver's own function raised an error; the message says which, and where."""


@contextmanager
def of_the_target(what: str) -> Iterator[None]:
    """Whatever a driver's own function raises is a DriverFails; `what` names the function."""
    try:
        yield
    except Exception as problem:
        if type(problem).__module__.startswith("metalift."):  # what it says itself, or what it was told
            raise
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        place = f"{frame.filename}:{frame.lineno}"
        raise DriverFails(f"the target's {what} raises {type(problem).__name__}: {problem} ({place})") from problem


@dataclass(frozen=True, slots=True)
class Request:
    """What a target's own writer is given: the program, and what its text tells of it.

    `stated` are the assumptions in words, `formulas` those of them that are conditions on the parameters (None for others), and
    `pairs` those about two arrays in memory: their names, and whether they may be the same one if they do not overlap. `units`
    are the source's bodies of functions whose calls stay calls, where they are known. `thorough`: what has to be asked of all
    elements is to be checked, too.
    """

    fragment: Fragment
    summary: Summary
    program: TargetProgram
    stated: tuple[str, ...] = ()
    verdict: str = ""
    version: str = ""
    kernel: Kernel | None = None
    formulas: tuple[Expr | None, ...] = ()
    pairs: tuple[tuple[str, str, bool] | None, ...] = ()
    units: Mapping[str, Lambda] = field(default_factory=dict)
    thorough: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """What a text is: a kernel on tiles, or a program. `checks` are conditions without which it raises, in words; `assumes` what
    its meaning rests on beside what is always assumed.
    """

    what: Kernel | TargetProgram
    checks: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What a target's own writer gives: the text, and for each assumption of the request whether the text checks it."""

    text: str
    checked: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Kernels:
    """What a target of kernels makes of a program: definitions of the kernels, and the lines of the function that starts them.

    `results` are expressions for what is returned before the arrays; `parameters` are those that the function has after the
    source's, with their defaults.
    """

    definitions: str
    lines: tuple[str, ...]
    results: tuple[str, ...] = ()
    parameters: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Prices:
    """What the search adds to the costs of operators; None where the target has not got it.

    `view` is for each axis of a view, `turned` for a transpose beside that: where an operator takes the array as it lies, it is
    that one. Without views, arrays are read from their first element on. `fill` is an array with one value everywhere.
    """

    view: float | None = 0.01
    turned: float | None = 0.1
    fill: float | None = 0.3


@dataclass(frozen=True)
class Target:
    """One target language of a driver.

    `imports` maps a name that spellings may use ("np") to the statement that provides it; those that are used are emitted.
    `dtypes` names element types. `layout` is None where the target has no tensors. `preamble` is source text put before the
    function. `numbers` says whether its functions take plain Python numbers beside arrays; `stored` are element types that its
    arrays may have, but that it only copies and converts. `engine` says how its code is run. `literals` are the numbers that may
    stand in its code as arguments, by type: `{Int8: range(-128, 128)}`; of a type that is not named there are all.

    A target with a writer `write` gives the text of a whole program by it, or CannotWrite is raised; spellings are then for that
    writer to use. One whose code is not Python has a `language`, and the `suffix` of its files. `find` makes the program of a
    summary itself, instead of the search for a cover; it is proved as any other is. `runner` is the file of a Python module that
    runs such text: its `load(path, function)` gives a Python function with the generated function's calling convention. It is
    loaded by itself, in the process with limits. Without a runner the text is not executed. A runner that counts what the machine
    would spend has `costs(run, *args)` too: the results of a loaded function, and a table of numbers, which may be tables of
    numbers by their names; `metalift simulate` shows them. `keeps` says of a source's function
    which of its array parameters are storage of the target's own: only operators that hold their cells write these.

    A machine with small memories has a `lower`: it makes of the program in operators, which may be on tensors of any size, a
    kernel on tiles, or raises CannotWrite. The kernel is proved to compute the program within the limits that `machine` has for
    a source; `write` gets it. Its `optimiser` is what `metalift optimise` searches for faster kernels with.

    A target of kernels is started from Python. `tile` makes a program with tiles of one in the driver's operators; whatever it
    makes is proved, so nothing is believed of it. `kernels` gives the text of such a program: it is given a request and the name
    in the text of each parameter of the source. Both raise CannotWrite. Guards, checks of arrays and the rest of the function are
    written as for other targets.

    `loops`: loops of the source may stay loops in its code, around statements on arrays. `prices` are those of views and fills.
    """

    name: str
    imports: Mapping[str, str] = field(default_factory=dict)
    dtypes: Mapping[ScalarType, str] = field(default_factory=dict)
    layout: Layout | None = None
    preamble: str = ""
    numbers: bool = False
    stored: frozenset[ScalarType] = frozenset()
    language: str = "python"
    engine: Engine = field(default_factory=Engine)
    literals: Mapping[ScalarType, Container[object]] = field(default_factory=dict)
    suffix: str = ".py"
    write: Callable[[Request], str | Written] | None = None
    find: Callable[[Summary, Fragment], TargetProgram] | None = None
    runner: Path | None = None
    keeps: Callable[[Fragment], Collection[str]] | None = None
    lower: Callable[[Request], Kernel] | None = None
    machine: Callable[[Fragment], Machine] | None = None
    tile: Callable[[Request], TargetProgram] | None = None
    kernels: Callable[[Request, Mapping[str, str]], Kernels] | None = None
    optimiser: Optimiser | None = None
    reads: Callable[[str, str, Request], Read] | None = None
    loops: bool = False
    prices: Prices = Prices()

    def __post_init__(self) -> None:
        kinds = {"layout": Layout | None, "engine": Engine, "runner": Path | None, "imports": Mapping, "prices": Prices}
        for named, kind in kinds.items():
            if not isinstance(value := getattr(self, named), kind):
                raise TypeError(f"{named} of the target {self.name} is {value!r}; it has to be of the type {kind}")
        own = set(re.findall(r"^(?:class|def) (\w+)", self.preamble, re.MULTILINE))
        for named in ("array", "array_type") if self.layout is not None else ():
            if used := own.intersection(re.findall(r"\w+", getattr(self.layout, named))):
                wanted = "put it into a module that imports names: arrays are made in another process, too"
                raise TypeError(f"{named} of the target {self.name} has {min(used)}, which the preamble defines; {wanted}")
        for named in ("dtypes", "literals"):
            object.__setattr__(self, named, {self._element(key, named): value for key, value in getattr(self, named).items()})

    def _element(self, key: object, named: str) -> ScalarType:
        """The element type that a driver names as it does in meanings, as in `Int8`, `Double` or `Bool`."""
        known = BOOL if key is bool else getattr(key, "__metadata__", (key,))[0]
        if not isinstance(known, ScalarType):
            wanted = "keys are types of elements, such as Int8, Double or Bool"
            raise TypeError(f"{named} of the target {self.name} has the key {key!r}; {wanted}")
        return known

    @property
    def lists(self) -> bool:
        """Whether its arrays are Python's lists, so that all numbers are plain ones."""
        return self.layout is not None and self.layout.lists

    @property
    def executable(self) -> bool:
        """Whether its code can be run."""
        return self.language == "python" or self.runner is not None

    def has_literal(self, literal: Const) -> bool:
        """Whether the number may stand in the target's code."""
        return not isinstance(literal.type, ScalarType) or literal.value in self.literals.get(literal.type, (literal.value,))

    def holds_alike(self, source: Type, target: Type) -> bool:
        """Whether elements of both types have the same one in the target."""
        names = [self.dtypes[each] for each in (source, target) if isinstance(each, ScalarType) and each in self.dtypes]
        return len(names) == 2 and names[0] == names[1]

    def converts_nothing(self, source: Type, target: Type) -> bool:
        """Whether elements of one type are those of the other as they are."""
        reals = isinstance(source, RealType) and isinstance(target, RealType)
        return self.holds_alike(source, target) and (reals or widens(source, target))


_INTEGERS: dict[ScalarType, str] = {MachineInt(bits, signed): "int" for bits in (1, 8, 16, 32, 64) for signed in (True, False)}
LISTS = Target(  # plain Python: lists and numbers; a driver that adds imports or a preamble uses `replace(LISTS, ...)`
    "python",
    imports={"math": "import math"},
    dtypes={BOOL: "bool", INT: "int", **_INTEGERS, REAL: "float", FLOAT: "float", DOUBLE: "float"},
    layout=Layout(
        array_type="list",
        array="{value}",
        clone="{x}.copy()",
        flatten="[v for row in {x} for v in row]",
        plain="{x}",
        shared=False,
        lists=True,
    ),
    numbers=True,
)
