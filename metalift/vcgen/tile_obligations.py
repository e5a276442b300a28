"""Obligations that a kernel on tiles computes a program: its statements are executed on symbols, one iteration of each loop.

A tile that was not written has no value, and so has one that a loop writes for which no invariant is stated: reading it is a goal
that is false. Integers have to stay where the machine is exact and in the type of the tile. Every element of an output is written
by one statement, in one iteration, at one place. All of it is for all sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from metalift.driver.expansion import expand
from metalift.ir.expr.build import at_most, conj, disj, equal, forall, implies, in_range, neg, plus
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Cast, Const, Expr, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, INT32, ScalarType, TensorType, is_integer
from metalift.ir.expr.walk import substitute
from metalift.ir.program.fragment import Diagnostic
from metalift.ir.program.kernel import (
    COLUMN,
    ROW,
    Across,
    Allocate,
    Cut,
    Divided,
    Expand,
    Fill,
    Fused,
    Idiom,
    Invariant,
    Iota,
    Load,
    Loop,
    Map,
    Named,
    Product,
    Reduce,
    Scan,
    Space,
    Statement,
    Step,
    Store,
    Tile,
    When,
)
from metalift.vcgen.chains import canonical, folds_of
from metalift.vcgen.erasure import erased
from metalift.vcgen.obligation import Obligation, ObligationError
from metalift.vcgen.same_results import elements
from metalift.vcgen.tile_goals import DEFINED, DOMAINS, EXACT, KEPT, PARTS
from metalift.vcgen.tile_instructions import WORD, TileInstructions
from metalift.vcgen.tile_state import Scope, State, cases, coordinates, larger, statements_in, together, wide, written_in

ONE_BY_ONE = frozenset({KEPT, PARTS})  # goals that are obligations of their own


class TileGenerator(TileInstructions):
    """Generates the obligations of one kernel."""

    def obligations(self) -> Iterator[Obligation]:
        """All obligations of the kernel. Raises ObligationError where instructions do not fit their tiles' types."""
        try:
            self.run(self.kernel.body, Scope(), State())
        except (ValueError, KeyError) as problem:
            where = Diagnostic(self.fragment.location, f"the kernel is not well formed: {problem}")
            raise ObligationError(where) from problem
        self.written()
        for idiom in self.idioms:
            self.idiom(idiom)
        for number, formula in enumerate(self.chains.claims, 1):
            self.goal(PARTS, f"part {number}", formula)
        for size in self.kernel.sizes:
            self.goal("sizes are chosen among some", size.var.name, TRUE if size.least <= size.most else FALSE)
        ends = ((integer(size.least), size.var, integer(size.most)) for size in self.kernel.sizes)
        chosen = (conj(at_most(least, var), at_most(var, most)) for least, var, most in ends)
        everywhere, ranges = (tuple(erased(each, {}) for each in some) for some in ((*self.assumed, *chosen), self.ranges))
        sizes = tuple(size.var for size in self.kernel.sizes)
        for name, goals in self.goals.items():
            assumed = (*everywhere, *(each for each in ranges if name == DOMAINS or not folds_of(each)))
            wanted = tuple(goal for goal in goals if goal.formula != TRUE)
            if name in ONE_BY_ONE:
                for goal in wanted:
                    yield Obligation(f"{name}: {goal.subject}", self.fragment.location, (), assumed, (goal,), parameters=sizes)
            elif wanted:
                yield Obligation(name, self.fragment.location, (), assumed, wanted, parameters=sizes)

    # Statements

    def run(self, body: tuple[Statement, ...], scope: Scope, state: State) -> None:
        """Execute statements, changing the state."""
        for statement in body:
            if isinstance(statement, Divided):
                scope = self.divided(statement, scope)
            else:
                self.step(statement, scope, state)
        if any(isinstance(each, Allocate | Expand) for each in body):
            work = [tile.columns for tile in state.tiles.values() if tile.space is Space.WORK]
            sums = sum(tile.space is Space.SUMS for tile in state.tiles.values())
            total: Expr = integer(0)
            for columns in work:
                total = plus(total, columns)
            machine = self.kernel.machine
            banks = at_most(integer(sums * machine.bank * WORD), integer(machine.sums))
            room = conj(at_most(total, integer(machine.work // WORD)), banks)
            self.goal("tiles fit the machine", "all tiles together", scope.states(room))

    def step(self, statement: Statement, scope: Scope, state: State) -> None:  # noqa: C901 (one case for each statement)
        """Execute one."""
        match statement:
            case Allocate(tile):
                self.allocate(tile, scope, state)
            case Load():
                self.load(statement, scope, state)
            case Map(name, op, operands):
                values = self.operands(name, operands, scope, state)
                self.domain(name, op, values, scope, state)
                for condition in self.required(op, values, state.tiles[name].type):
                    self.inside(DEFINED, name, condition, scope, state)
                made = self.applied(op, values, name, state)
                self.assign(name, made, scope, state, together(made, values, operands, state))
            case Expand(name, idiom, operands):
                values = self.operands(name, operands, scope, state)
                self.idioms[idiom] = None
                for step in idiom.steps:
                    if isinstance(step, Step) and step.var != idiom.result:  # it has a tile of its own
                        state.tiles[f"{name}: {step.var.name}"] = replace(state.tiles[name], name=step.var.name)
                given = dict(zip(idiom.params, values, strict=True))
                for condition in idiom.given:
                    self.inside("idioms are used where they are proved", name, substitute(condition, given), scope, state)
                self.assign(name, self.applied(idiom.op, values, name, state), scope, state)
            case Fill(name, value):
                known = integer(abs(int(value.value))) if isinstance(value, Const) and is_integer(value.type) else None
                self.assign(name, substitute(value, self.lets), scope, state, known)
            case Iota(name, first, step):
                numbers = substitute(plus(first, Apply(Operator.MUL, (integer(step), COLUMN))), self.lets)
                self.assign(name, Cast(numbers, INT32), scope, state)
            case Reduce(name, op, source, bound):
                self.bounded(source, bound, scope, state)
                self.reduce(name, op, source, scope, state, columns=True)
            case Scan():
                self.bounded(statement.source, statement.bound, scope, state)
                self.scan(statement, scope, state)
            case Across(name, op, source):
                self.reduce(name, op, source, scope, state, columns=False)
            case Product():
                self.product(statement, scope, state)
            case Named(name, let):
                found = substitute(self.read(name, scope, state), {ROW: integer(0), COLUMN: integer(0)})
                self.chains.relate(found, self.computed[let], scope.place, scope.holds)
                self.equals("intermediates are computed", name, found, self.computed[let], scope)
                self.shape("tiles have the shapes that are used", name, (integer(1), integer(1)), scope, state)
                state.values[name] = let
            case Store():
                self.store(statement, scope, state)
            case Divided():
                raise AssertionError("it changes the scope, which run does")
            case Loop():
                self.loop(statement, scope, state)
            case When(cond, inner):
                branch = state.copy()
                self.run(inner, replace(scope, holds=(*scope.holds, cond)), branch)
                self.join(state, branch, cond)
            case Fused(steps):
                if not all(isinstance(step, Map | Reduce) for step in steps):
                    raise ValueError("what is no step of an instruction stands in one")
                self.run(steps, scope, state)
                for name in statement.lost:
                    state.values[name] = None
            case _:
                assert_never(statement)

    def join(self, state: State, branch: State, cond: Expr) -> None:
        """What holds behind a condition: tiles of before it that it writes."""
        for name, before in state.values.items():
            after = branch.values[name]
            if after != before:
                state.values[name] = None if before is None or after is None else Ite(cond, after, before)
            if name in branch.partly or name in state.partly:
                state.partly[name] = conj(branch.partly.get(name, TRUE), state.partly.get(name, TRUE))
            one, two = branch.magnitudes.get(name), state.magnitudes.pop(name, None)
            if one is not None and two is not None:
                state.magnitudes[name] = larger(one, two)
            if branch.summed.get(name) != state.summed.get(name):
                state.summed[name] = disj(state.summed.get(name, FALSE), conj(cond, branch.summed.get(name, FALSE)))

    def loop(self, loop: Loop, scope: Scope, state: State) -> None:
        """The invariants hold before, are kept by an iteration, and hold behind; other tiles that it writes hold nothing."""
        inner = replace(scope, place=(*scope.place, (loop.var, loop.count)))
        stated = {each.tile: each for each in loop.invariants}
        inside = written_in(loop.body)
        written = [name for name in state.tiles if name in inside]  # in an order that is the same whenever it is checked
        body = state.copy()
        for name in written:
            body.summed[name] = self.started(name, loop, state)
            if name not in stated:
                body.values[name] = None
                body.magnitudes.pop(name, None)
                continue
            self.entered(stated[name], loop, scope, state, body)
        self.run(loop.body, inner, body)
        self.magnitudes_kept(loop, inner, body)
        for invariant in stated.values():
            self.kept(invariant, loop, inner, body)
        for name in written:
            state.values[name] = stated[name].after if name in stated else None
            state.partly.pop(name, None)
            state.magnitudes.pop(name, None)
            if name in stated and (bounds := stated[name].magnitudes) is not None:
                state.magnitudes[name] = bounds[1]
            if body.summed[name] != state.summed[name]:
                state.summed[name] = disj(state.summed[name], at_most(integer(1), loop.count))

    def kept(self, invariant: Invariant, loop: Loop, inner: Scope, body: State) -> None:
        """After an iteration a tile holds what the next one finds, after the last one what is left behind the loop."""
        name = invariant.tile
        first, last = equal(loop.var, integer(0)), equal(plus(loop.var, integer(1)), loop.count)
        after, following = body.values[name], substitute(invariant.begins, {loop.var: plus(loop.var, integer(1))})
        found = after if after is not None and name not in body.partly else self.read(name, inner, body)
        split, begun = cases(found, {first: FALSE}), cases(found, {first: TRUE})
        parts = ((TRUE, split),) if begun == split else ((neg(first), split), (first, begun))
        for at, value in parts:
            here = replace(inner, holds=(*inner.holds, at))
            self.chains.relate(value, following, (*here.place, *coordinates(body.tiles[name])), here.holds)
            if canonical(substitute(invariant.begins, {loop.var: loop.count})) == canonical(invariant.after):
                self.equals(KEPT, name, value, following, here, body)
                continue
            self.equals(KEPT, name, value, following, replace(here, holds=(*here.holds, neg(last))), body)
            self.equals(KEPT, name, value, invariant.after, replace(here, holds=(*here.holds, last)), body)

    def entered(self, invariant: Invariant, loop: Loop, scope: Scope, state: State, body: State) -> None:
        """An invariant holds before the first iteration; of a tile that holds nothing yet, the first iteration makes it."""
        name = invariant.tile
        body.values[name] = invariant.begins
        body.magnitudes.pop(name, None)
        if invariant.magnitudes is not None:
            body.magnitudes[name] = invariant.magnitudes[0]
        if state.values[name] is None:
            body.partly[name] = neg(equal(loop.var, integer(0)))
            self.goal("nothing is read before it is written", name, scope.states(at_most(integer(1), loop.count)))
            if invariant.magnitudes is not None:  # it adds to what the iteration makes
                least = substitute(invariant.magnitudes[0], {loop.var: integer(0)})
                self.goal(EXACT, name, scope.states(at_most(integer(0), least)))
            return
        before = self.read(name, scope, state)
        self.chains.relate(before, invariant.after, scope.place, scope.holds)
        start = substitute(invariant.begins, {loop.var: integer(0)})
        some = replace(scope, holds=(*scope.holds, at_most(integer(1), loop.count)))
        none = replace(scope, holds=(*scope.holds, at_most(loop.count, integer(0))))
        self.equals("invariants of loops hold before", name, before, start, some, state)
        self.equals("invariants of loops hold before", name, before, invariant.after, none, state)
        self.magnitude(name, invariant, loop, state, some, none)

    def magnitude(
        self, name: str, invariant: Invariant, loop: Loop, state: State, some: Scope, none: Scope
    ) -> None:
        """The bounds of an invariant hold before the first iteration."""
        if invariant.magnitudes is not None:
            begins, after = invariant.magnitudes
            before = state.magnitudes.get(name)
            start = substitute(begins, {loop.var: integer(0)})
            for scope, bound in ((some, start), (none, after)):
                self.goal(EXACT, name, scope.states(FALSE if before is None else at_most(before, bound)))

    def magnitudes_kept(self, loop: Loop, inner: Scope, body: State) -> None:
        """Those of the next iteration, or of behind the loop, hold when one ends."""
        last = equal(plus(loop.var, integer(1)), loop.count)
        for each in loop.invariants:
            if each.magnitudes is not None:
                found = body.magnitudes.get(each.tile)
                following = substitute(each.magnitudes[0], {loop.var: plus(loop.var, integer(1))})
                for at, bound in ((neg(last), following), (last, each.magnitudes[1])):
                    here = replace(inner, holds=(*inner.holds, at))
                    self.goal(EXACT, each.tile, here.states(FALSE if found is None else at_most(found, bound)))

    @staticmethod
    def started(name: str, loop: Loop, state: State) -> Expr:
        """Whether a product was written to a tile when an iteration begins."""
        sums = any(isinstance(part, Product) and part.tile == name for part in statements_in(loop.body))
        return disj(state.summed[name], neg(equal(loop.var, integer(0)))) if sums else state.summed[name]

    # Outputs

    def store(self, statement: Store, scope: Scope, state: State) -> None:
        """The value is the program's at that place."""
        tile = state.tiles[statement.tile]
        value = self.read(statement.tile, scope, state)
        output = self.kernel.outputs[statement.output]
        at = dict(zip(output.places, statement.index, strict=True))
        wanted = self.output(statement.output, at)
        if tile.space is not Space.WORK and not self.kernel.machine.stores_sums:
            self.goal("stores come from work memory", tile.name, FALSE)
        if type_of(value) != type_of(wanted) and not (is_integer(type_of(value)) and type_of(wanted) == INT):
            self.goal("outputs have the types of their arrays", tile.name, FALSE)
        self.chains.relate(value, wanted, (*scope.place, *coordinates(tile)), scope.holds)
        self.equals("stored elements equal the program's", tile.name, value, wanted, scope, state)
        self.stores.append((statement, scope, tile))

    def output(self, number: int, at: Mapping[Var, Expr]) -> Expr:
        """What an output has to be at a place."""
        output = self.kernel.outputs[number]
        value = expand(substitute(output.value, self.lets), self.driver)
        if isinstance(type_of(value), TensorType):
            value = elements(value).at(output.places)
        return substitute(value, dict(at))

    def written(self) -> None:
        """Every element of every output is written, by one statement, at one place."""
        for number, output in enumerate(self.kernel.outputs):
            mine = [entry for entry in self.stores if entry[0].output == number]
            bounds = tuple(zip(output.places, output.extents, strict=True))
            everywhere = Scope(bounds)
            self.goal("every element is written", f"output {number}", everywhere.states(disj(*(s.owns for s, _, _ in mine))))
            for position, (store, scope, tile) in enumerate(mine):
                for other, _, _ in mine[position + 1 :]:
                    self.goal("no element is written twice", tile.name, everywhere.states(neg(conj(store.owns, other.owns))))
                self.one_store(store, scope, tile, everywhere)

    def one_store(self, store: Store, scope: Scope, tile: Tile, everywhere: Scope) -> None:
        """The statement writes the elements that it owns, each once."""
        output = self.kernel.outputs[store.output]
        at = dict(zip(output.places, store.index, strict=True))
        inverse = dict(store.inverse)
        place = (*scope.place, *coordinates(tile))
        inside = [in_range(index, extent) for index, extent in zip(store.index, output.extents, strict=True)]
        back = [equal(substitute(inverse.get(var, var), at), var) for var, _ in place if var in inverse]
        alone = [equal(var, integer(0)) for var, _ in place if var not in inverse]
        exact = conj(*inside, substitute(store.owns, at), *back, *alone)
        self.goal("no element is written twice", tile.name, scope.states(exact, *coordinates(tile)))
        values = {var: inverse.get(var, integer(0)) for var, _ in place}
        domain = conj(*(in_range(values[var], substitute(extent, values)) for var, extent in place))
        hits = [equal(substitute(index, values), var) for var, index in at.items()]
        holds = [substitute(each, values) for each in scope.holds]
        self.goal("every element is written", tile.name, everywhere.states(implies(store.owns, conj(domain, *holds, *hits))))

    # Idioms

    def idiom(self, idiom: Idiom) -> None:
        """Its instructions compute the operator, exactly."""
        values: dict[Var, Expr] = {}
        known: tuple[Expr, ...] = idiom.given
        free = list(idiom.params)
        part = 1
        for step in idiom.steps:
            scope = Scope((), known)
            if isinstance(step, Cut):
                self.about(idiom, part, "what holds behind them", scope, substitute(step.holds, values), free)
                part += 1
                values = {var: value for var, value in values.items() if var not in step.kept}
                known = (*idiom.given, step.holds)
                free = [*free, *step.kept]
                continue
            args = tuple(substitute(arg, values) for arg in step.args)
            types = tuple(type_of(arg) for arg in args)
            instance = self.instruction(step.op, types, step.var.type)
            value = substitute(instance.body, dict(zip(instance.params, args, strict=True)))
            values[step.var] = value
            assert isinstance(step.var.type, ScalarType)
            if type_of(value) != step.var.type or step.op in self.domains:
                raise ValueError(f"{step.op} does not make {step.var.name} for all arguments")
            for condition in self.required(step.op, args, step.var.type):
                self.about(idiom, part, f"{step.op} is defined", scope, condition, free)
            if is_integer(step.var.type):
                low, high = map(integer, self.limits(step.var.type))
                exact = conj(at_most(low, wide(value)), at_most(wide(value), high))
                self.about(idiom, part, f"{step.op} is exact", scope, exact, free)
        types = tuple(type_of(param) for param in idiom.params)
        instance = self.instruction(idiom.op, types, idiom.result.type)
        meaning = substitute(instance.body, dict(zip(instance.params, idiom.params, strict=True)))
        result = values.get(idiom.result, idiom.result)
        self.about(idiom, part, "the result is the operator's", Scope((), known), equal(result, meaning), free)

    def about(self, idiom: Idiom, part: int, subject: str, scope: Scope, formula: Expr, free: list[Var]) -> None:
        """Something to show of the values that an idiom makes, up to its next cut."""
        used = tuple(var for var in dict.fromkeys(free))
        exact = {var: Var(var.name, INT) for var in used if is_integer(var.type)}
        stated = erased(implies(conj(*scope.holds), formula), dict(exact))
        params = tuple(exact.get(var, var) for var in used)
        self.goal(f"instructions compute {idiom.op}, part {part}", subject, forall(params, stated))
