"""Obligations that a program in a target's operators computes what a summary says.

Operators are replaced by their meanings; how the program was found does not matter. Beside equality of every result and
output array there are obligations for what the operators require (under eager evaluation: for all elements) and for views to
stay inside their arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from metalift.driver import Driver
from metalift.driver.early_returns import returns
from metalift.driver.expansion import expand, side_conditions, where_called
from metalift.driver.laws import ANY_ORDER, reducers
from metalift.driver.laws import laws as reducer_laws
from metalift.ir.expr.build import at_most, clamped, conj, equal, forall, implies, in_range, neg
from metalift.ir.expr.nodes import TRUE, Build, Call, Cast, Expr, Fold, Ite, Lambda, Length, Select, Update, Var, integer, type_of
from metalift.ir.expr.types import INT, MachineInt, TensorType, Type, is_integer
from metalift.ir.expr.walk import binders_of, extents_of, free_vars, scoped_children, substitute
from metalift.ir.program.fragment import Diagnostic, Fragment, ParamKind
from metalift.ir.program.summary import Summary, TargetProgram, Write
from metalift.vcgen.aids import aided
from metalift.vcgen.arrays import distinct_cells, frame_fact, layers, written_facts
from metalift.vcgen.erasure import erased
from metalift.vcgen.obligation import Goal, Obligation, ObligationError
from metalift.vcgen.same_results import Elements, NoElements, elements, same
from metalift.vcgen.specification import Specification

REQUIREMENTS = "operators are used within their requirements"
VIEWS = "views stay inside their arrays"


@dataclass(frozen=True, slots=True)
class Scope:
    """The binders around a place in a program, and what holds of them there."""

    binders: tuple[Var, ...] = ()
    conditions: tuple[Expr, ...] = ()

    def within(self, expr: Build | Fold) -> Scope:
        """In the body; of an accumulator nothing is known."""
        indices = expr.binders if isinstance(expr, Build) else (expr.index,)
        ranges = (in_range(index, extent) for index, extent in zip(indices, extents_of(expr), strict=True))
        return Scope((*self.binders, *binders_of(expr)), (*self.conditions, *ranges))

    def where(self, condition: Expr) -> Scope:
        """Where the condition holds, too."""
        return Scope(self.binders, (*self.conditions, condition))


def made_exactly(value: Expr, type_: Type) -> bool:
    """Whether it is an exact integer that is made one of a machine type."""
    return isinstance(type_, MachineInt) and isinstance(value, Cast) and type_of(value.arg) == INT


def in_type(value: Expr) -> Expr:
    """That what the source has in a machine type is one of the type: leaving it is undefined there, and values are exact here."""
    type_ = type_of(value)
    assert isinstance(type_, MachineInt)
    exact = Cast(value, INT)
    return conj(at_most(integer(type_.low), exact), at_most(exact, integer(type_.high)))


def same_scalar(mine: Expr, wanted: Expr) -> Expr:
    """That both are equal."""
    return implies(in_type(wanted), equal(mine, wanted)) if made_exactly(mine, type_of(wanted)) else equal(mine, wanted)


class RefinementGenerator:
    """Generates the obligations of one program."""

    def __init__(
        self,
        fragment: Fragment,
        summary: Summary,
        program: TargetProgram,
        driver: Driver,
        assumed: tuple[Expr, ...],
        arranges: bool = False,
    ) -> None:
        """`arranges`: the target makes arrays of its own from those whose number of elements is not known."""
        self.fragment = fragment
        self.program = program
        self.driver = driver
        self.assumed = assumed
        named = {let.var.name for let in program.lets if not isinstance(let.var.type, TensorType)}
        self.specification = Specification(summary, {}, opaque=frozenset(named))
        self.inlined: dict[Var, Expr] = {}
        self.expanded: dict[Expr, Expr] = {}
        self.extents = summary.shapes
        self.arranges = arranges
        early = returns(program, driver)
        facts = map(self.specification.resolved, summary.facts)
        self.later = (*([early.otherwise] if early.early else []), *facts)  # what holds where something is computed

    def obligations(self) -> Iterator[Obligation]:
        """All obligations of the program, with what helps to prove them."""
        return aided(self.plain(), self.program.aids, self.fragment.location)

    def plain(self) -> Iterator[Obligation]:
        """The obligations without that."""
        goals: list[Goal] = []
        for let in self.program.lets:
            goals += self.let(let.var, let.value)
        if goals:
            yield self.obligation("emitted intermediates equal the summary's", goals)
        for name in self.written():
            yield from self.array(name)
        if self.program.result is not None or self.specification.result is not None:
            yield self.obligation("emitted result equals the summary's", self.result())
        conditions = self.requirements()
        if conditions:
            yield self.obligation(REQUIREMENTS, conditions, *self.later)
        laws = [
            Goal(name, law)
            for expr in self.expressions()
            for function, start in reducers(expr, self.driver)
            for name, law in reducer_laws(function, start).items()
        ]
        if laws:
            yield self.obligation(ANY_ORDER, laws)
        views = self.views()
        if views:
            yield self.obligation(VIEWS, views, *self.later)

    def obligation(self, name: str, goals: list[Goal], *more: Expr, definitions: bool = True) -> Obligation:
        """An obligation about the whole function; `more` is known, too."""
        known = self.specification.definitions if definitions else ()
        return self.made(name, (*known, *more, *self.sizes(goals)), goals)

    def sizes(self, goals: list[Goal]) -> Iterator[Expr]:
        """What the integers are of which the goals speak by the names of intermediates."""
        used = {var for goal in goals for var in free_vars(goal.formula) if is_integer(var.type)}
        for name, term in self.specification.opaque_terms.items():
            var = self.specification.scalars[name]
            if var in used:
                yield equal(var, term)

    def made(self, name: str, known: tuple[Expr, ...], goals: list[Goal]) -> Obligation:
        """An obligation over mathematical integers."""
        chosen = [at_most(integer(1), parameter) for parameter in self.program.parameters]
        return Obligation(
            name,
            self.fragment.location,
            tuple(erased(formula, {}) for formula in (*chosen, *known)),
            tuple(erased(formula, {}) for formula in self.assumed),
            tuple(Goal(goal.subject, erased(goal.formula, {})) for goal in goals),
            parameters=self.program.parameters,
        )

    # Values

    def inline(self, expr: Expr) -> Expr:
        """The expression with names of intermediates replaced, operators still in place."""
        return substitute(expr, self.inlined)

    def value(self, expr: Expr) -> Expr:
        """The expression with names of intermediates and operators replaced."""
        return expand(self.inline(expr), self.driver, self.expanded)

    def let(self, var: Var, value: Expr) -> list[Goal]:
        """An intermediate that is also a binding of the summary is shown equal to it and from then on a name for both."""
        term = self.specification.opaque_terms.get(var.name)
        if term is None:
            self.inlined[var] = self.inline(value)
            return []
        goal = Goal(var.name, same_scalar(self.value(value), term))
        self.inlined[var] = self.specification.scalars[var.name]
        return [goal]

    def elements(self, expr: Expr) -> Elements:
        """A tensor-valued expression (operators replaced) by its extents and elements."""
        try:
            return elements(expr)
        except NoElements as problem:
            raise ObligationError(self.problem(f"in the program, {problem}")) from None

    def problem(self, message: str) -> Diagnostic:
        return Diagnostic(self.fragment.location, message)

    # Results

    def written(self) -> list[str]:
        """Arrays that the program or the summary writes."""
        names = [write.array.name for write in self.program.writes]
        names += [name for name in self.specification.outputs if name != "return"]
        return list(dict.fromkeys(names))

    def array(self, name: str) -> Iterator[Obligation]:
        """The final contents of an array."""
        array = next(param.var for param in self.fragment.params if param.var.name == name)
        assert isinstance(array.type, TensorType)
        final: Expr = array
        goals: list[Goal] = []
        for write in self.program.writes:
            if write.array == array:
                update, shapes = self.update(write, final)
                final = update
                goals += shapes
        _, tower = layers(final)
        distinct = [Goal("cells of the window are distinct", fact) for layer in tower if (fact := distinct_cells(layer)) != TRUE]
        if distinct:
            yield self.obligation(f"emitted writes to {name} are well defined", distinct, definitions=False)
        out = Var(f"{name}!out", array.type)

        def read(cell: tuple[Expr, ...]) -> Expr:
            return Select(out, cell)

        rank = array.type.rank
        defined = (*written_facts(read, tower), frame_fact(read, array, tower, rank))
        base, wanted = layers(self.specification.output(array))
        if base != array:
            raise ObligationError(self.problem(f"the summary of {name} does not start from its contents"))
        values = wanted
        if len(tower) == len(wanted) == 1 and made_exactly(tower[0].value, array.type.element):
            values = (replace(wanted[0], domain=conj(wanted[0].domain, in_type(wanted[0].value))),)
        goals += [Goal(f"{name} written", fact) for fact in written_facts(read, values)]
        goals.append(Goal(f"{name} elsewhere", frame_fact(read, array, wanted, rank)))
        known = (*self.specification.definitions, *defined)
        yield self.made(f"emitted {name} equals the summary's", known, goals)

    def update(self, write: Write, base: Expr) -> tuple[Update, list[Goal]]:
        """A write as an Update, and that its value has the window's shape."""
        window, guard = self.window(write)
        assert isinstance(window.body, Select)
        extents = tuple(expand(extent, self.driver) for extent in window.extents)
        value = self.value(write.value)
        goals = []
        if isinstance(type_of(value), TensorType):
            tensor = self.elements(value)
            shape = zip(tensor.extents, extents, strict=True)
            goals.append(Goal(f"shape of what {write.array.name} gets", conj(*(equal(clamped(a), clamped(b)) for a, b in shape))))
            value = tensor.at(window.binders)
        return Update(base, window.binders, extents, window.body.indices, value, self.value(guard)), goals

    def window(self, write: Write) -> tuple[Build, Expr]:
        """The cells that are written, and the guard, names of intermediates replaced in both at once."""
        window = write.window
        if not (isinstance(window, Build) and isinstance(window.body, Select) and window.body.tensor == write.array):
            raise ObligationError(self.problem("the window of a write is not a view of its array"))
        both = self.inline(Build(window.extents, window.binders, Ite(write.guard, window.body, window.body)))
        assert isinstance(both, Build) and isinstance(both.body, Ite)
        return Build(both.extents, both.binders, both.body.then), both.body.cond

    def result(self) -> list[Goal]:
        """The returned value."""
        mine, wanted = self.program.result, self.specification.result
        if mine is None or wanted is None:
            raise ObligationError(self.problem("the program returns something and the summary does not, or the reverse"))
        try:
            value = self.value(mine)
            if isinstance(type_of(wanted), MachineInt):
                return [Goal("result", same_scalar(value, wanted))]
            return same(value, wanted, "shape")
        except NoElements as problem:
            raise ObligationError(self.problem(f"in the program's result, {problem}")) from None

    # Requirements

    def expressions(self) -> list[Expr]:
        """Every expression of the program, names of intermediates replaced."""
        parts = [let.value for let in self.program.lets]
        parts += [part for write in self.program.writes for part in (write.window, write.value)]
        if self.program.result is not None:
            parts.append(self.program.result)
        return [self.inline(part) for part in parts]

    def requirements(self) -> list[Goal]:
        """What operators require, each once."""
        parts = self.expressions()
        found = dict.fromkeys(c for expr in parts for c in side_conditions(expr, self.driver, self.expanded))
        return [Goal(f"requirement {number}", condition) for number, condition in enumerate(found, 1) if condition != TRUE]

    def views(self) -> list[Goal]:
        """Views read cells of the array's extent only (pointers: what the source reads or writes; vectors: their length)."""
        found: dict[Expr, str] = {}
        values = [*(let.value for let in self.program.lets), *(write.value for write in self.program.writes)]
        for expr in [*values, *([] if self.program.result is None else [self.program.result])]:
            self.reads(self.inline(expr), Scope(), found)
        for write in self.program.writes:
            window, guard = self.window(write)
            for extent in window.extents:
                self.reads(extent, Scope(), found)
            inner = Scope().within(window)
            self.reads(guard, inner, found)
            self.reads(window.body, inner.where(guard), found)
        return [Goal(f"view of {name}", condition) for condition, name in found.items() if condition != TRUE]

    def reads(self, expr: Expr, scope: Scope, found: dict[Expr, str]) -> None:
        if isinstance(expr, Select):
            shape = self.shape(expr.tensor)
            if shape:
                inside = conj(*(in_range(self.value(at), extent) for at, extent in zip(expr.indices, shape, strict=True)))
                domain = conj(*map(self.value, scope.conditions))
                name = expr.tensor.name if isinstance(expr.tensor, Var) else "an intermediate"
                found.setdefault(forall(scope.binders, implies(domain, inside)), name)
        if isinstance(expr, Ite):  # a masked read, or of numbers a choice: the other side is not computed
            self.reads(expr.cond, scope, found)
            self.reads(expr.then, scope.where(expr.cond), found)
            self.reads(expr.other, scope if scope.binders else scope.where(neg(expr.cond)), found)
            return
        inner = scope
        if isinstance(expr, Build | Fold):
            inner = scope.within(expr)
        if isinstance(expr, Build):
            self.fixed(expr, scope, found)
        assert inner is not scope or not binders_of(expr), "programs bind by Build and Fold, and by functions as arguments"
        for position, (child, binders) in enumerate(scoped_children(expr)):
            if isinstance(expr, Call) and isinstance(child, Lambda):
                self.reads_of_function(expr, position, child, found)
                continue
            self.reads(child, inner if binders else scope, found)

    def fixed(self, view: Build, scope: Scope, found: dict[Expr, str]) -> None:
        """Along axes that a view takes at one index, it is taken there even where the view has no elements, as in x[:, 0]."""
        match view.body:
            case Select(Var() as array, indices) if len(indices) > 1:
                domain = conj(*map(self.value, scope.conditions))
                for at, extent in zip(indices, self.shape(array), strict=False):
                    if free_vars(at).isdisjoint(view.binders):
                        inside = in_range(self.value(at), extent)
                        found.setdefault(forall(scope.binders, implies(domain, inside)), array.name)
            case _:
                pass

    def reads_of_function(self, call: Call, position: int, function: Lambda, found: dict[Expr, str]) -> None:
        """Views in the body of a function, for all that the operator calls it with."""
        inner: dict[Expr, str] = {}
        self.reads(function.body, Scope(), inner)
        for condition, name in inner.items():
            for each in where_called(call, position, condition, self.driver):
                found.setdefault(each, name)

    def shape(self, array: Expr) -> tuple[Expr, ...]:
        """The number of elements along each axis that the generated code checks for; where it checks nothing, that there are. Of
        what an operator gives, that it has.
        """
        if not isinstance(array, Var):
            try:
                return elements(self.value(array)).extents
            except NoElements:
                return ()
        for param in self.fragment.params:
            if param.var == array and isinstance(array.type, TensorType):
                lengths = tuple(Length(array, axis) for axis in range(array.type.rank))
                unknown = () if self.arranges else lengths
                return self.extents.get(array.name, unknown) if param.kind is ParamKind.POINTER else lengths
        return ()
