"""Covering a summary with a driver's operators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from metalift.driver import Driver
from metalift.ir.build import at_most
from metalift.ir.fragment import Fragment
from metalift.ir.nodes import Apply, Build, Expr, Length, MakeTuple, Operator, Select, Update, Var, integer, type_of
from metalift.ir.polynomial import Polynomial
from metalift.ir.summary import Binding, Let, Summary, TargetProgram, Write
from metalift.ir.types import INT, INT64, BoolType, IntType, MachineInt, RealType, TensorType, is_integer
from metalift.ir.walk import free_vars, fresh_name, names, subexpressions
from metalift.synth.cover.eager import safe_divisors
from metalift.synth.cover.goal import Goal
from metalift.synth.cover.normal import normal
from metalift.synth.cover.patterns import Patterns, has_exact_tensors, scalar_types
from metalift.synth.cover.ranges import never_negative, when_outer_exist
from metalift.synth.cover.search import Search, Solution
from metalift.synth.cover.split import pieces
from metalift.synth.cover.versions import Layer, Unresolved, Versions, is_cheap, reads


class NotCovered(Exception):
    """The driver's operators do not cover the summary: `missing` is a term without a cover, `candidate` the program so far."""

    def __init__(self, message: str, missing: Expr, candidate: TargetProgram) -> None:
        super().__init__(message)
        self.missing = missing
        self.candidate = candidate


def cover(summary: Summary, fragment: Fragment, driver: Driver, target: str) -> TargetProgram:
    """The cheapest program in the driver's operators that computes the summary, for one target.

    Raises NotCovered where a term has no cover, KeyError where the driver has no such target. Nothing about the result is
    promised: that it computes the summary is for the prover to show.
    """
    return _Cover(summary, fragment, driver, target).program()


@dataclass
class _Lets:
    """The program so far."""

    lets: list[Let] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    requires: dict[Expr, None] = field(default_factory=dict)


class _Cover:
    def __init__(self, summary: Summary, fragment: Fragment, driver: Driver, target: str) -> None:
        self.summary = summary
        self.fragment = fragment
        self.driver = driver
        values = [binding.value for binding in summary.bindings] + [value for _, value in summary.outputs]
        universe = scalar_types(*values)
        if not has_exact_tensors(*values):
            universe = tuple(each for each in universe if not isinstance(each, IntType))
        patterns = Patterns(driver, driver.target(target), tuple(dict.fromkeys((*universe, BoolType(), INT64))))
        scalars = {param.var for param in fragment.params if not isinstance(param.var.type, TensorType)}
        self.search = Search(driver, driver.target(target), patterns, scalars)
        self.versions = Versions()
        self.reads = reads(summary)
        self.done = _Lets()
        taken = {param.var.name for param in fragment.params} | {binding.var.name for binding in summary.bindings}
        self.taken = taken.union(*(names(value) for value in values))

    def program(self) -> TargetProgram:
        """The whole."""
        result: Expr | None = None
        try:
            for binding in self.summary.bindings:
                self.bind(binding)
            for name, value in self.summary.outputs:
                if name == "return":
                    result = self.result(value)
                else:
                    self.write(value)
        except Unresolved as problem:
            raise self.failure(str(problem), problem.term) from problem
        kept = _needed(self.done.lets, self.done.writes, result)
        return TargetProgram(kept, tuple(self.done.writes), result, self.requires(kept, result))

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
        count = self.reads.get(binding.var, 0)
        if count and not is_cheap(layer) and (count > 1 or self.is_output(binding.var)):
            layer = self.named(layer, self.versions.of(update.base).root)
        self.versions.contents[binding.var] = self.versions.updated(update, layer)

    def is_output(self, version: Var) -> bool:
        """Whether the version is what an array is in the end, in part at least."""
        return any(isinstance(value, Var) and value == version for _, value in self.summary.outputs)

    def scalar(self, binding: Binding) -> None:
        """A scalar intermediate, or a tensor that is built as a whole."""
        value = self.versions.resolve(binding.value, {})
        if isinstance(value, Build):
            goal = Goal(value.extents, value.binders, normal(safe_divisors(value.body)))
        else:
            goal = Goal((), (), normal(value))
        solution = self.solved(goal)
        if solution.number:
            self.search.numbers.add(binding.var)
        self.done.lets.append(Let(binding.var, solution.tree))

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

    def goal(self, layer: Layer) -> Goal:
        """The values of a layer as a tensor."""
        return Goal(layer.extents, layer.binders, normal(safe_divisors(layer.value)))

    def write(self, value: Expr) -> None:
        """The final contents of an array."""
        contents = self.versions.of(value)
        for layer in contents.final():
            if layer.name is not None:
                self.overwrite(contents.root, layer, layer.name)
                continue
            for piece in pieces(replace(layer, value=normal(layer.value)), self.summary.shapes):
                self.overwrite(contents.root, piece, self.solved(self.goal(piece)).tree)

    def overwrite(self, root: Var, layer: Layer, tree: Expr) -> None:
        """One write."""
        if not layer.binders:
            layer, tree = self.cell(layer, tree)
        window = Build(layer.extents, layer.binders, Select(root, layer.indices))
        self.done.writes.append(Write(root, window, tree))

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
        if isinstance(type_of(resolved), TensorType):
            raise self.failure("a whole array is returned", resolved)
        return self.solved(Goal((), (), normal(resolved))).tree

    def built(self, value: Build) -> Goal:
        """A tensor that is built as a whole; an axis has its extent where all outer ones are not empty."""
        ranges: dict[Var, Expr] = {}
        for binder, extent in zip(value.binders, when_outer_exist(value.extents), strict=True):
            ranges[binder] = self.versions.resolve(extent, ranges)
        body = self.versions.resolve(value.body, ranges)
        return Goal(tuple(ranges.values()), value.binders, normal(safe_divisors(body)))

    def solved(self, goal: Goal) -> Solution:
        """The solution of a goal; raises NotCovered."""
        self.search.failures.clear()
        solution = self.search.solve(goal)
        if solution is None:
            missing = min(self.search.failures or [goal], key=lambda each: len(list(subexpressions(each.body))))
            raise self.failure(f"no operator of the driver {self.driver.name} computes a part of the summary", missing.expr)
        for each in solution.requires:
            self.done.requires.setdefault(each)
        return solution

    # Conditions

    def requires(self, lets: tuple[Let, ...], result: Expr | None) -> tuple[Expr, ...]:
        """Conditions of operators on sizes, and sizes that must not be negative, unless the summary has them."""
        given = set(self.summary.requires)
        found = dict.fromkeys(each for each in self.done.requires if each not in given)
        for extent in _extents(lets, self.done.writes, result):
            size = Polynomial.of(extent)
            if not never_negative(size) or any(isinstance(atom, Var) for atom in size.atoms):
                for cond in _sizes(size):
                    if cond not in given:
                        found.setdefault(cond)
        for cond in _starts(lets, self.done.writes, result):
            if cond not in given:
                found.setdefault(cond)
        kept = (each for each in found if not _is_obvious(each))
        return tuple(each for each in kept if not any(_implies(other, each) for other in found))


def _is_obvious(cond: Expr) -> bool:
    """Whether it is that a length is not negative."""
    match cond:
        case Apply(Operator.LE, (left, right)):
            difference = Polynomial.of(right) - Polynomial.of(left)
            return never_negative(difference) and all(isinstance(atom, Length) for atom in difference.atoms)
        case _:
            return False


def _implies(strong: Expr, weak: Expr) -> bool:
    """Whether they are a < b and a <= b."""
    match strong, weak:
        case Apply(Operator.LT, (a, b)), Apply(Operator.LE, (c, d)):
            return Polynomial.of(a) == Polynomial.of(c) and Polynomial.of(b) == Polynomial.of(d)
        case _:
            return False


def _sizes(size: Polynomial) -> Iterator[Expr]:
    """That the size is not negative; for a sum or product of variables with positive coefficients, that each is not."""
    if never_negative(size):
        for atom in sorted(size.atoms, key=str):
            if isinstance(atom, Var) and not (isinstance(atom.type, MachineInt) and not atom.type.signed):
                yield at_most(integer(0), Polynomial.atom(atom).to_expr())
    elif not size.is_constant:
        yield at_most(integer(0), size.to_expr())


def _starts(lets: tuple[Let, ...], writes: list[Write], result: Expr | None) -> Iterator[Expr]:
    """Views begin inside their array, and those of one axis go forwards."""
    for view in _builds(lets, writes, result):
        if not (isinstance(view.body, Select) and isinstance(view.body.tensor, Var)):
            continue
        for index in view.body.indices:
            affine = Polynomial.of(index).affine_in(view.binders) if is_integer(type_of(index)) else None
            if affine is None:
                continue
            strides = [stride for stride in affine[0].values() if stride != Polynomial()]
            if len(strides) == 1 and not strides[0].is_constant:
                yield Apply(Operator.LT, (integer(0), strides[0].to_expr()))
            if not affine[1].is_constant and not any(stride.constant_value == -1 for stride in strides):
                yield from _sizes(affine[1])


def _builds(lets: tuple[Let, ...], writes: list[Write], result: Expr | None) -> Iterator[Build]:
    parts = [let.value for let in lets] + [part for write in writes for part in (write.window, write.value)]
    for part in (*parts, *([] if result is None else [result])):
        yield from (sub for sub in subexpressions(part) if isinstance(sub, Build))


def _extents(lets: tuple[Let, ...], writes: list[Write], result: Expr | None) -> Iterator[Expr]:
    for view in _builds(lets, writes, result):
        yield from view.extents


def _needed(lets: list[Let], writes: list[Write], result: Expr | None) -> tuple[Let, ...]:
    """The lets that something uses."""
    used = frozenset[Var]() if result is None else free_vars(result)
    for write in writes:
        used |= free_vars(write.value) | free_vars(write.window)
    kept: list[Let] = []
    for let in reversed(lets):
        if let.var in used:
            used |= free_vars(let.value)
            kept.insert(0, let)
    return tuple(kept)
