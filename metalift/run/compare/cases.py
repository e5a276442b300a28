"""The cases of a differential test: exact and longer buffers, shared ones, and what the generated code has to refuse."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from itertools import chain, islice, repeat
from typing import TypeVar

from metalift.ir.expr.floats import has_floats
from metalift.ir.expr.nodes import Expr, Var
from metalift.ir.expr.types import MachineInt, TensorType
from metalift.ir.expr.walk import free_names
from metalift.ir.interp.interpret import (
    AssumeViolated,
    CheckViolated,
    LimitExceeded,
    Outcome,
    SourceUndefined,
    Value,
    evaluate,
    run,
)
from metalift.ir.interp.values import all_indices
from metalift.ir.program.fragment import Fragment, Param, ParamKind
from metalift.run.compare.lost import computed_early
from metalift.run.compare.precision import SourceReals
from metalift.run.inputs.attempts import element_type
from metalift.run.inputs.concrete import Contents, Grid, Scalar, Values, cells_of, contents_of, plain, shape_of
from metalift.run.inputs.inputs import Run, as_argument, inputs, satisfies
from metalift.run.inputs.trails import trails_of

T = TypeVar("T")

WANTED = 200  # valid inputs of a differential test
_DRAWN = 2  # as many runs at most for each that is wanted: in others the source leaves what is assumed
_SHARED = 25  # inputs for each way of sharing buffers
_LONGER = 60  # inputs that are repeated with longer buffers
_FEW = 4  # of these, where an engine takes few inputs
_REFUSED = 6  # inputs for each reason to refuse
_GUARD = 1_000  # steps of one evaluation of a formula that inputs are to violate
_TRIED = 20  # inputs that are tried before nothing violates it
_UNUSUAL = (-1, 0, 1, 2, 3, 5, 7, -(2**31), 2**31 - 1, 255, 256)


class Expect(Enum):
    """What a case is for."""

    VALUES = "values"  # source, interpreter and generated code agree
    UNTOUCHED = "untouched"  # the generated code does the same on longer buffers, and leaves their further elements alone
    REFUSAL = "refusal"  # the generated code raises


@dataclass(frozen=True, slots=True)
class Reference:
    """A valid run with what the source's float arithmetic makes of it; `rounded` is None where there are no reals.

    `divided`: it has quotients of reals.
    """

    run: Run
    rounded: Outcome | None
    largest: Mapping[int, float] = field(default_factory=dict)
    ambiguous: bool = False
    divided: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """`args` as the worker gets them; `passed`: arrays with more elements than the source needs; `why` it must be refused."""

    reference: Reference
    expect: Expect
    args: tuple[object, ...]
    passed: Mapping[str, Contents] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True, slots=True)
class Refusals:
    """What the generated code checks: formulas over the parameters, lengths (`extents`: of an array, along an axis), and pairs
    of arrays in memory.
    """

    formulas: tuple[Expr, ...] = ()
    extents: tuple[tuple[str, int, Expr], ...] = ()
    disjoint: tuple[tuple[str, str], ...] = ()
    same_or_disjoint: tuple[tuple[str, str], ...] = ()


def references(
    fragment: Fragment,
    assumptions: Sequence[Expr] = (),
    *,
    extents: Mapping[str, Sequence[Expr]] | None = None,
    shared: Iterable[tuple[str, str]] = (),
    wanted: int = WANTED,
    seed: int = 1,
    first: Sequence[Run] = (),
) -> list[Reference]:
    """Valid runs for a differential test: `first` some that are known, as far as they are as assumed.

    `shared`: pairs of array parameters that may be the same array.

    A parameter that the source declares `restrict` is never given the array of another one: that would be undefined.
    """
    known = {each.input: each for each in first if satisfies(each.input.env(), assumptions)}
    more = (each for each in inputs(fragment, assumptions, seed=seed, extents=extents) if each.input not in known)
    found: Iterator[Run] = islice(chain(known.values(), more), _DRAWN * wanted)
    made = list(_references(fragment, found, wanted))
    order = [param.var.name for param in fragment.params]
    for pair in shared:
        owner, other = sorted(pair, key=order.index)
        if any(param.noalias for param in fragment.params if param.var.name in pair):
            continue
        found = islice(inputs(fragment, assumptions, seed=seed, extents=extents, shared={other: owner}), _DRAWN * _SHARED)
        made += _references(fragment, found, _SHARED)
    return made


def _references(fragment: Fragment, found: Iterable[Run], wanted: int) -> Iterator[Reference]:
    """The first runs in which the source does not leave what is assumed."""
    rounds = has_floats(fragment)
    made = (_reference(fragment, each, rounds) for each in found)
    return islice((reference for reference in made if reference is not None), wanted)


def _reference(fragment: Fragment, found: Run, rounds: bool) -> Reference | None:
    """The run with its bounds, if the source `rounds` anything; None where it leaves what is assumed.

    A float that overflows and one that is no number are such even where nothing uses them: generated code may stop at them.
    """
    if not found.outcome.lost <= computed_early(fragment):
        return None
    if not rounds:
        return Reference(found, None)
    reals = SourceReals()
    try:
        rounded = run(fragment, found.input.arguments(), reals=reals)
    except (SourceUndefined, AssumeViolated, CheckViolated, LimitExceeded):
        return None
    if not rounded.lost <= computed_early(fragment):
        return None
    return Reference(found, rounded, reals.largest, reals.ambiguous, reals.divided)


def with_reciprocals(fragment: Fragment, reference: Reference) -> Reference:
    """The same run with the bounds of a machine that divides by products with reciprocals."""
    if not reference.divided:
        return reference
    reals = SourceReals(reciprocals=True)
    rounded = run(fragment, reference.run.input.arguments(), reals=reals)
    return replace(reference, rounded=rounded, largest=reals.largest, ambiguous=reals.ambiguous)


def cases(
    fragment: Fragment,
    found: Sequence[Reference],
    refusals: Refusals | None = None,
    shapes: int | None = None,
    wanted: int | None = None,
) -> Iterator[Case]:
    """The cases for the references, those with few elements first: they make the clearer counterexamples.

    Without `refusals`, as there is no generated code, only those with exact buffers. `shapes` is how many different shapes of all
    arrays there may be at most, and as many again of longer ones; `wanted` how many valid inputs, and a few for each other
    purpose.
    """
    maker = _Maker(fragment.params, random.Random(2), varied=shapes is None)
    found = sorted(found, key=lambda reference: reference.run.input.cells)
    found = found if shapes is None else of_few_shapes(found, shapes)
    found = found if wanted is None else few_of(fragment, found, wanted)
    longer, refused = (_LONGER, _REFUSED) if wanted is None else (_FEW, 1)
    for reference in found:
        yield Case(reference, Expect.VALUES, maker.args(reference))
    if refusals is None:
        return
    yield from islice(maker.longer(found, refusals.formulas), longer)
    alone = [reference for reference in found if not reference.run.input.shared]
    for name, axis, extent in refusals.extents:
        yield from islice(maker.shorter(alone, name, axis, extent), refused)
    for formula in refusals.formulas:
        yield from islice(maker.violating(alone, formula), refused)
    for pair in refusals.disjoint:
        yield from islice(maker.overlapping(alone, pair, 0), refused)
    for pair in (*refusals.disjoint, *refusals.same_or_disjoint):
        yield from islice(maker.overlapping(alone, pair, 1), refused)


@dataclass(frozen=True, slots=True)
class _Maker:
    params: tuple[Param, ...]
    rng: random.Random
    varied: bool = True  # whether longer arrays have another number of further elements each time

    def args(self, reference: Reference, changed: Mapping[str, object] | None = None) -> tuple[object, ...]:
        """The arguments in order, some of them changed."""
        values = dict(reference.run.input.values)
        shared = dict(reference.run.input.shared)
        names = [param.var.name for param in self.params]
        args: list[object] = []
        for name in names:
            if changed is not None and name in changed:
                args.append(changed[name])
            elif name in shared:
                args.append({"same": names.index(shared[name])})
            else:
                args.append(plain(values[name]))
        return tuple(args)

    def longer(self, found: Sequence[Reference], assumed: Sequence[Expr]) -> Iterator[Case]:
        """Each pointer with a few more elements than the source needs, along each axis; not those arrays of which what is assumed
        does not hold then, as of one whose length says how many rows there are.
        """
        values = Values(self.rng, (), frozenset())
        pointers = {param.var.name for param in self.params if param.kind is ParamKind.POINTER}
        about = [formula for formula in assumed if not pointers.isdisjoint(free_names(formula))]
        for reference in reversed(found):  # the last ones are the largest
            passed: dict[str, Contents] = {}
            for param in self.params:
                contents = dict(reference.run.input.values).get(param.var.name)
                if param.kind is ParamKind.POINTER and isinstance(contents, tuple | Grid):
                    shape = tuple(extent + more for extent, more in zip(shape_of(contents), self._more(param), strict=False))
                    passed[param.var.name] = enlarged(contents, shape, partial(values.scalar, element_type(param)))
            env = reference.run.input.env() | {name: as_argument(contents) for name, contents in passed.items()} if about else {}
            for formula in about:
                if _fails(formula, env):
                    passed = {name: contents for name, contents in passed.items() if name not in free_names(formula)}
            if not passed:
                continue
            changed = {name: plain(contents) for name, contents in passed.items()}
            passed.update((name, passed[owner]) for name, owner in reference.run.input.shared)
            yield Case(reference, Expect.UNTOUCHED, self.args(reference, changed), passed)

    def _more(self, param: Param) -> Iterator[int]:
        """How many elements more an array has, along each axis."""
        rng = self.rng if self.varied else random.Random(param.var.name)
        while True:
            yield rng.randint(1, 4)

    def shorter(self, found: Sequence[Reference], name: str, axis: int, extent: Expr) -> Iterator[Case]:
        """The named array with one element too few along the axis; not where the extent itself depends on the array."""
        if name in free_names(extent):
            return
        for reference in found:
            contents = dict(reference.run.input.values)[name]
            needed = evaluate(extent, reference.run.input.env())
            if isinstance(contents, tuple | Grid) and isinstance(needed, int) and 0 < needed <= shape_of(contents)[axis]:
                shape = tuple(needed - 1 if at == axis else size for at, size in enumerate(shape_of(contents)))
                args = self.args(reference, {name: plain(part(contents, shape))})
                yield Case(reference, Expect.REFUSAL, args, why=f"{name} is one element too short")

    def violating(self, found: Sequence[Reference], formula: Expr) -> Iterator[Case]:
        """One scalar changed so that the formula does not hold."""
        scalars = [param.var for param in self.params if not isinstance(param.var.type, TensorType)]
        changeable = [var for var in scalars if var.name in free_names(formula)]
        for reference in evenly(found, _TRIED):
            for var in changeable:
                env = reference.run.input.env()
                unusual = (value for value in self.rng.sample(_UNUSUAL, len(_UNUSUAL)) if _is_value(value, var))
                value = next((value for value in unusual if _fails(formula, {**env, var.name: value})), None)
                if value is not None:
                    args = self.args(reference, {var.name: value})
                    yield Case(reference, Expect.REFUSAL, args, why=f"with {var.name}={value} it is not as assumed")

    def overlapping(self, found: Sequence[Reference], pair: tuple[str, str], offset: int) -> Iterator[Case]:
        """The second array of the pair begins at an element, or a row, of the first."""
        names = [param.var.name for param in self.params]
        first, second = sorted(pair, key=names.index)
        for reference in found:
            values = dict(reference.run.input.values)
            contents, other = values[first], values[second]
            assert isinstance(contents, tuple | Grid) and isinstance(other, tuple | Grid)
            one, two = shape_of(contents), shape_of(other)
            if len(one) == len(two) and min(one[0], two[0]) > offset and min(*one, *two) > 0:
                rows = max(one[0], two[0] + offset)
                shape = (rows, *(max(sizes) for sizes in zip(one[1:], two[1:], strict=True)))
                base = enlarged(contents, shape, partial(next, repeat(cells_of(contents)[0])))
                view = {"same": names.index(first), "offset": offset}
                args = self.args(reference, {first: plain(base), second: view})
                where = f"begins at element {offset} of" if offset else "is the same array as"
                yield Case(reference, Expect.REFUSAL, args, why=f"{second} {where} {first}")


def of_few_shapes(found: Sequence[Reference], count: int) -> list[Reference]:
    """The references with one of `count` shapes, chosen evenly from the first to the last."""
    shapes = [_shapes(reference) for reference in found]
    chosen = {shapes[at * (len(found) - 1) // max(count - 1, 1)] for at in range(count)} if found else set()
    return [reference for reference, shape in zip(found, shapes, strict=True) if shape in chosen]


def few_of(fragment: Fragment, found: Sequence[Reference], count: int) -> list[Reference]:
    """That many of the references at most: some that take as many ways through the fragment as they can, and others evenly."""
    if len(found) <= count:
        return list(found)
    chosen = covering(fragment, [reference.run.outcome.trace for reference in found], count * 2 // 3)
    others = evenly([at for at in range(len(found)) if at not in chosen], count - len(chosen))
    return [found[at] for at in sorted((*chosen, *others))]


def evenly(found: Sequence[T], count: int) -> list[T]:
    """That many of the references at most, chosen evenly from the first to the last."""
    if len(found) <= count:
        return list(found)
    return [found[at * (len(found) - 1) // max(count - 1, 1)] for at in range(count)]


def _shapes(reference: Reference) -> tuple[tuple[int, ...], ...]:
    """The shapes of all arrays, those that share a buffer too."""
    values = dict(reference.run.input.values)
    values.update((name, values[owner]) for name, owner in reference.run.input.shared)
    arrays = ((name, value) for name, value in sorted(values.items()) if isinstance(value, tuple | Grid))
    return tuple(shape_of(value) for _, value in arrays)


def enlarged(contents: Contents, shape: tuple[int, ...], more: Callable[[], Scalar]) -> Contents:
    """The array with further elements."""
    known = dict(zip(all_indices(shape_of(contents)), cells_of(contents), strict=True))
    return contents_of(shape, lambda index: known[index] if index in known else more())


def part(contents: Contents, shape: tuple[int, ...]) -> Contents:
    """The first elements along each axis."""
    known = dict(zip(all_indices(shape_of(contents)), cells_of(contents), strict=True))
    return contents_of(shape, known.__getitem__)


def _is_value(value: int, var: Var) -> bool:
    return not isinstance(var.type, MachineInt) or var.type.low <= value <= var.type.high


def _fails(formula: Expr, env: Mapping[str, Value]) -> bool:
    try:
        return not evaluate(formula, env, limit=_GUARD)
    except (SourceUndefined, ValueError, LimitExceeded):
        return False


def covering(fragment: Fragment, traces: Sequence[Sequence[str]], most: int) -> list[int]:
    """Which runs, `most` at most, to keep so that all ways that some run takes are taken: by number, the most telling first."""
    trails = trails_of(fragment)
    taken = [trails.taken(trace) for trace in traces]
    missing = set[int]().union(*taken)
    chosen: list[int] = []
    while missing and len(chosen) < most:
        best = max(range(len(taken)), key=lambda at: (len(taken[at] & missing), -at))
        chosen.append(best)
        missing -= taken[best]
    return chosen
