"""From a draft to a program in operators: what an answer writes as arithmetic or comprehension is covered, piece by piece.

Operators and views that the answer names are kept as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metalift.driver import Driver, Operator
from metalift.driver.expansion import expand
from metalift.driver.meaning.reduce import reduce, reduce_head
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import TRUE, Apply, Build, Call, Cast, Expr, Length, MakeTuple, Select, Update, Var, type_of
from metalift.ir.expr.types import INT, INT64, BoolType, TensorType, is_integer
from metalift.ir.expr.walk import free_vars, fresh_name, rebuild, scoped_children, substitute, transform
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Binding, Let, Summary, TargetProgram, Write
from metalift.ir.text import show
from metalift.run.inputs.inputs import Run
from metalift.synth.cover.eager import safe_divisors
from metalift.synth.cover.goal import Goal
from metalift.synth.cover.normal import normal
from metalift.synth.cover.patterns import Patterns, has_exact_tensors, scalar_types
from metalift.synth.cover.search import Search, Solution
from metalift.synth.cover.sizes import size_conditions, views_in_arrays
from metalift.synth.propose.answer import Rejected
from metalift.synth.propose.reader import Draft, Written
from metalift.synth.propose.requirements import accepted
from metalift.synth.propose.vocabulary import called


def spelled(
    draft: Draft, summary: Summary, fragment: Fragment, driver: Driver, target: str, sample: Sequence[Run]
) -> TargetProgram:
    """The draft as a program of one target. Raises Rejected where a piece has no operator.

    Its `requires` are conditions on sizes that operators and views need (`accepted`); nothing else of an answer is assumed.
    """
    draft = with_plain_lengths(draft, driver)
    speller = _Speller(draft, summary, fragment, driver, target)
    for var, value in draft.lets:
        speller.name(var, speller.spell(value))
    writes = [Write(w.array, speller.view(w.window), speller.spell(w.value).tree) for w in draft.writes]
    result = None if draft.result is None else speller.spell(draft.result).tree
    program = TargetProgram(tuple(speller.lets), tuple(writes), result)
    unknown = {param.var for param in fragment.params if param.var.name not in summary.shapes}
    in_arrays = views_in_arrays(program.lets, writes, result, unknown)
    needed = (*speller.requires, *accepted(program, driver, sample), *in_arrays)
    requires = size_conditions(program.lets, writes, result, needed, summary.requires)
    known = {param.var for param in fragment.params}
    computed = next((cond for cond in requires if not free_vars(cond) <= known), None)
    if computed is not None:
        raise Rejected(f"sizes and places are given by parameters, not by what is computed: it needs that {show(computed)[:200]}")
    return replace(program, requires=requires)


def meant(draft: Draft, summary: Summary, driver: Driver) -> Summary:
    """What the draft computes, without operators; numbers keep their names. Raises ValueError where operators do not fit."""
    values: dict[Var, Expr] = {}

    def term(value: Expr) -> Expr:
        return expand(substitute(value, values, reduce_head), driver)

    bindings: list[Binding] = []
    for var, value in draft.lets:
        if isinstance(var.type, TensorType):
            values[var] = term(value)
        else:
            bindings.append(Binding(var, term(value)))
    outputs: dict[str, Expr] = {}
    for write in draft.writes:
        window, base = write.window, outputs.get(write.array.name, write.array)
        assert isinstance(window.body, Select)
        cell = reduce_head(Select(term(write.value), window.binders))
        outputs[write.array.name] = Update(base, window.binders, window.extents, window.body.indices, cell, TRUE)
    if draft.result is not None:
        outputs["return"] = term(draft.result)
    return replace(summary, bindings=tuple(bindings), outputs=tuple(outputs.items()))


def with_plain_lengths(draft: Draft, driver: Driver) -> Draft:
    """The draft in which lengths are those of parameters: code has no name for the length of an intermediate array."""
    values: dict[Var, Expr] = {}

    def plain(expr: Expr) -> Expr:
        match expr:
            case Length(Var() as array, axis) if array in values:
                return reduce(Length(values[array], axis))
            case _:
                return expr

    lets = []
    for var, value in draft.lets:
        lets.append((var, transform(plain, value)))
        if isinstance(var.type, TensorType):
            values[var] = reduce_head(expand(substitute(lets[-1][1], values), driver))
    writes = tuple(Written(w.array, _view(transform(plain, w.window)), transform(plain, w.value)) for w in draft.writes)
    result = None if draft.result is None else transform(plain, draft.result)
    return Draft(tuple(lets), writes, result)


def _view(window: Expr) -> Build:
    assert isinstance(window, Build)
    return window


class _Speller:
    def __init__(self, draft: Draft, summary: Summary, fragment: Fragment, driver: Driver, target: str) -> None:
        self.driver = driver
        values = [value for _, value in draft.lets] + [write.value for write in draft.writes]
        values += [binding.value for binding in summary.bindings] + [value for _, value in summary.outputs]
        values += [] if draft.result is None else [draft.result]
        universe = scalar_types(*values)
        if not has_exact_tensors(*values):
            universe = tuple(each for each in universe if each != INT)
        patterns = Patterns(driver, driver.target(target), tuple(dict.fromkeys((*universe, BoolType(), INT64))))
        scalars = {param.var for param in fragment.params if not isinstance(param.var.type, TensorType)}
        self.search = Search(driver, driver.target(target), patterns, scalars)
        self.lets: list[Let] = []
        self.requires: list[Expr] = []
        self.taken = {param.var.name for param in fragment.params} | {var.name for var, _ in draft.lets}

    def name(self, var: Var, solution: Solution) -> None:
        """Give a value its name."""
        self.lets.append(Let(var, solution.tree))
        if solution.number:
            self.search.numbers.add(var)

    def spell(self, expr: Expr) -> Solution:
        """The expression in operators."""
        match expr:
            case Call(function, _, _) if function in self.driver.operators:
                return self.operator(expr, self.driver.operators[function])
            case MakeTuple(items):
                return Solution(0.0, MakeTuple(tuple(self.spell(item).tree for item in items)))
            case Build(extents, binders, body):
                return self.tensor(expr, extents, binders, body)
            case Var(_, TensorType()):
                return Solution(0.0, expr)
            case Select(Var(), _):
                return Solution(0.0, expr)
            case _ if isinstance(type_of(expr), TensorType):
                raise Rejected(f"a whole array is chosen or carried through a loop, not its elements: {show(expr)[:99]}")
            case _:
                return self.covered(expr, Goal((), (), normal(self.hoisted(expr))))

    def operator(self, expr: Call, operator: Operator) -> Solution:
        """An operator that the answer names, on its arguments."""
        parts = [self.spell(arg) for arg in expr.args]
        adapted = self.search.adapted(operator, parts)
        name = called(operator, self.driver)
        if adapted is None:
            raise Rejected(f"{name} takes arrays in this target, and is given plain numbers: {show(expr)[:200]}")
        numbers = tuple(part.number for part in adapted)
        plain = bool(numbers) and all(numbers) and operator.spelling(self.search.target.name, on_numbers=True) is not None
        return Solution(0.0, Call(operator.name, tuple(part.tree for part in adapted), expr.type), plain)

    def tensor(self, expr: Expr, extents: tuple[Expr, ...], binders: tuple[Var, ...], body: Expr) -> Solution:
        """A view, one value everywhere, an operator element by element, or what the cover makes of it."""
        outer = frozenset(binders)
        if not free_vars(body) & outer:
            return Solution(0.0, Build(extents, binders, self.spell(body).tree))
        match body:
            case Select(tensor, indices) if not free_vars(tensor) & outer and isinstance(tensor, Var | Call):
                if all(self.is_index(index, binders) for index in indices):
                    self.requires.extend(self.strides(Goal(extents, binders, body)))
                    return Solution(0.0, Build(extents, binders, Select(self.spell(tensor).tree, indices)))
            case Call(function, args, _) if function in self.driver.operators:
                lifted = tuple(Build(extents, binders, arg) if free_vars(arg) & outer else arg for arg in args)
                return self.spell(Call(function, lifted, type_of(Build(extents, binders, body))))
        goal = Goal(extents, binders, normal(safe_divisors(self.hoisted(body))))
        return self.covered(expr, goal)

    def strides(self, goal: Goal) -> tuple[Expr, ...]:
        """What a view needs of its strides."""
        leaf = self.search.leaf(goal)
        return () if leaf is None else leaf.requires

    def is_index(self, index: Expr, binders: tuple[Var, ...]) -> bool:
        """Whether an index is affine in the binders, over plain numbers."""
        affine = Polynomial.of(index).affine_in(binders) if is_integer(type_of(index)) else None
        if affine is None:
            return False
        return all(
            isinstance(atom, Var | Length | Apply | Cast) for part in (*affine[0].values(), affine[1]) for atom in part.atoms
        )

    def view(self, window: Build) -> Build:
        """The cells that are written: affine places."""
        assert isinstance(window.body, Select)
        if not all(self.is_index(index, window.binders) for index in window.body.indices):
            raise Rejected(f"only places that are affine in the loop counters are written, not {show(window)[:200]}")
        return window

    def hoisted(self, expr: Expr) -> Expr:
        """The expression with the operators in it that depend on none of its binders as names."""
        if isinstance(expr, Call) and expr.function in self.driver.operators:
            solution = self.spell(expr)
            var = Var(fresh_name("t", self.taken), expr.type)
            self.taken.add(var.name)
            self.name(var, solution)
            return var
        parts = tuple(child if scope else self.hoisted(child) for child, scope in scoped_children(expr))
        return rebuild(expr, parts) if parts else expr

    def covered(self, expr: Expr, goal: Goal) -> Solution:
        """What the search makes of a piece that names no operator."""
        self.search.failures.clear()
        solution = self.search.solve(goal)
        if solution is None:
            raise Rejected(f"no operator of the driver {self.driver.name} computes {show(expr)[:300]}")
        self.requires.extend(solution.requires)
        return solution
