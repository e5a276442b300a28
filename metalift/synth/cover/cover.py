"""Covering a summary with a driver's operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from metalift.driver import CannotWrite, Driver
from metalift.driver.layout import of_the_target
from metalift.ir.arith.factored import factored
from metalift.ir.arith.intervals import interval
from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.build import at_most, neg
from metalift.ir.expr.filters import count, start_of
from metalift.ir.expr.nodes import (
    FALSE,
    TRUE,
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Filter,
    Ite,
    Lambda,
    Length,
    MakeTuple,
    Operator,
    Select,
    Update,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import INT, INT64, BoolType, IntType, MachineInt, RealType, ScalarType, TensorType, is_integer
from metalift.ir.expr.walk import alpha_key, children, free_vars, fresh_name, names, replaced, subexpressions, substitute
from metalift.ir.interp.identities import for_people
from metalift.ir.program.fragment import Fragment, ParamKind
from metalift.ir.program.summary import Binding, Let, Summary, TargetProgram, Write
from metalift.ir.text import show
from metalift.synth.cover.choices import changed_where, choice_of_reads, left_to_require, with_meant_conditions
from metalift.synth.cover.eager import safe_divisors, safe_reads
from metalift.synth.cover.early_requirements import with_early_returns
from metalift.synth.cover.goal import Goal, filtered
from metalift.synth.cover.inside_windows import when_outer_exist
from metalift.synth.cover.intermediates import needed, nodes_with_scalars_inside, with_scalars_inside
from metalift.synth.cover.leading import with_conditions
from metalift.synth.cover.nearest import nearest
from metalift.synth.cover.normal import normal
from metalift.synth.cover.normal_operators import cast_form
from metalift.synth.cover.patterns import Patterns, compares_folds, has_exact_tensors, scalar_types
from metalift.synth.cover.regrouped import NOTHING
from metalift.synth.cover.search import Search, Solution
from metalift.synth.cover.sizes import fixed_in_arrays, size_conditions, sizes_among, views_in_arrays
from metalift.synth.cover.split import pieces
from metalift.synth.cover.storage import Cell, groups, places, with_kept_inside
from metalift.synth.cover.versions import Layer, Unresolved, Versions, is_cheap, reads
from metalift.vcgen.erasure import erased

MOST_CHOICES = 3  # of what is read: terms are written once for each way
LARGEST = 4000  # nodes of a summary whose scalars are taken inside of what uses them, each as often as it is used
SHOWN = 100  # characters of a term in a message


class NotCovered(Exception):
    """The driver's operators do not cover the summary: `missing` is a term without a cover, `candidate` the program so far."""

    def __init__(self, message: str, missing: Expr, candidate: TargetProgram) -> None:
        super().__init__(message)
        self.missing = missing
        self.candidate = candidate


def cover(
    summary: Summary, fragment: Fragment, driver: Driver, target: str, step: bool = False, masked: bool = False,
    without: frozenset[str] = frozenset(), parts: bool = False, stepwise: bool = False,
) -> TargetProgram:  # fmt: skip
    """The cheapest program in the driver's operators that computes the summary, for one target; `step`: of a part of a function
    with loops that stay, in which integers that arrays hold are plain numbers; `masked`: elements that are read under conditions
    are gathered, others in their place where these do not hold, so that it requires less; `without` operators of these names;
    `parts`: what is read of an array that was written in part is chosen; `stepwise`: no operator computes several of the source's
    scalars at once, unless there is no other way.

    Raises NotCovered where a term has no cover, KeyError where the driver has no such target. Nothing about the result is
    promised: that it computes the summary is for the prover to show.
    """
    find = driver.target(target).find
    if find is not None:
        try:
            with of_the_target("find"):
                return find(summary, fragment)
        except CannotWrite as problem:
            raise NotCovered(str(problem), TRUE, TargetProgram((), (), None)) from problem
    summary = with_conditions(summary)
    keeps = driver.target(target).keeps
    if keeps is not None:
        kept = frozenset(keeps(fragment))
        return _Cover(with_kept_inside(summary, kept), fragment, driver, target, kept, without=without, parts=parts).program()

    def covered(summary: Summary) -> TargetProgram:
        return _Cover(summary, fragment, driver, target, step=step, masked=masked, without=without, parts=parts).program()

    try:
        program = covered(summary)
    except NotCovered as problem:
        whole = with_scalars_inside(summary)
        if whole == summary:
            raise
        try:
            return covered(whole)
        except NotCovered:
            raise problem from None  # it is about terms that the reader of the summary knows
    if stepwise or nodes_with_scalars_inside(summary) > LARGEST:
        return program
    whole = with_scalars_inside(summary)
    try:
        return program if whole == summary else min(program, covered(whole), key=_calls)
    except NotCovered:
        return program


def _calls(program: TargetProgram) -> int:
    """How many operators are called, with the same arguments once."""
    inside: dict[Var, Expr] = {}
    for let in program.lets:
        inside[let.var] = substitute(let.value, inside)
    values = (substitute(value, inside) for value in program.values)
    return len({alpha_key(part) for value in values for part in subexpressions(value) if isinstance(part, Call)})


@dataclass
class _Lets:
    """The program so far."""

    lets: list[Let] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    requires: dict[Expr, None] = field(default_factory=dict)


class _Cover:
    def __init__(
        self, summary: Summary, fragment: Fragment, driver: Driver, target: str, kept: frozenset[str] | None = None,
        step: bool = False, masked: bool = False, without: frozenset[str] = frozenset(), parts: bool = False,
    ) -> None:  # fmt: skip
        """`kept` names the arrays that are storage of the target's own, where it has any."""
        self.summary = summary
        self.kept = kept
        self.masked = masked
        self.fragment = fragment
        self.driver = driver
        values = [binding.value for binding in summary.bindings] + [value for _, value in summary.outputs]
        universe = scalar_types(*values)
        layout = driver.target(target).layout
        counted = layout is not None and layout.groups is not None and compares_folds(*values)
        if not has_exact_tensors(*values) and not counted:
            universe = tuple(each for each in universe if each != INT)
        types = dict.fromkeys((*universe, BoolType(), INT64))
        if driver.target(target).write is not None and driver.target(target).dtypes:  # its writer has no text for others
            types = dict.fromkeys(each for each in types if each in driver.target(target).dtypes)
        patterns = Patterns(driver, driver.target(target), tuple(types), without)
        scalars = {param.var for param in fragment.params if not isinstance(param.var.type, TensorType)}
        self.search = Search(driver, driver.target(target), patterns, scalars, step)
        self.versions = Versions(parts)
        layout = driver.target(target).layout
        self.reads = reads(summary, whole=layout is not None and bool(layout.part))  # collections are read as wholes only
        self.sizes = sizes_among(summary)
        self.done = _Lets()
        self.numbers: dict[Expr, Expr] = {}  # what scalar intermediates are, to be found in `counts`
        self.counts: dict[Expr, Expr] = {}  # the lengths of named tensors that hold the elements for which a condition holds
        taken = {param.var.name for param in fragment.params} | {binding.var.name for binding in summary.bindings}
        self.taken = taken.union(*(names(value) for value in values))

    def program(self) -> TargetProgram:
        """The whole."""
        result: Expr | None = None
        try:
            for binding in self.summary.bindings:
                self.bind(binding)
            outputs = dict(self.summary.outputs)
            self.keep([value for name, value in outputs.items() if name in (self.kept or ())])
            for name, value in outputs.items():
                if name == "return":
                    result = self.result(value)
                elif name not in (self.kept or ()):
                    self.write(value)
        except Unresolved as problem:
            raise self.failure(str(problem), problem.term) from problem
        kept = needed(self.done.lets, self.done.writes, result)
        requires = self.requires(kept, result)
        if result is not None and (stray := _inside_functions(requires, result)) is not None:
            raise self.failure("so many elements, for each element another number of them", stray)
        program = TargetProgram(kept, tuple(self.done.writes), result, requires)
        return program if self.search.step else with_early_returns(program, self.driver, self.vectors())

    def vectors(self) -> frozenset[Var]:
        """The vectors of which the source may read all that they have."""
        params = (param.var for param in self.fragment.params if param.kind is not ParamKind.POINTER)
        shapes = self.summary.shapes
        return frozenset(var for var in params if shapes.get(var.name, ()) == (Length(var),))

    def failure(self, message: str, term: Expr) -> NotCovered:
        """The error with what has been covered."""
        candidate = TargetProgram(tuple(self.done.lets), tuple(self.done.writes), None)
        return NotCovered(message, term, candidate)

    # Parts of the summary

    def bind(self, binding: Binding) -> None:
        """A scalar gets a Let; a version of an array is kept as layers, named where it is read again."""
        if not isinstance(binding.value, Update):
            self.scalar(binding)
            return
        update = binding.value
        layer = self.versions.layer(update)
        count = 0 if self.kept is not None else self.reads.get(binding.var, 0)
        if count and not is_cheap(layer) and (count > 1 or self.is_output(binding.var)):
            layer = self.named(layer, self.versions.of(update.base).root)
        self.versions.contents[binding.var] = self.versions.updated(update, layer)

    def is_output(self, version: Var) -> bool:
        """Whether the version is what an array is in the end, in part at least."""
        return any(isinstance(value, Var) and value == version for _, value in self.summary.outputs)

    def scalar(self, binding: Binding) -> None:
        """A scalar intermediate, or a tensor that is built as a whole."""
        value = self.versions.resolve(binding.value, {})
        self.numbers[binding.var] = counted(value)
        if isinstance(value, Build):
            solution = self.solved(Goal(value.extents, value.binders, self.safe(value.body)))
        else:
            solution = self.number(value)
        tree = solution.tree
        if binding.var in self.sizes and not solution.number:
            tree = Cast(Cast(tree, INT), binding.var.type)  # a plain number
        if solution.number or binding.var in self.sizes:
            self.search.numbers.add(binding.var)
        if is_integer(binding.var.type):
            self.search.intermediates[binding.var] = interval(value)
        self.done.lets.append(Let(binding.var, tree))

    # Storage of the target's own

    def keep(self, values: list[Expr]) -> None:
        """The kept arrays' new contents, by operators that hold the cells; cells that need each other are held by one."""
        cells = [self.kept_cell(value) for value in values]
        for cell in cells:
            others = [each.value for each in cells]
            for place in places(cell.array, others):
                if place != cell.place:
                    both = f"read at {in_short(place.indices[0])} and written at {in_short(cell.place.indices[0])}"
                    message = f"{cell.array.name} is {both}; {self.search.target.name} accesses one cell of it at a time"
                    raise self.failure(message, place)
        for group in groups(cells):
            found: list[tuple[Cell, Expr]] = []
            for cell in group:
                held = [cell.place, *(other.place for other in group if other != cell)]
                self.search.failures.clear()
                solution = self.search.kept(Goal((), (), cell.value), held)
                if solution is None:
                    raise self.not_kept(cell, group)
                self.done.requires.update(dict.fromkeys(solution.requires))
                found.append((cell, solution.tree))
            for cell, tree in found:
                self.keep_cell(cell, tree)

    def kept_cell(self, value: Expr) -> Cell:
        """What is written to a kept array: one cell."""
        contents = self.versions.of(value)
        final = contents.final()
        if len(final) != 1 or final[0].binders:
            raise self.failure(f"more than one cell of {contents.root.name} is written", value)
        indices = tuple(normal(index) for index in final[0].indices)
        return Cell(Select(contents.root, indices), self.safe(final[0].value))

    def keep_cell(self, cell: Cell, tree: Expr) -> None:
        """The new contents of a kept cell, with a name that what follows can use."""
        element = type_of(cell.value)
        assert isinstance(element, ScalarType)
        name = fresh_name(f"{cell.array.name}_new", self.taken)
        self.taken.add(name)
        var = Var(name, element)
        self.done.lets.append(Let(var, tree))
        if not isinstance(cell.value, Var | Const | Select):  # of what has a name already
            self.search.values[cell.value] = var
        self.overwrite(cell.array, Layer((), (), cell.place.indices, cell.value), var)

    def not_kept(self, cell: Cell, group: tuple[Cell, ...]) -> NotCovered:
        """Why no operator updates the cell."""
        name, target = cell.array.name, self.search.target.name
        most = max((len(operator.holds) for operator in self.driver.operators.values()), default=0)
        if len(group) > most:
            all_ = ", ".join(each.array.name for each in group)
            return self.failure(f"{all_} are updated from each other; {target} keeps at most {most} cells together", cell.value)
        return self.failure(f"no operator of the driver {self.driver.name} updates {name} to {in_short(cell.value)}", cell.value)

    def named(self, layer: Layer, root: Var) -> Layer:
        """The layer with its values in a Let."""
        solution = self.solved(self.goal(layer))
        element = type_of(layer.value)
        assert isinstance(element, BoolType | IntType | MachineInt | RealType)
        name = fresh_name(f"{root.name}_new", self.taken)
        self.taken.add(name)
        var = Var(name, TensorType(element, len(layer.binders)) if layer.binders else element)
        self.done.lets.append(Let(var, solution.tree))
        self.search.shapes[var] = layer.extents
        return Layer(layer.binders, layer.extents, layer.indices, layer.value, var)

    def safe(self, term: Expr) -> Expr:
        """The term for a target that computes all its parts."""
        found = safe_divisors(term)
        return normal(safe_reads(found) if self.masked else found)

    def goal(self, layer: Layer) -> Goal:
        """The values of a layer as a tensor."""
        return Goal(layer.extents, layer.binders, self.safe(layer.value))

    def write(self, value: Expr) -> None:
        """The final contents of an array."""
        contents = self.versions.of(value)
        for layer in contents.final():
            if layer.name is not None:
                self.overwrite(contents.root, layer, layer.name)
                continue
            if (kept := kept_by(layer)) is not None:
                self.select(contents.root, layer, kept)
                continue
            whole = replace(layer, value=normal(layer.value))
            for piece in [whole] if self.masked else pieces(whole, self.summary.shapes, self.summary.requires):
                stays = isinstance(piece.value, Ite) and Select(contents.root, piece.indices) in children(piece.value)
                if stays and self.conditional(contents.root, piece):
                    continue
                number = not piece.binders and not stays  # a cell that may stay as it is has to be there all the same
                made = self.number(self.safe(piece.value)) if number else self.solved(self.goal(piece))
                self.overwrite(contents.root, piece, made.tree)

    def conditional(self, root: Var, piece: Layer) -> bool:
        """Write one cell where a condition on sizes holds, which says that it is there, if the target's code can have that."""
        found = None if piece.binders or not self.search.target.loops else changed_where(piece.value, Select(root, piece.indices))
        if found is None:
            return False
        cond, new = found
        made = self.number_where(cond, self.safe(new))
        self.overwrite(root, piece, Ite(cond, made.tree, start_of(type_of(new))), cond)
        return True

    def overwrite(self, root: Var, layer: Layer, tree: Expr, guard: Expr = TRUE) -> None:
        """One write."""
        if not layer.binders:
            layer, tree = self.cell(layer, tree)
        window = Build(layer.extents, layer.binders, Select(root, layer.indices))
        self.done.writes.append(Write(root, window, tree, guard))

    def select(self, root: Var, layer: Layer, kept: Filter) -> None:
        """A write of as many elements as there are; the number is the length of what is written, wherever it is returned."""
        named = self.named(layer, root)
        assert named.name is not None
        length = Length(named.name)
        self.counts.setdefault(counted(count(kept)), length)
        self.overwrite(root, replace(named, extents=(length,)), named.name)

    def cell(self, layer: Layer, tree: Expr) -> tuple[Layer, Expr]:
        """A single cell as a window of one element."""
        name = fresh_name("i", self.taken)
        one, binder = integer(1), Var(name, INT)
        *outer, last = layer.indices
        moved = Layer((binder,), (one,), (*outer, Apply(Operator.ADD, (last, binder))), layer.value)
        return moved, Build((one,), (binder,), tree)

    def result(self, value: Expr) -> Expr:
        """The returned value, item by item for a tuple."""
        if isinstance(value, MakeTuple):
            return MakeTuple(tuple(self.result(item) for item in value.items))
        if isinstance(value, Build):
            return self.solved(self.built(value)).tree
        resolved = self.versions.resolve(value, {})
        if isinstance(resolved, Filter):
            kept = filtered(resolved)
            return self.solved(kept.with_body(self.safe(kept.body))).tree
        resolved = substitute(resolved, self.lengths(resolved))
        if isinstance(type_of(resolved), TensorType):
            raise self.failure("a whole array is returned", resolved)
        return self.number(resolved, returned=not self.search.step).tree

    def number(self, value: Expr, choices: int = MOST_CHOICES, returned: bool = False) -> Solution:
        """A number. Where a condition decides which elements are read, the target chooses before it reads, if it can; `returned`:
        what the function returns may be so early.
        """
        term = normal(value)
        found = choice_of_reads(term, self.search.step) if choices and self.search.target.loops else None
        if found is None:
            return Solution(0.0, term, number=True) if term in (TRUE, FALSE) else self.solved(Goal((), (), term))
        part, choice = found
        returned = returned and part == term and any(isinstance(side, Const | Var) for side in (choice.then, choice.other))
        cond = self.number(choice.cond, choices - 1)
        sides: list[Solution] = []
        for side, known in ((choice.then, choice.cond), (choice.other, neg(choice.cond))):
            sides.append(self.number_where(known, replaced(term, {part: side}), choices - 1, returned))
        then, other = sides
        number = then.number or other.number or self.search.step
        return Solution(cond.cost + then.cost + other.cost, Ite(cond.tree, then.tree, other.tree), number)

    def number_where(self, known: Expr, value: Expr, choices: int = MOST_CHOICES, returned: bool = False) -> Solution:
        """A number that is computed where a condition holds, which need not require what that says."""
        before = dict(self.done.requires)
        made = self.number(value, choices, returned)
        more = [each for each in self.done.requires if each not in before]
        left = more if returned else left_to_require(more, known)  # what is required behind a return is told by it
        self.done.requires = {**before, **dict.fromkeys(left)}
        return made

    def lengths(self, value: Expr) -> dict[Var, Expr]:
        """The numbers in a value that are lengths of named tensors."""
        found = {var: self.counts.get(self.numbers.get(var, var)) for var in free_vars(value)}
        return {var: cast_form(length, var.type) for var, length in found.items() if length is not None}

    def built(self, value: Build) -> Goal:
        """A tensor that is built as a whole; an axis has its extent where all outer ones are not empty."""
        ranges: dict[Var, Expr] = {}
        for binder, extent in zip(value.binders, when_outer_exist(value.extents), strict=True):
            ranges[binder] = self.versions.resolve(extent, ranges)
        body = self.versions.resolve(value.body, ranges)
        return Goal(tuple(ranges.values()), value.binders, self.safe(body))

    def solved(self, goal: Goal) -> Solution:
        """The solution of a goal; raises NotCovered."""
        self.search.failures.clear()
        self.search.refused.clear()
        solution = self.search.solve(goal)
        if solution is None:
            missing = min(self.search.failures or [goal], key=lambda each: len(list(subexpressions(each.body))))
            if isinstance(missing.body, Const):
                value = missing.body.value
                literal = value if isinstance(value, int) else f"{float(value):g}"
                target = self.search.target
                why = f"the number {literal} is not among the literals of {target.name}"
                if target.has_literal(missing.body):
                    why = f"{target.name} has no arrays filled with one number, here {literal}: Prices(fill=...) allows them"
                raise self.failure(why, missing.expr)
            self.refuse_rows(missing)
            why = next((f": {each}" for each in self.search.refused), self.without(missing))
            raise self.failure(
                f"no operator of the driver {self.driver.name} computes {in_short(missing.body)}{why}", missing.expr
            )
        if type_of(goal.body) == INT and (short := factored(goal.body, 3)) != goal.body:
            other = self.search.solve(replace(goal, body=short))
            solution = other if other is not None and other.cost < solution.cost else solution
        for each in solution.requires:
            self.done.requires.setdefault(each)
        return solution

    def refuse_rows(self, missing: Goal) -> None:
        """Raises NotCovered where arrays with rows are read, and the target has collections."""
        target = self.search.target
        if target.layout is None or not target.layout.part:
            return
        for part in subexpressions(missing.body):
            if isinstance(part, Select) and isinstance(part.tensor, Var) and (len(part.indices) > 1 or _in_rows(part.indices[0])):
                raise self.failure(f"{part.tensor.name} has rows, and a collection of {target.name} has one axis", missing.expr)

    def without(self, missing: Goal) -> str:
        """The functions in a term that the driver has not got, or its operator that comes nearest, for a message."""
        called = dict.fromkeys(part.function for part in subexpressions(missing.body) if isinstance(part, Call))
        known = {name.removeprefix(f"{self.driver.name}.") for name in self.driver.operators} | {NOTHING}
        lacking = [each for each in called if each not in known]
        if lacking:
            return f": it has no {', '.join(lacking)}"
        near = nearest(missing, self.search.patterns.operators)
        return f"; the nearest: {near}" if near else ""

    def requires(self, lets: tuple[Let, ...], result: Expr | None) -> tuple[Expr, ...]:
        """Conditions of operators on sizes, and sizes that must not be negative, unless the summary has them."""
        unknown = {param.var for param in self.fragment.params if param.var.name not in self.summary.shapes}
        lets = tuple(replace(let, value=with_meant_conditions(let.value, self.driver)) for let in lets)
        result = None if result is None else with_meant_conditions(result, self.driver)
        needed = (
            *self.done.requires,
            *views_in_arrays(lets, self.done.writes, result, unknown),
            *fixed_in_arrays(lets, self.done.writes, result, self.summary.shapes),
        )
        not_negative = (var for var, known in self.search.intermediates.items() if known.nonnegative)
        known = (at_most(integer(0), Polynomial.of(var).to_expr()) for var in not_negative)
        given = (*self.summary.requires, *known)
        return size_conditions(lets, self.done.writes, result, needed, given, self.search.step)


def _in_rows(index: Expr) -> bool:
    """Whether an index is one of an array with rows, as r * width + c is."""
    return any(len(monomial) > 1 for monomial, _ in Polynomial.of(index).terms)


def _inside_functions(requires: Sequence[Expr], result: Expr) -> Expr | None:
    """A condition that is about what a function of elements is given, which nothing can check before it is called."""
    functions = (part for part in subexpressions(result) if isinstance(part, Lambda))
    params = {param for function in functions for param in function.params}
    return next((cond for cond in requires if not free_vars(cond).isdisjoint(params)), None)


def kept_by(layer: Layer) -> Filter | None:
    """The Filter whose elements a layer writes, from the first to the last."""
    match layer.value:
        case Select(Filter() as kept, indices) if indices == layer.binders:
            return kept
        case _:
            return None


def counted(number: Expr) -> Expr:
    """A number as an exact integer, equal for two that differ in the types in which they count."""
    return alpha_key(erased(strip_casts(number), {}))


def in_short(expr: Expr) -> str:
    """The expression for a message; the middle of a long one is left out."""
    text = for_people(show(expr))
    return text if len(text) <= SHOWN else f"{text[: SHOWN // 2]} ... {text[-SHOWN // 2 :]}"
