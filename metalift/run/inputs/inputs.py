"""Concrete inputs of a fragment on which it runs without undefined behaviour: small ones first, then random and hostile ones.

How many elements a pointer parameter needs is found by running the fragment on an array without ends, whose cells are made up
when they are first read. Everything is a function of the fragment and the seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from math import prod
from typing import cast

from metalift.ir.expr.nodes import Expr, Var
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import free_names, read_by
from metalift.ir.interp.execute import Argument
from metalift.ir.interp.execute import Contents as FinalContents
from metalift.ir.interp.identities import content
from metalift.ir.interp.interpret import (
    Array,
    AssumeViolated,
    CheckViolated,
    LimitExceeded,
    Outcome,
    Shared,
    SourceUndefined,
    Tensor,
    Unbounded,
    Undef,
    Value,
    evaluate,
    run,
)
from metalift.ir.interp.values import all_indices
from metalift.ir.program.fragment import Fragment, ParamKind
from metalift.run.inputs.attempts import LONGEST, LONGEST_VECTOR, MOST_CELLS, Attempt, Attempts, attempt_of
from metalift.run.inputs.concrete import Contents, Grid, Scalar, cells_of, contents_of, nested, shape_of, texts_of
from metalift.run.inputs.directed import Directed
from metalift.run.inputs.element_counts import endless, fails, is_about_cells
from metalift.run.inputs.roles import loop_exits, roles_of
from metalift.run.inputs.trails import trails_of

_STEPS = 20_000
_SHORT = 600  # steps of a run that is not long
_LONG = 20_000  # steps that long runs may take together
_FIXED = 250_000  # both of these where sizes that the source fixes make every run long
_CUT = 4  # runs that were cut off before there was a short one, after which that is so
_FEW = 8  # elements up to which the same input is likely to come again
_STRAIGHT = 10  # times as many runs where there are no loops
_IN_VAIN = 8  # attempts for one run, above which most are in vain
_UNDEFINED = 250_000  # steps of undefined runs, after which there is no valid input if there was none until then
_FRUITLESS = 600  # attempts in a row without a valid input, after which there is none


@dataclass(frozen=True, slots=True)
class Input:
    """Values by parameter, in the parameters' order; `shared` names arrays that are given the buffer of another one."""

    values: tuple[tuple[str, Scalar | Contents], ...]
    shared: tuple[tuple[str, str], ...] = ()

    def env(self) -> dict[str, Value]:
        """The value of each parameter, for evaluating expressions."""
        env: dict[str, Value] = {name: as_argument(value) for name, value in self.values}
        env.update((name, env[owner]) for name, owner in self.shared)
        return env

    def arguments(self) -> dict[str, Argument]:
        """The value of each parameter, for running a fragment: shared arrays are one object."""
        return {**self.env(), **{name: Shared(owner) for name, owner in self.shared}}

    @property
    def cells(self) -> int:
        """The number of elements of all arrays."""
        return sum(len(cells_of(value)) for _, value in self.values if isinstance(value, tuple | Grid))

    def text(self) -> str:
        """For people: `n=2, x=[1.0, -3.0]`."""
        parts = [f"{name}={show_value(value)}" for name, value in self.values]
        return ", ".join([*parts, *(f"{name} is the same array as {owner}" for name, owner in self.shared)])


@dataclass(frozen=True, slots=True)
class Run:
    """A valid input with what the source does on it.

    `final` has the contents of each array parameter, of the input's shape: a list, or a Tensor of several axes.
    """

    input: Input
    outcome: Outcome
    final: Mapping[str, Value]


def inputs(
    fragment: Fragment,
    assumptions: Sequence[Expr] = (),
    *,
    seed: int = 0,
    shared: Mapping[str, str] | None = None,
    extents: Mapping[str, Sequence[Expr]] | None = None,
    padded: bool = False,
    steps: int = _STEPS,
    seeds: Sequence[Mapping[str, Scalar | Contents]] = (),
    enough: int | None = None,
) -> Iterator[Run]:
    """Valid runs without end, or until no more inputs are found: small and random ones in turn, no small input twice.

    Array parameters have exactly the elements that the run touches, or as many as `extents` says along each axis where that is
    more. `shared`: array parameters that are given the buffer of an earlier one. A run that takes more than `steps` is not used,
    and few long ones are, unless there are only such. `padded`: some arrays have a few elements more. `seeds`: values of the
    parameters that are tried first. Once there are `enough`, it ends where most attempts are in vain.
    """
    roles = roles_of(fragment, assumptions)
    aliases = dict(shared or {})
    maker = _Maker(fragment, roles.sizes, tuple(assumptions), aliases, dict(extents or {}), padded)
    if maker.always_too_long():
        return
    attempts = Attempts(fragment, roles, random.Random(seed), aliases)
    seen: set[Input] = set()
    fruitless, cut, long, undefined, never = 0, 0, _LONG, 0, True
    yielded = 0
    short_ones = fixed = False
    directed = Directed(fragment, texts_of(roles.constants), aliases, partial(maker.trace, limit=min(steps, _SHORT)))
    tries = directed.among(chain((attempt_of(fragment, values) for values in seeds), attempts.all()))
    for number, attempt in enumerate(tries):
        if enough is not None and enough <= yielded < number / _IN_VAIN:
            return
        hostile = maker.is_hostile(attempt)
        limit = min(steps, _SHORT + (0 if hostile else max(0, long)))
        found, spent, lost = maker.attempt(attempt, limit)
        undefined += lost
        long -= max(0, spent - _SHORT)
        cut += found is None and spent == limit and not hostile
        short_ones = short_ones or (found is not None and spent <= _SHORT)
        if cut == _CUT and not short_ones and not fixed:
            fixed, steps, long = True, max(steps, _FIXED), _FIXED
        if found is None or (found.input.cells <= _FEW and found.input in seen):
            fruitless += 1
            over = (fixed and long <= 0 and not short_ones) or (never and undefined > _UNDEFINED)
            if fruitless > _FRUITLESS or over:
                return
            continue
        fruitless, never = 0, False
        if found.input.cells <= _FEW:
            seen.add(found.input)
        directed.note(attempt_of(fragment, dict(found.input.values)), found.outcome.trace)
        yielded += 1
        yield found


def runs(
    fragment: Fragment,
    assumptions: Sequence[Expr] = (),
    *,
    seed: int = 0,
    count: int = 40,
    tried: int = 120,
    extents: Mapping[str, Sequence[Expr]] | None = None,
    seeds: Sequence[Mapping[str, Scalar | Contents]] = (),
) -> list[Run]:
    """The telling ones of some valid runs."""
    return telling(fragment, valid(fragment, assumptions, seed=seed, tried=tried, extents=extents, seeds=seeds), count)


def valid(
    fragment: Fragment,
    assumptions: Sequence[Expr] = (),
    *,
    seed: int = 0,
    tried: int = 120,
    extents: Mapping[str, Sequence[Expr]] | None = None,
    seeds: Sequence[Mapping[str, Scalar | Contents]] = (),
) -> list[Run]:
    """So many valid runs; where nothing is repeated, runs are quick: there are many more, for one on each path, where they are
    found quickly.
    """
    most = _STRAIGHT * tried if _straight(fragment) else tried
    return list(islice(inputs(fragment, assumptions, seed=seed, extents=extents, seeds=seeds, enough=tried), most))


def telling(fragment: Fragment, found: Sequence[Run], count: int = 40) -> list[Run]:
    """Those that differ in what they do: each takes an edge, or a number of times through a block, that none did before; and all
    that take a way which none did.

    Sizes 0, 1, 2 and more than 16 are among them where the source permits these; all paths, where nothing is repeated.
    """
    straight, trails = _straight(fragment), trails_of(fragment)
    kept: list[Run] = []
    seen: set[object] = set()
    taken: set[int] = set()
    for each in found:
        news = ({each.outcome.trace} if straight else _features(each)) - seen
        ways = trails.taken(each.outcome.trace)
        if (news and (straight or len(kept) < count)) or not ways <= taken:
            kept.append(each)
            seen |= news
            taken |= ways
    return kept


def _straight(fragment: Fragment) -> bool:
    """Whether there are branches and no loops."""
    return not any(loop_exits(fragment)) and len(fragment.blocks) > 1


def _features(found: Run) -> set[object]:
    counts = {(label, _class_of(number - 1)) for label, number in found.outcome.blocks.items()}
    sizes = {(name, _class_of(value)) for name, value in found.input.values if isinstance(value, int)}
    arrays = [(name, shape_of(value)) for name, value in found.input.values if isinstance(value, tuple | Grid)]
    lengths = {(name, axis, _class_of(extent)) for name, shape in arrays for axis, extent in enumerate(shape)}
    return {*counts, *sizes, *lengths, *found.outcome.edges}


def _class_of(number: int) -> int:
    """-1: negative, 0, 1, 2, 3: up to 16, 17: more."""
    return max(-1, number) if number < 3 else 3 if number < 17 else 17


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes valid inputs of attempts."""

    fragment: Fragment
    sizes: frozenset[Var]
    assumptions: tuple[Expr, ...]
    shared: Mapping[str, str]
    extents: Mapping[str, Sequence[Expr]]
    padded: bool
    about_cells: tuple[Expr, ...] = field(init=False)  # assumptions that are about what is in arrays, not about their lengths
    rooms: Mapping[str, int] = field(init=False)  # how many elements there are at most, where the source says so

    def __post_init__(self) -> None:
        """What can be asked before a run."""
        object.__setattr__(self, "rooms", {each.var.name: each.room for each in self.fragment.params if each.room is not None})
        object.__setattr__(self, "about_cells", tuple(each for each in self.assumptions if is_about_cells(each)))

    def is_hostile(self, attempt: Attempt) -> bool:
        """Whether a size is negative or huge, which is of use only if it does not make the run long."""
        return any(not 0 <= attempt.scalars[size.name] <= LONGEST for size in self.sizes)

    def always_too_long(self) -> bool:
        """Whether an array has more elements than any input here, whatever the arguments are."""
        pointers = [param.var for param in self.fragment.params if param.kind is ParamKind.POINTER]
        return any(prod(self._stated(var.name, axis, {}) or 1 for axis in range(_rank(var))) > LONGEST for var in pointers)

    def attempt(self, attempt: Attempt, limit: int) -> tuple[Run | None, int, int]:
        """The run on these scalars and cells, None where it is not defined, too long, or not as assumed; its steps; and those
        that it took until it was undefined.
        """
        scalars = dict(attempt.scalars)
        early = [formula for formula in self.assumptions if free_names(formula) <= scalars.keys()]
        if not satisfies(scalars, early):
            return None, 0, 0
        attempt = self._long_enough(attempt)
        if not self.is_hostile(attempt) and self._refused(attempt, limit):
            return None, 0, 0
        args: dict[str, Value | Unbounded | Shared] = dict(scalars)
        for name, (shape, cells) in attempt.arrays.items():
            args[name] = Unbounded(cells) if shape is None else as_argument(contents_of(shape, cells.at))
        args.update((name, Shared(owner)) for name, owner in self.shared.items())
        try:
            outcome = run(self.fragment, args, max_steps=limit)
        except LimitExceeded:
            return None, limit, 0
        except SourceUndefined as problem:
            return None, 0, problem.steps
        except (AssumeViolated, CheckViolated):
            return None, 0, 0
        return self._exact(attempt, outcome), outcome.steps, 0

    def trace(self, attempt: Attempt, limit: int) -> tuple[str, ...] | None:
        """The blocks of the run; None where it is not valid."""
        found, _, _ = self.attempt(attempt, limit)
        return None if found is None else found.outcome.trace

    def _refused(self, attempt: Attempt, limit: int) -> bool:
        """Whether the cells of pointers are not as assumed, as far as that is known before a run says how many there are."""
        if not self.about_cells:
            return False
        env: dict[str, Value] = dict(attempt.scalars)
        for param in self.fragment.params:
            shape, cells = attempt.arrays.get(param.var.name, ((), None))
            if shape is None and cells is not None:
                env[param.var.name] = endless(param.var, cells)
        return any(fails(formula, env, limit) for formula in self.about_cells if free_names(formula) <= env.keys())

    def _long_enough(self, attempt: Attempt) -> Attempt:
        """The attempt with vectors of at least as many elements as `extents` says, as far as these are not too many."""
        shapes = {name: shape for name, (shape, _) in attempt.arrays.items() if shape is not None}
        known = {**attempt.scalars, **{name: Tensor(shape, []) for name, shape in shapes.items()}}
        for name in shapes.keys() & self.extents.keys():
            stated = tuple(max(extent, self._stated(name, axis, known)) for axis, extent in enumerate(shapes[name]))
            if max(stated) <= LONGEST_VECTOR and prod(stated) <= MOST_CELLS:
                shapes[name] = stated
        arrays = {name: (shapes.get(name, shape), cells) for name, (shape, cells) in attempt.arrays.items()}
        return replace(attempt, arrays=arrays)

    def _exact(self, attempt: Attempt, outcome: Outcome) -> Run | None:
        """The run with arrays of exactly the elements that were touched."""
        contents: dict[str, Contents] = {}
        for name, (shape, cells) in attempt.arrays.items():
            needed = self._needed(name, attempt.scalars, outcome) if shape is None else shape
            if needed is None or prod(needed) > min(LONGEST, self.rooms.get(name, LONGEST)):
                return None
            if shape is None and self.padded and name not in self.rooms:
                needed = tuple(extent + attempt.more for extent in needed)
            contents[name] = contents_of(needed, cells.at)
        given = [
            (param.var.name, attempt.scalars.get(param.var.name, contents.get(param.var.name))) for param in self.fragment.params
        ]
        found = Input(tuple((name, value) for name, value in given if value is not None), tuple(self.shared.items()))
        env = found.env()
        if not satisfies(env, self.assumptions):
            return None
        final = {name: _final(outcome.arrays[name], env[name]) for name in outcome.arrays}
        return Run(found, outcome, final)

    def _needed(self, name: str, scalars: Mapping[str, Scalar], outcome: Outcome) -> tuple[int, ...] | None:
        """The elements needed along each axis, through any name of the buffer; None where an index is negative or huge."""
        names = [name, *(other for other, owner in self.shared.items() if owner == name)]
        axes = range(len(outcome.touched[name].axes))
        found = [self._needed_along(axis, names, scalars, outcome) for axis in axes]
        known = tuple(extent for extent in found if extent is not None)
        return known if len(known) == len(found) else None

    def _needed_along(self, axis: int, names: Sequence[str], scalars: Mapping[str, Scalar], outcome: Outcome) -> int | None:
        extent = 0
        for alias in names:
            stated = self._stated(alias, axis, scalars)
            touched = outcome.touched[alias].axes[axis]
            spans = [span for span in (touched.read, touched.written) if span is not None]
            if any(span[0] < 0 or span[1] >= LONGEST for span in spans) or stated > LONGEST:
                return None
            extent = max(extent, stated, *(span[1] + 1 for span in spans))
        return extent

    def _stated(self, name: str, axis: int, known: Mapping[str, Value]) -> int:
        """The number of elements according to `extents`, where it follows from scalars and lengths that are known."""
        shape = self.extents.get(name)
        if shape is None or not free_names(shape[axis]) <= known.keys():
            return 0
        if any(isinstance(var.type, TensorType) for var in read_by(shape[axis])):
            return 0
        try:
            extent = evaluate(shape[axis], known)
        except SourceUndefined:
            return 0
        return extent if isinstance(extent, int) else 0


def _rank(var: Var) -> int:
    return var.type.rank if isinstance(var.type, TensorType) else 0


def satisfies(env: Mapping[str, Value], assumptions: Sequence[Expr]) -> bool:
    """Whether all assumptions hold for the values of the parameters."""
    return all(_holds(formula, env) for formula in assumptions)


def _holds(formula: Expr, env: Mapping[str, Value]) -> bool:
    """Whether an assumption holds; quantifiers run over what can be an index of the arrays and a little more."""
    numbers = [value for value in env.values() if isinstance(value, int)]
    lengths = [len(value) for value in env.values() if isinstance(value, list)]
    lengths += [extent for value in env.values() if isinstance(value, Tensor) for extent in value.shape]
    top = min(40, max([*numbers, *lengths], default=0) + 2)
    try:
        return bool(evaluate(formula, env, domain=lambda binder: range(-1, top), limit=200_000))
    except (SourceUndefined, LimitExceeded):
        return False


def _final(contents: FinalContents, initial: Value) -> Value:
    """The contents after the run; a cell that the run never saw is as it was."""
    if not isinstance(contents, dict):
        return contents
    if isinstance(initial, Tensor):
        cells = zip(all_indices(initial.shape), initial.cells, strict=True)
        return Tensor(initial.shape, [contents.get(index, value) for index, value in cells])
    assert isinstance(initial, list)
    return [contents.get(index, value) for index, value in enumerate(initial)]


def as_argument(given: Scalar | Contents) -> Value:
    """An argument for the interpreter."""
    match given:
        case Grid(shape, cells):
            return Tensor(shape, list(cells))
        case tuple():
            return list(given)
        case _:
            return given


def show_value(value: Value | Contents) -> str:
    """A value for people: reals as short decimals that name the same double, long arrays cut in the middle."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() if (meant := content(value)) is not None:
            return repr(meant) if isinstance(meant, str) else f"({', '.join(map(show_value, meant))})"
        case int() | Undef():
            return str(value)
        case Grid(shape, cells):
            return show_value(cast(Value, nested(shape, cells)))
        case Tensor():
            return show_value(cast(Value, nested(value.shape, value.cells)))
        case Array():
            return "an array"
        case list() | tuple():
            shown = [show_value(item) for item in value]
            if len(shown) > 12:
                shown = [*shown[:6], "...", *shown[-3:]]
            return f"[{', '.join(shown)}]"
        case _:
            return repr(float(value))
