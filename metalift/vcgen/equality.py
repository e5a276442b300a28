"""Obligations that two summaries over the same parameters are equal: every result, every cell of every array.

Both are proved to be what their programs compute; what either requires is known here, and part of the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from metalift.ir.arith.intervals import interval, type_range
from metalift.ir.expr.build import conj, conjuncts, equal, forall, implies, in_range
from metalift.ir.expr.nodes import TRUE, Apply, Build, Expr, Length, MakeTuple, Operator, Select, Var, type_of
from metalift.ir.expr.types import MachineInt, TensorType, Type
from metalift.ir.expr.walk import substitute
from metalift.ir.program.fragment import Diagnostic, Fragment
from metalift.ir.program.summary import Summary
from metalift.vcgen.arrays import Layer, distinct_cells, frame_fact, layers, written_facts
from metalift.vcgen.by_definition import by_definition
from metalift.vcgen.correspondence import compared, fits
from metalift.vcgen.coupling import couplings
from metalift.vcgen.erasure import erased
from metalift.vcgen.inlining import Inlining
from metalift.vcgen.obligation import Goal, Obligation, ObligationError
from metalift.vcgen.quotients import quotients
from metalift.vcgen.same_results import NoElements, same
from metalift.vcgen.specification import Specification

CONTENTS, RESULTS = "equal contents of ", "equal results"


@dataclass(slots=True)
class EqualityGenerator:
    """Generates the obligations. `known` holds wherever both programs are defined, `assumed` is part of the answer.

    `in_range`: the second program's values are, where they are stored.
    """

    fragment: Fragment
    first: Summary
    second: Summary
    known: tuple[Expr, ...]
    assumed: tuple[Expr, ...]
    in_range: tuple[Expr, ...] = ()
    one: Specification = field(init=False)
    other: Specification = field(init=False)

    def __post_init__(self) -> None:
        """The second summary's names are none of the first one's: `Correspondence` gives them marks."""
        self.one = Specification(self.first, {})
        self.other = Specification(self.second, {})

    def obligations(self) -> Iterator[Obligation]:
        """All of them."""
        distinct = [Goal("cells are distinct", fact) for fact in self.other.distinctness]
        distinct += [Goal("values and shapes are as they are said", self.other.resolved(fact)) for fact in self.in_range]
        for name in self.written():
            distinct += self.well_defined(name)
        if distinct:
            yield self.made("the second program's arrays are well defined", self.definitions, distinct)
        for name in self.written():
            yield self.array(name)
        if self.one.result is not None or self.other.result is not None:
            yield self.made(RESULTS, self.definitions, self.result())

    def by_parts(self, name: str) -> Iterator[tuple[Obligation, list[Obligation]]]:
        """What the obligation of that name says, part by part: as it stands, and ways to prove it: by induction on folds, and of
        real numbers as quotients.
        """
        known = self.definitions
        inlining = Inlining({**self.one.filled(), **self.other.filled()}, self.same_lengths())
        array = name.removeprefix(CONTENTS)
        for goal in self.result() if name == RESULTS else self.cell_by_cell(array) if array != name else ():
            formula = by_definition(erased(goal.formula, {}))
            ways = [*filter(None, [quotients(Goal(goal.subject, formula))]), *couplings(formula)]
            inlined = by_definition(erased(inlining.of(goal.formula), {}))
            if inlined != formula:
                ways.insert(0, [Goal(goal.subject, inlined)])
            yield self.made(name, known, [goal]), [self.made(name, known, way) for way in ways]

    def same_lengths(self) -> dict[Expr, Expr]:
        """The lengths that are others by what is assumed."""
        same: dict[Expr, Expr] = {}
        for part in (part for formula in self.assumed for part in conjuncts(formula)):
            match part:
                case Apply(Operator.EQ, (Length() as left, Length() as right)):
                    one, other = (same.get(each, each) for each in (left, right))
                    if one != other:
                        same = {each: one if of == other else of for each, of in same.items()} | {other: one}
        return same

    def cell_by_cell(self, name: str) -> list[Goal]:
        """That both programs write the same values to the same cells of an array, one after the other; none where this is not
        to be seen.
        """
        towers = [layers(each.output(self.param(name)))[1] for each in (self.other, self.one)]
        if len(towers[0]) != len(towers[1]):
            return []
        goals = []
        for mine, wanted in zip(*(map(_plain, tower) for tower in towers), strict=True):
            if len(mine.binders) != len(wanted.binders):
                return []
            names: dict[Var, Expr] = dict(zip(mine.binders, wanted.binders, strict=True))
            own = substitute(MakeTuple((mine.value, mine.domain, *mine.indices)), names)
            assert isinstance(own, MakeTuple)
            value, domain, *indices = own.items
            same_cells = conj(*(equal(one, two) for one, two in zip(indices, wanted.indices, strict=True)))
            goals += [
                Goal(f"cells of {name}", forall(wanted.binders, conj(equal(domain, wanted.domain), implies(domain, same_cells)))),
                Goal(f"{name} written", forall(wanted.binders, implies(wanted.domain, equal(value, wanted.value)))),
            ]
        return goals

    def in_machine_range(self) -> Iterator[Expr]:
        """That what the first program stores and returns is in the range of its type, which it is in every run."""
        for name, term in self.one.outputs.items():
            array = None if name == "return" else self.param(name)
            _, tower = layers(term if array is None else self.one.output(array))
            for layer in tower if array is not None else ():
                assert array is not None and isinstance(array.type, TensorType)
                yield from _ranged(layer.binders, layer.domain, layer.value, array.type.element)
            if array is None:
                yield from _returned(term)

    @property
    def definitions(self) -> tuple[Expr, ...]:
        """What the versions of arrays hold that terms read."""
        return (*self.one.definitions, *self.other.definitions)

    def written(self) -> list[str]:
        """Arrays that either program writes."""
        names = [name for each in (self.one, self.other) for name in each.outputs if name != "return"]
        return list(dict.fromkeys(names))

    def param(self, name: str) -> Var:
        """The array of that name."""
        return next(param.var for param in self.fragment.params if param.var.name == name)

    def well_defined(self, name: str) -> Iterator[Goal]:
        """That each cell gets one value."""
        _, tower = layers(self.other.output(self.param(name)))
        for layer in tower:
            if (fact := distinct_cells(layer)) != TRUE:
                yield Goal(f"cells of {name} are distinct", fact)

    def array(self, name: str) -> Obligation:
        """The final contents of an array."""
        array = self.param(name)
        assert isinstance(array.type, TensorType)
        rank = array.type.rank
        base, tower = layers(self.other.output(array))
        wanted_base, wanted = layers(self.one.output(array))
        if base != array or wanted_base != array:
            raise ObligationError(Diagnostic(self.fragment.location, f"a summary of {name} does not start from its contents"))
        out = Var(f"{name}!out", array.type)

        def read(cell: tuple[Expr, ...]) -> Expr:
            return Select(out, cell)

        defined = (*written_facts(read, tower), frame_fact(read, array, tower, rank))
        goals = [Goal(f"{name} written", fact) for fact in written_facts(read, wanted)]
        goals.append(Goal(f"{name} elsewhere", frame_fact(read, array, wanted, rank)))
        return self.made(f"{CONTENTS}{name}", (*self.definitions, *defined), goals)

    def result(self) -> list[Goal]:
        """The returned value."""
        first, second = self.one.result, self.other.result
        if first is None or second is None:
            where = Diagnostic(self.fragment.location, "one program returns something and the other does not")
            raise ObligationError(where)
        try:
            return same(compared(second), compared(first), "shape")
        except NoElements as problem:
            raise ObligationError(Diagnostic(self.fragment.location, f"in a result, {problem}")) from None

    def made(self, name: str, known: tuple[Expr, ...], goals: list[Goal]) -> Obligation:
        """An obligation over mathematical integers."""
        facts = [*map(self.one.resolved, self.first.facts), *map(self.other.resolved, self.second.facts)]
        facts += self.in_machine_range()
        return Obligation(
            name,
            self.fragment.location,
            tuple(by_definition(erased(formula, {})) for formula in (*self.known, *facts, *known)),
            tuple(by_definition(erased(formula, {})) for formula in self.assumed),
            tuple(Goal(goal.subject, by_definition(erased(goal.formula, {}))) for goal in goals),
        )


def _plain(layer: Layer) -> Layer:
    return layer.renamed("!c")


def _ranged(binders: tuple[Var, ...], domain: Expr, value: Expr, type_: Type) -> Iterator[Expr]:
    """That a value is in the range of a machine type, as an exact integer, where its operators do not say so."""
    if isinstance(type_, MachineInt) and type_of(value) == type_ and not interval(erased(value, {})).within(type_range(type_)):
        yield forall(binders, implies(domain, fits(value, type_)))


def _returned(term: Expr) -> Iterator[Expr]:
    match term:
        case MakeTuple(items):
            for item in items:
                yield from _returned(item)
        case Build(extents, binders, body):
            inside = conj(*(in_range(at, extent) for at, extent in zip(binders, extents, strict=True)))
            yield from _ranged(binders, inside, body, type_of(body))
        case _ if not isinstance(type_of(term), TensorType):
            yield from _ranged((), TRUE, term, type_of(term))
