"""Looking for a concrete input on which a candidate differs from the source, both run by the interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, islice
from typing import assert_never

from metalift.ir.expr.nodes import Build, Expr, Select, Update, Var, type_of
from metalift.ir.expr.types import TensorType
from metalift.ir.interp.functions import to_mpf
from metalift.ir.interp.interpret import Array, LimitExceeded, SourceUndefined, Value, evaluate, evaluate_if_defined
from metalift.ir.interp.values import Memory, Tensor, all_indices, tensor_of, touched_of
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Binding, Summary, TargetProgram, Write
from metalift.run.inputs.concrete import Contents, Scalar, same_shape
from metalift.run.inputs.inputs import Input, Run, inputs, show_value

RETURN = "return"  # the name of the result among the outputs

# Irrational values have 120 bits; what is lost to cancellation stays below this.
_TOLERANCE = 2.0**-70
_SHORT = 4  # elements of an input that can be read at a glance
_READABLE = 60
_LIMIT = 400_000  # steps of one evaluation of a candidate


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input on which the candidate is not what the source computes. `output` is "return" or an array parameter.

    `undefined`: the candidate has no value there, for instance because it reads outside of an array.
    """

    run: Run
    output: str
    source: str
    candidate: str
    undefined: bool = False

    @property
    def input(self) -> Input:
        """The input."""
        return self.run.input

    def text(self) -> str:
        """One line for people: `n=2, x=[1.0, -3.0]: source 9.0, candidate 7.0`."""
        where = "" if self.output == RETURN else f"{self.output}: "
        return f"{self.input.text()}: {where}source {self.source}, candidate {self.candidate}"


def falsify(
    fragment: Fragment,
    candidate: Summary | TargetProgram,
    assumptions: Sequence[Expr] = (),
    *,
    summary: Summary | None = None,
    shared: Mapping[str, str] | None = None,
    tried: int = 300,
    seed: int = 0,
    first: Sequence[Run] = (),
    seeds: Sequence[Mapping[str, Scalar | Contents]] = (),
    readable: int = _READABLE,
) -> Counterexample | None:
    """A counterexample among `first` and `tried` more inputs that satisfy the assumptions, a short one if possible; or None.
    `readable`: inputs that are tried to find a shorter one than the first found.

    A TargetProgram must have no Calls of a driver's operators. `summary`: its bindings may be used by the program's expressions.
    Inputs satisfy the candidate's `requires`, too. `seeds`: values of parameters to try first.
    `shared`: array parameters that are given the buffer of an earlier one.
    """
    conditions = (*assumptions, *candidate.requires)
    stated = candidate if isinstance(candidate, Summary) else summary
    extents = stated.shapes if stated else None
    generated = inputs(fragment, conditions, seed=seed, shared=shared, extents=extents, padded=True, seeds=seeds)
    best: Counterexample | None = None
    left = len(first) + tried
    for found in islice(chain(first, generated), left):
        left -= 1
        if best is not None and left <= 0:
            break
        if best is None or found.input.cells < best.input.cells:
            difference = compare(fragment, candidate, found, summary)
            if difference is not None:
                best, left = difference, min(left, readable if difference.input.cells > _SHORT else 0)
    return best


def compare(
    fragment: Fragment, candidate: Summary | TargetProgram, found: Run, summary: Summary | None = None
) -> Counterexample | None:
    """The first difference between the candidate and the source on one input, or None."""
    try:
        outputs = _outputs(fragment, candidate, found, summary)
    except SourceUndefined as error:
        if error.too_large:
            return None
        name, expected = next(iter(_expected(found).items()))
        return Counterexample(found, name, show_value(expected), f"is undefined ({error.reason})", undefined=True)
    except LimitExceeded:
        return None
    return difference(found, outputs)


def exactly(fragment: Fragment, candidate: Summary, found: Run) -> tuple[dict[str, Value], dict[str, Value]] | None:
    """What the source and the candidate give over real numbers, by output; None where the candidate has no value."""
    try:
        return _expected(found), _outputs(fragment, candidate, found, None)
    except (SourceUndefined, LimitExceeded):
        return None


def difference(found: Run, outputs: Mapping[str, Value]) -> Counterexample | None:
    """The first difference between a run of the source and the result and arrays that something else makes of its input."""
    for name, expected in _expected(found).items():
        computed = outputs.get(name)
        if computed is None:
            computed = found.input.env().get(name)
        place = _difference(expected, computed)
        if place is not None:
            return Counterexample(found, name, *_shown(expected, computed, place))
    return None


def _expected(found: Run) -> dict[str, Value]:
    """The result and the final contents of every array parameter."""
    expected: dict[str, Value] = dict(found.final)
    if found.outcome.result is not None:
        expected = {RETURN: found.outcome.result, **expected}
    return expected


def _outputs(fragment: Fragment, candidate: Summary | TargetProgram, found: Run, summary: Summary | None) -> dict[str, Value]:
    """What the candidate says about the result and the arrays it writes."""
    env: dict[str, Value] = {var.name: empty_array(var) for var in fragment.locals} | found.input.env()
    match candidate:
        case Summary(_, bindings, outputs):
            _bind(bindings, env)
            results = {name: evaluate(value, env, limit=_LIMIT) for name, value in outputs}
        case TargetProgram():
            if summary is not None:
                _bind(summary.bindings, env)
            results = _run_program(candidate, env)
        case _:
            assert_never(candidate)
    for name, owner in found.input.shared:
        _spread(results, name, owner)
    return results


def _spread(results: dict[str, Value], name: str, owner: str) -> None:
    """What is written to one of two names of a buffer is seen through both."""
    written = results.get(name, results.get(owner))
    if written is not None:
        results[name] = results[owner] = written


def _bind(bindings: Sequence[Binding], env: dict[str, Value]) -> None:
    for binding in bindings:
        env[binding.var.name] = evaluate_if_defined(binding.value, env, limit=_LIMIT)


def _run_program(program: TargetProgram, env: dict[str, Value]) -> dict[str, Value]:
    """All values first, from the arrays' contents at entry; then the writes, in order."""
    _bind([Binding(let.var, let.value) for let in program.lets], env)
    values = [evaluate(write.value, env, limit=_LIMIT) for write in program.writes]
    results: dict[str, Value] = {}
    if program.result is not None:
        results[RETURN] = evaluate(program.result, env, limit=_LIMIT)
    for write, value in zip(program.writes, values, strict=True):
        name = write.array.name
        results[name] = _overwritten(write, value, {**env, name: results.get(name, env[name])})
    return results


def _overwritten(write: Write, value: Value, env: Mapping[str, Value]) -> Value:
    """The array's contents after the write."""
    window = write.window
    assert isinstance(window, Build) and isinstance(window.body, Select), "a window is a Build of elements of the array"
    written = Var("%written", type_of(write.value))
    cell = Select(written, window.binders)
    update = Update(write.array, window.binders, window.extents, window.body.indices, cell, write.guard)
    return evaluate(update, {**env, written.name: value}, limit=_LIMIT)


def empty_array(var: Var) -> Array:
    """A local array before anything is written to it."""
    assert isinstance(var.type, TensorType)
    return Array(var.name, Memory({}), touched=touched_of(var.type.rank))


def _difference(expected: Value, computed: Value) -> tuple[int, ...] | None:
    """Where two values differ first: an index, empty for scalars and for shapes; None where there is no difference."""
    if isinstance(expected, tuple):
        items = computed if isinstance(computed, tuple) and len(computed) == len(expected) else ()
        places = [_difference(one, other) for one, other in zip(expected, items, strict=False)]
        return () if not items else next(((at, *place) for at, place in enumerate(places) if place is not None), None)
    one, other = as_tensor(expected), as_tensor(computed)
    if one is None:
        return None if other is None and same(expected, computed) else ()
    if other is None or not same_shape(one.shape, other.shape):
        return ()
    if not one.cells:
        return None
    cells = zip(all_indices(one.shape), one.cells, other.cells, strict=True)
    return next((index for index, left, right in cells if not same(left, right)), None)


def as_tensor(value: Value) -> Tensor | None:
    """An array as a tensor."""
    if isinstance(value, list):
        rank = 1
        row: Value = value
        while isinstance(row, list) and row and isinstance(row[0], list):
            rank, row = rank + 1, row[0]
        return tensor_of(value, rank)
    return value if isinstance(value, Tensor) else None


def same(left: Value, right: Value) -> bool:
    """Whether two scalars are the same number: exactly for rationals, to more than 20 digits otherwise."""
    if isinstance(left, bool | int | Fraction) and isinstance(right, bool | int | Fraction):
        return left == right
    a, b = to_mpf(left), to_mpf(right)
    return bool(abs(a - b) <= _TOLERANCE * (1 + abs(a) + abs(b)))


def _shown(expected: Value, computed: Value, place: tuple[int, ...]) -> tuple[str, str]:
    """Both values for people; of long lists the element that differs."""
    one, other = as_tensor(expected), as_tensor(computed)
    if one is None or other is None or not place or len(one.cells) <= 4:
        return show_value(expected), show_value(computed)
    where = ", ".join(map(str, place))
    return f"{show_value(one.at(place))} at [{where}]", f"{show_value(other.at(place))} there"
