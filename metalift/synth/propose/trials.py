"""Inputs on which answers are tried: former counterexamples, a few small ones before a proof, many where a proof fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice

from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.types import BoolType, RealType, TensorType, Type
from metalift.ir.interp.interpret import Value
from metalift.ir.program.fragment import Fragment, ParamKind
from metalift.ir.program.summary import Summary, TargetProgram
from metalift.run.compare.falsify import Counterexample, compare
from metalift.run.inputs.concrete import Contents, Scalar
from metalift.run.inputs.inputs import Run, inputs
from metalift.synth.propose.requirements import holds

FEW = 12  # generated inputs before a proof, where few of the sample can be used
ENOUGH = 6  # usable inputs of the sample, for which none are generated before a proof
STEPS = 2_000  # of the source that runs of the sample, longer ones, and generated ones may take together before a proof
MANY = 300  # generated inputs in all
MANY_STEPS = 8_000  # as STEPS, of the sample where a proof fails
SHORT = 4  # elements of an input that can be read at a glance


@dataclass
class Trials:
    """The inputs of one function; what is generated is kept for the next answer."""

    fragment: Fragment
    given: tuple[Expr, ...]
    shapes: Mapping[str, Sequence[Expr]]
    sample: Sequence[Run]
    counterexamples: list[Run] = field(default_factory=list)
    generated: list[Run] = field(default_factory=list)
    _source: Iterator[Run] | None = None
    _usable: Sequence[Run] | None = None
    _longer: Sequence[Run] | None = None

    def refuted(
        self, candidate: Summary | TargetProgram, *, thoroughly: bool = False, fragment: Fragment | None = None
    ) -> Counterexample | None:
        """An input on which the candidate is not what the source computes, the shortest of those found; `fragment`: the source's
        with arrays that only the candidate has.
        """
        runs = self.many() if thoroughly else self.few()
        best: Counterexample | None = None
        for run in runs:
            if best is not None and run.input.cells >= best.input.cells:
                continue
            env = run.input.env()
            if all(holds(cond, env) for cond in candidate.requires):
                best = compare(fragment or self.fragment, candidate, run) or best
            if best is not None and best.input.cells <= SHORT:
                break
        if best is not None and best.run not in self.counterexamples:
            self.counterexamples.append(best.run)
        return best

    def few(self) -> Iterable[Run]:
        """Counterexamples, the quicker part of the sample, and the same with longer arrays behind pointers."""
        yield from list(self.counterexamples)
        yield from quickest(self.usable(), STEPS)
        yield from quickest(self.longer(), STEPS)
        if len(self.usable()) < ENOUGH:
            yield from quickest(self._generated(0, FEW), STEPS)

    def many(self) -> Iterable[Run]:
        """The sample, apart from runs that are very long, and all that is generated."""
        yield from quickest(self.usable(), MANY_STEPS)
        yield from self._generated(0, MANY)

    def usable(self) -> Sequence[Run]:
        """The part of the sample that satisfies what is given: there, arrays are as long as the summary says."""
        if self._usable is None:
            self._usable = [run for run in self.sample if self._satisfied(run.input.env())]
        return self._usable

    def longer(self) -> Sequence[Run]:
        """The usable part of the sample with two elements more behind each pointer, which the source does not touch."""
        if self._longer is None:
            params = [param for param in self.fragment.params if param.kind is ParamKind.POINTER]
            more = {param.var.name: added(param.var.type) for param in params}
            made = [lengthened(run, more) for run in self.usable()]
            self._longer = [run for run in made if run is not None and self._satisfied(run.input.env())]
        return self._longer

    def _satisfied(self, env: Mapping[str, Value]) -> bool:
        return all(holds(cond, env) for cond in self.given)

    def _generated(self, first: int, last: int) -> Iterator[Run]:
        if self._source is None:
            self._source = inputs(self.fragment, self.given, extents=self.shapes, padded=True)
        for at in range(first, last):
            if at == len(self.generated):
                self.generated.extend(islice(self._source, 1))
            if at == len(self.generated):
                return
            yield self.generated[at]


def lengthened(run: Run, more: Mapping[str, tuple[Scalar, ...]]) -> Run | None:
    """The run with more elements at the end of arrays with one axis; None where there is no such array.

    The source touches none of them, so it does what it did.
    """
    final = dict(run.final)
    values: list[tuple[str, Scalar | Contents]] = []
    for name, value in run.input.values:
        contents = final.get(name)
        if name in more and isinstance(value, tuple) and isinstance(contents, list):
            value, final[name] = (*value, *more[name]), [*contents, *more[name]]
        values.append((name, value))
    changed = replace(run.input, values=tuple(values))
    return None if changed == run.input or run.input.shared else Run(changed, run.outcome, final)


def added(type_: Type) -> tuple[Scalar, Scalar]:
    """Two elements of an array of that type; they change sums, products, the least and the greatest."""
    match type_:
        case TensorType(BoolType()):
            return True, False
        case TensorType(RealType()):
            return Fraction(75, 2), Fraction(-11)
        case _:
            return 7, 101


def quickest(runs: Iterable[Run], steps: int) -> Iterator[Run]:
    """The runs that take fewest steps of the source, as many as take so many together; one at least."""
    spent = 0
    for run in sorted(runs, key=lambda run: (run.outcome.steps, run.input.cells)):
        if spent and spent + run.outcome.steps > steps:
            return
        spent += run.outcome.steps
        yield run
