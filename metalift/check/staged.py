"""What has to be proved of a function with loops that stay: of each part, and of what goes from part to part.

Each part is a fragment with a summary, proved like a function. What its summary and its target's operators require is a
condition on the function's parameters, and stated once for the whole, or it is proved of every iteration. So is that no part
touches more of an array than the whole is said to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metalift.check.assumptions import Origin, Stated, formulas, of_source, written_arrays
from metalift.check.claims import claimed, with_target
from metalift.check.ranges import number_conditions
from metalift.driver import Driver
from metalift.ir.expr.build import at_most, conjuncts, disj
from metalift.ir.expr.nodes import (
    FALSE,
    Apply,
    Build,
    Exists,
    Expr,
    Filter,
    Fold,
    Forall,
    Ite,
    Lambda,
    Length,
    Operator,
    Select,
    integer,
)
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.expr.walk import children, free_vars, read_by, replaced
from metalift.ir.program.assumption import Assumption
from metalift.ir.program.fragment import Diagnostic, Fragment, Store
from metalift.ir.program.summary import StagedProgram, StagedSummary, Summary, TargetProgram
from metalift.ir.text import in_words
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_fragment import check_fragment
from metalift.ir.wellformed.check_summary import check_program, check_summary, checked
from metalift.vcgen.erasure import erased
from metalift.vcgen.obligation import Goal, Obligation, ObligationError
from metalift.vcgen.paths import PathGenerator
from metalift.vcgen.plans import Run, about_parameters, parts_of, reads
from metalift.vcgen.specification import Specification

REQUIRED = "what operators require holds in every iteration"
User = Sequence[tuple[str, Expr]]


@dataclass(frozen=True, slots=True)
class StagedClaims:
    """The claims about one function. Making it raises ObligationError or IllTyped where the plan is none of this function."""

    fragment: Fragment
    staged: StagedSummary
    user: User
    parts: tuple[Run, ...]

    @staticmethod
    def of(fragment: Fragment, staged: StagedSummary, user: User) -> StagedClaims:
        """The claims of a plan."""
        parts = parts_of(fragment, staged)
        for run in parts:
            check_fragment(run.part.fragment)
            check_summary(run.summary, run.part.fragment)
        check_summary(whole_summary(fragment, staged, parts), fragment)
        known = {param.var.name: param.var.type for param in fragment.params}
        ranks = {var.name: var.type.rank for var in fragment.locals if isinstance(var.type, TensorType)}
        for array, shape in local_extents(fragment, staged):
            if ranks.get(array) != len(shape):
                raise IllTyped(f"the function has no array {array!r} with {len(shape)} axes", shape)
            for extent in shape:
                checked(extent, known, INT)
        return StagedClaims(fragment, staged, user, parts)

    def given(self, run: Run) -> tuple[Expr, ...]:
        """The conditions on the function's parameters of which a part can speak: not what arrays hold that change meanwhile."""
        known = {param.var for param in run.part.fragment.params}
        written = {var for var in known if var.name in written_arrays(self.fragment)}
        stated = (*self.staged.requires, *(formula for _, formula in self.user))
        return tuple(formula for formula in stated if free_vars(formula) <= known and written.isdisjoint(read_by(formula)))

    def named(self, run: Run, obligation: Obligation) -> Obligation:
        """The obligation with the part that it is about in its name."""
        return replace(obligation, name=f"part {run.part.name} at {run.part.fragment.location.line}: {obligation.name}")

    def of_part(self, run: Run) -> Iterator[Obligation]:
        """That a part computes its summary, and what that requires."""
        part, given = run.part.fragment, self.given(run)
        for obligation in PathGenerator(part, run.summary, (*run.summary.requires, *given)).obligations():
            yield self.named(run, obligation)
        wanted = [Goal(f"requirement {n}", each) for n, each in enumerate(self.to_show(run, run.summary.requires), 1)]
        if wanted:
            yield self.named(run, self.always("what is required holds in every iteration", run, wanted))

    def of_extents(self, run: Run, array: str) -> Iterator[Obligation]:
        """That a part touches no more of an array than the whole is said to: nothing shows that where it does not say how far."""
        least, most = run.summary.shapes.get(array), self.staged.shapes.get(array)
        whole = most is not None and most == self.rooms.get(array)
        goals = [Goal("how much of it is written", FALSE)] if not whole and array in self.written_unbounded(run) else []
        if least is not None and most is not None:
            goals = [  # less than no element is none
                Goal(f"axis {axis}", disj(at_most(a, integer(0)), at_most(a, b)))
                for axis, (a, b) in enumerate(zip(least, most, strict=True))
            ]
        if goals and most is not None:
            every = self.always(f"no more of {array} is touched than is stated", run, goals)
            if whole:  # all that the source has: where it is defined, what it reads and writes is there
                rooms, own = dict(self.fragment.rooms), self.fragment.locals
                lengths: dict[Expr, Expr] = {Length(var): rooms[var.name] for var in own if var.name in rooms}
                every = replace(every, assumed=(*every.assumed, *(replaced(fact, lengths) for fact in self.shown(run))))
            yield self.named(run, every)

    @property
    def rooms(self) -> dict[str, tuple[Expr, ...]]:
        """How large the source makes local arrays, as far as it is known."""
        return {name: (extent,) for name, extent in self.fragment.rooms}

    @property
    def grown(self) -> frozenset[str]:
        """The function's own arrays that generated code makes longer wherever a part touches more of them: those of which nothing
        says how large they are in all, but each part that writes them how far.
        """
        lines = {var.name for var in self.fragment.locals if isinstance(var.type, TensorType) and var.type.rank == 1}
        unbounded = {name for run in self.parts for name in self.written_unbounded(run)}
        return frozenset(lines - self.staged.shapes.keys() - unbounded)

    def made_so_long(self, run: Run) -> Iterator[Expr]:
        """That the function's own arrays have the elements that a part touches: generated code makes them as large as all parts
        together touch, which is proved, or longer before the part.
        """
        made = self.grown | self.staged.shapes.keys()
        for var in (each for each in self.fragment.locals if each.name in made):
            shape = run.summary.shapes.get(var.name, ())
            yield from (at_most(least, Length(var, axis)) for axis, least in enumerate(shape))

    def shown(self, run: Run) -> tuple[Expr, ...]:
        """What every run of the part shows."""
        return tuple(erased(each, {}) for each in map(Specification(run.summary, {}).resolved, run.summary.facts))

    def written_unbounded(self, run: Run) -> set[str]:
        """The arrays that a part writes and of which it does not say how far. An array of the function's own starts without
        cells, and a store that has to read the cell first, as in `a[i] += 1`, makes none.
        """
        part = run.part.fragment
        own = {var.name for var in self.fragment.locals}
        stores = [each for block in part.blocks for each in block.body if isinstance(each, Store)]
        grown = {each.array.name for each in stores if each.array.name not in own or not reads_cell(each.value, cell_of(each))}
        return (grown & {name for name, _ in run.summary.outputs}) - run.summary.shapes.keys()

    def of_all_extents(self, run: Run) -> Iterator[Obligation]:
        """The same for all arrays."""
        for array, _ in self.staged.extents:
            yield from self.of_extents(run, array)

    def of_target(self, programs: StagedProgram, driver: Driver, target: str) -> Iterator[tuple[Run, list[Obligation]]]:
        """For each part, that its program computes its summary, and that what its operators require is stated or holds."""
        made = self.grown | self.staged.shapes.keys()
        for run, program in zip(self.parts, programs.programs, strict=True):
            check_program(program, run.part.fragment, run.summary)
            for array in run.summary.shapes.keys() - made:  # nothing says that it has what views of this part take
                message = f"how many elements of {array} all iterations together touch is not known"
                raise ObligationError(Diagnostic(run.part.fragment.location, message))
        hoisted = formulas(self.needs(programs, driver, target))
        for run, program in zip(self.parts, programs.programs, strict=True):
            part, stated = run.part.fragment, self.stated(run)
            found = [self.named(run, each) for each in claimed(part, run.summary, program, None, driver, target, stated)]
            needs = (one for one in self.beyond(run, program, driver, target) if one.origin is Origin.TARGET)
            open_ones = [one.formula for one in needs if one.formula is not None and one.formula not in hoisted]
            if open_ones:
                resolved = Specification(run.summary, {}).resolved
                goals = [Goal(f"requirement {number}", resolved(each)) for number, each in enumerate(open_ones, 1)]
                every = self.always(REQUIRED, run, goals, hoisted)
                required = run.summary.requires  # shown, or stated of every iteration
                known = tuple(erased(each, {}) for each in (*required, *self.made_so_long(run)))
                found.append(self.named(run, replace(every, assumed=(*every.assumed, *known, *self.shown(run)))))
            yield run, found

    def to_show(self, run: Run, requires: Sequence[Expr]) -> list[Expr]:
        """The conditions that are not stated for the whole. Those on what arrays hold, as that an index which is data is inside
        of an array, are stated of every iteration.
        """
        stated = {part for formula in self.given(run) for part in conjuncts(formula)}
        return [each for formula in requires if not reads(formula) for each in conjuncts(formula) if each not in stated]

    def always(self, name: str, run: Run, goals: list[Goal], also: tuple[Expr, ...] = ()) -> Obligation:
        """An obligation about all arguments that a part gets; `also` are stated beside what is given."""
        return Obligation(
            name,
            run.part.fragment.location,
            tuple(erased(each, {}) for each in run.part.known),
            tuple(erased(each, {}) for each in (*self.given(run), *also)),
            tuple(Goal(goal.subject, erased(goal.formula, {})) for goal in goals),
        )

    # Assumptions

    def stated(self, run: Run) -> list[Stated]:
        """What the proofs of a part's program rest on."""
        user = [("", formula) for formula in self.given(run)]
        return of_source(run.part.fragment, run.summary, {}, user)

    def beyond(self, run: Run, program: TargetProgram, driver: Driver, target: str) -> tuple[Stated, ...]:
        """What a part's program needs beyond the source. That numbers which go from step to step fit the target's types is not
        checked: the source computes them, too.
        """
        stated = self.stated(run)
        needed = with_target(program, driver, target, stated)[len(stated) :]
        numbers = {each for each in number_conditions(program, driver) if not about_parameters(self.fragment, each)}
        return tuple(replace(one, origin=Origin.RANGE) if one.formula in numbers else one for one in needed)

    def needs(self, programs: StagedProgram, driver: Driver, target: str) -> list[Stated]:
        """What the target needs of the parameters, and which numbers have to fit their types."""
        found: dict[tuple[str, Origin], Stated] = {}
        for run, program in zip(self.parts, programs.programs, strict=True):
            for one in self.beyond(run, program, driver, target):
                plain = one.formula is not None and about_parameters(self.fragment, one.formula)
                if one.origin is Origin.TARGET and not plain:
                    continue  # it is shown of every iteration
                shown = one if plain else Stated(replace(one.assumption, formula=None), one.origin)
                found.setdefault((shown.assumption.text, shown.origin), shown)
        own = {one.formula for one in self.of_whole(None)}
        return [one for one in found.values() if one.formula is None or one.formula not in own]

    def of_whole(self, bodies: Fragment | None) -> list[Stated]:
        """What the proofs rest on, as it is said of the whole function."""
        stated = of_source(self.fragment, whole_summary(self.fragment, self.staged, self.parts), {}, self.user, bodies)
        own = {one.formula for one in stated}
        for run in self.parts:
            for formula in run.summary.requires:
                if reads(formula) and formula not in own:
                    where = f"whenever line {run.part.fragment.location.line} is reached"
                    stated.append(Stated(Assumption(f"{where}: {in_words(formula)}"), Origin.SUMMARY))
        return list(dict.fromkeys(stated))

    def hypotheses(self) -> tuple[Expr, ...]:
        """The conditions that inputs of the function have to satisfy."""
        return formulas(self.of_whole(None))


def whole_summary(fragment: Fragment, staged: StagedSummary, parts: Sequence[Run]) -> Summary:
    """What a plan says of the function as a whole: requirements, extents, and which arrays are written."""
    written = {name for run in parts for name, _ in run.summary.outputs}
    outputs = tuple((p.var.name, p.var) for p in fragment.params if p.var.name in written and isinstance(p.var.type, TensorType))
    names = {param.var.name for param in fragment.params}
    return Summary((), (), outputs, staged.requires, tuple(each for each in staged.extents if each[0] in names))


def local_extents(fragment: Fragment, staged: StagedSummary) -> list[tuple[str, tuple[Expr, ...]]]:
    """How much of arrays that are no parameters is touched: the generated code makes them so large."""
    names = {param.var.name for param in fragment.params}
    return [each for each in staged.extents if each[0] not in names]


def as_whole(fragment: Fragment, summary: Summary | StagedSummary) -> Summary:
    """The summary; of a plan, what it says of the function as a whole."""
    return summary if isinstance(summary, Summary) else whole_summary(fragment, summary, parts_of(fragment, summary))


def cell_of(store: Store) -> Expr:
    """What a store writes, as it is read."""
    return Select(store.array, store.indices)


def reads_cell(value: Expr, cell: Expr) -> bool:
    """Whether whoever computes the value reads the cell, whatever conditions in it say."""
    match value:
        case Build() | Filter() | Fold() | Forall() | Exists() | Lambda():
            return False
        case Ite(cond, _, _):
            return reads_cell(cond, cell)
        case Apply(Operator.AND | Operator.OR, (first, *_)):
            return reads_cell(first, cell)
        case _:
            return value == cell or any(reads_cell(child, cell) for child in children(value))
